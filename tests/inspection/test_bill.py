"""The bill adds up."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.call import Form
from conspectus.inspection.bill import bill
from tests.inspection.scenes import EVIDENCE, ContextItem, assembled


@given(
    chosen=st.lists(st.sampled_from(EVIDENCE), min_size=1, unique_by=lambda one: one.item_id),
    limit=st.integers(600, 9_000),
    form=st.sampled_from([Form.TEXT, Form.OPENAI]),
)
def test_every_sum_is_the_whole(chosen: list[ContextItem], limit: int, form: Form) -> None:
    manifest = assembled(*chosen, limit=limit, form=form).manifest
    made = bill(manifest)
    for entries in (made.sections, made.kinds, made.sources):
        assert sum(entry.tokens for entry in entries) + made.scaffold == made.total == manifest.input_tokens
        assert sum(entry.items for entry in entries) == len(manifest.items)
    counts: Counter[str] = Counter()
    for verdict, _, count in made.ends:
        counts[verdict] += count
    assert counts == Counter({name: count for name, count in manifest.tally().items() if count})
    order = [record.section for record in manifest.items]
    assert [entry.name for entry in made.sections] == sorted(set(order), key=order.index)
    assert [entry.tokens for entry in made.kinds] == sorted((entry.tokens for entry in made.kinds), reverse=True)
