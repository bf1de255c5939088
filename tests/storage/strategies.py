"""Generated items, turns and requests of every shape the house knows; no test of its own."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from conspectus.core.call import Request, Slot
from conspectus.core.item import Authority, ContextItem, Kind, Trust
from conspectus.core.message import ImagePart, Message, Part, Role, SealedPart, TextPart, ToolCallPart, ToolResultPart

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
_NAME_LISTS = st.lists(NAMES, max_size=3).map(tuple)
_NUMBERS = st.integers(0, 1 << 40)
_SCORES = st.floats(allow_nan=False, allow_infinity=False)

MOMENTS = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-3, minutes=-30))]),
)

IMAGES = st.builds(ImagePart, media_type=TEXTS, data=TEXTS, url=TEXTS, width=_NUMBERS, height=_NUMBERS, detail=TEXTS)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, text=TEXTS),
    IMAGES,
    st.builds(ToolCallPart, call_id=TEXTS, name=TEXTS, arguments=TEXTS),
    st.builds(
        ToolResultPart,
        call_id=TEXTS,
        text=TEXTS,
        name=TEXTS,
        is_error=st.booleans(),
        images=st.lists(IMAGES, max_size=2).map(tuple),
    ),
    st.builds(SealedPart, raw=TEXTS, provider=TEXTS, block_type=TEXTS),
)
MESSAGES = st.builds(Message, role=st.sampled_from(Role), parts=st.lists(PARTS, max_size=4).map(tuple))
TURNS = st.lists(MESSAGES, max_size=3).map(tuple)

ITEMS = st.builds(
    ContextItem,
    item_id=NAMES,
    kind=st.sampled_from(Kind),
    content=TEXTS,
    source_uri=TEXTS,
    source_version=TEXTS,
    role=st.sampled_from(Role),
    authority=st.sampled_from(Authority),
    trust=st.sampled_from(Trust),
    observed_at=st.none() | MOMENTS,
    expires_at=st.none() | MOMENTS.filter(lambda moment: moment > NOW + timedelta(days=2)),
    tenant=NAMES,
    acl_version=TEXTS,
    readers=st.frozensets(NAMES, max_size=3),
    token_count=st.none() | _NUMBERS,
    dependencies=_NAME_LISTS,
    supersedes=_NAME_LISTS,
    derived_from=_NAME_LISTS,
    parent_call_id=st.just("") | NAMES,
    mandatory=st.booleans(),
    stable=st.booleans(),
    signals=st.lists(st.tuples(NAMES, _SCORES), max_size=3).map(tuple),
    messages=TURNS,
)
CANDIDATES = st.lists(ITEMS, max_size=6, unique_by=lambda item: item.item_id)

SLOTS = st.builds(Slot, name=NAMES, match=_NAME_LISTS, source=TEXTS)
REQUESTS = st.builds(Request, question=TEXTS, slots=st.lists(SLOTS, max_size=3).map(tuple))
