"""Any path has one id that can be shown, cited and read back."""

from hypothesis import example, given
from hypothesis import strategies as st

from conspectus.core.item import ContextItem, Kind
from conspectus.sources.files.names import decode_path, encode_path, file_id, path_of, source_uri
from conspectus.sources.reading import deceives

NAMES = st.binary(min_size=1, max_size=30) | st.text(min_size=1, max_size=20).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@given(NAMES)
@example(b"a\nb\x1b[31m#%25")
@example(b"\xff\xfe")
@example("a\u202eb\u200b".encode())
def test_a_path_comes_back_from_its_id(path: bytes) -> None:
    assert decode_path(encode_path(path)) == path
    for label in ("", "one"):
        for part in ("", "#L1-2", "#L3.1-3.9"):
            assert path_of(file_id(path, label) + part, label) == path


@given(NAMES, NAMES)
def test_two_paths_have_two_ids(one: bytes, other: bytes) -> None:
    assert (encode_path(one) == encode_path(other)) == (one == other)


@given(NAMES)
def test_an_id_is_text_on_one_line_and_an_item_may_have_it(path: bytes) -> None:
    name = file_id(path)
    assert len(name.splitlines()) == 1
    assert not deceives(name)
    ContextItem(item_id=name, kind=Kind.EVIDENCE, content="x")


def test_every_part_of_a_file_cites_the_file() -> None:
    assert source_uri("file/src/a.py#L1-2") == source_uri("file/src/a.py") == "file:src/a.py"
