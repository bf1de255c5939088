"""Whether two like texts say the same, one says more, or they contradict each other; it does not say who is right.

Texts are the same if their tokens are (see `statements`), and code if all but its space is. One contains the other if
it has the same sentences and more, or if the other is cut at its beginning or end. Short statements may contradict each
other (see `contradictions`). Longer texts, code and questions that differ are just different.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile
from operator import eq

from conspectus.text.contradictions import weigh
from conspectus.text.patterns import plain
from conspectus.text.statements import Kind, Span, Token, read, read_code, span_of
from conspectus.text.words import fold_case, fold_width

STATEMENT_TOKENS = 60
"""Most tokens of a statement that may contradict another."""
CONTAINED_TOKENS = 20
"""Least tokens of a text that another may contain: of a shorter one, every word may matter."""

_STATEMENT_CHARACTERS = 800
_LONGEST_REMARK = 3
_CODE = (
    r"(?m)[{};]\s*$|=>|::|[!=]="
    r"|^\s*(?:def|class|return|import|from|elif|else:|while|const|let|var|fn|func|public|private|#include)\b"
    r"|\w\([^\n]*\n|\n[^\n]*\w\("
)
_PLAIN_WORD = r"(?<![a-z'’])[a-z]{4,}+(?!['’])"
_FIRST_WIDE = "\u3400"
_QUESTION = r"[?？]\s*\Z"


class Verdict(StrEnum):
    """What two texts are to each other."""

    SAME = "same"
    CONTAINED = "contained"
    CONTRADICTS = "contradicts"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two texts are to each other, why, and where they differ.

    Attributes:
        verdict: the judgement.
        reason: `equal`; `part`; `negation`, `opposite`, `number`, `value` of a contradiction; `wording`, `addition`,
            `subject`, `unrelated`, `question`, `code`, `long` of a difference.
        left: where the left text differs, in code points, ascending; empty spans are left out.
        right: where the right text does.
    """

    verdict: Verdict
    reason: str
    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()


def compare(left: str, right: str) -> Difference:
    """Judge two like texts; `compare(right, left)` is the same with its sides exchanged."""
    if left == right:
        return Difference(verdict=Verdict.SAME, reason="equal")
    if (len(left), left) <= (len(right), right):
        return _compare(left, right)
    found = _compare(right, left)
    return replace(found, left=found.right, right=found.left)


def _compare(left: str, right: str) -> Difference:
    head, tail = _common_lines(left, right)
    rests = left[head : len(left) - tail], right[head : len(right) - tail]
    obstacle = _obstacle(left, right)
    if obstacle and not _may_hold(*rests) and not _may_hold(*reversed(rests)):
        whole = tuple(((head, head + len(rest)),) if rest else () for rest in rests)
        return Difference(verdict=Verdict.DIFFERENT, reason=obstacle, left=whole[0], right=whole[1])
    read_rest = read_code if obstacle == "code" else read
    tokens = read_rest(rests[0], start=head), read_rest(rests[1], start=head)
    spans = span_of(tokens[0]), span_of(tokens[1])
    if [token.text for token in tokens[0]] == [token.text for token in tokens[1]]:
        return Difference(verdict=Verdict.SAME, reason="equal")
    (fewer, shorter), (more, _) = sorted(zip(tokens, (left, right), strict=True), key=lambda side: len(side[0]))
    if _is_part(fewer, more, not head, not tail) and _is_read(shorter, CONTAINED_TOKENS):
        return Difference(verdict=Verdict.CONTAINED, reason="part", left=spans[0], right=spans[1])
    if not obstacle and (head or tail):
        tokens = read(left), read(right)
    if not obstacle and max(map(len, tokens)) > STATEMENT_TOKENS:
        obstacle = "long"
    if obstacle:
        return Difference(verdict=Verdict.DIFFERENT, reason=obstacle, left=spans[0], right=spans[1])
    found = weigh(left, *tokens)
    verdict = Verdict.CONTRADICTS if found.is_contradiction else Verdict.DIFFERENT
    return Difference(verdict=verdict, reason=found.reason, left=found.left, right=found.right)


def _obstacle(left: str, right: str) -> str:
    """Return why two texts cannot contradict each other, or nothing: `code`, `long`, `question`."""
    if any(plain(_CODE).search(text[:_STATEMENT_CHARACTERS]) for text in (left, right)):
        return "code"
    if max(len(left), len(right)) > _STATEMENT_CHARACTERS:
        return "long"
    return "question" if any(plain(_QUESTION).search(text) for text in (left, right)) else ""


def _may_hold(fewer: str, more: str) -> bool:
    """Say whether `more` could have all tokens of `fewer`: a quick look at its longer words and its characters."""
    fewer, more = fold_case(fold_width(fewer)), fold_case(fold_width(more))
    if not all(word in more for word in plain(_PLAIN_WORD).findall(fewer)):
        return False
    return fewer.isascii() or not {c for c in fewer if c >= _FIRST_WIDE}.difference(more)


def _is_read(text: str, count: int) -> bool:
    """Say whether `text` has at least `count` tokens; most texts show it at their beginning."""
    return len(read(text[: 12 * count])) >= count or len(read(text)) >= count


def _common_lines(left: str, right: str) -> tuple[int, int]:
    """Return how many characters of whole lines two texts share at their beginning and at their end."""
    lines_left, lines_right = left.split("\n"), right.split("\n")
    most = min(len(lines_left), len(lines_right))
    first = sum(1 for _ in takewhile(bool, map(eq, lines_left, lines_right)))
    last = sum(1 for _ in takewhile(bool, map(eq, reversed(lines_left), reversed(lines_right))))
    last = min(last, most - first)
    head = sum(len(line) + 1 for line in lines_left[:first])
    return min(head, len(left)), sum(len(line) + 1 for line in lines_left[len(lines_left) - last :])


def _is_part(fewer: Sequence[Token], more: Sequence[Token], is_head_open: bool, is_tail_open: bool) -> bool:
    """Say whether `more` has all sentences of `fewer` in order; the first may lack its beginning, the last its end.

    A beginning that denies what follows must not be lacking, and nothing else may be lost inside a sentence.
    """
    if not fewer:
        return len(more) > _LONGEST_REMARK or not _denies(more)
    left = iter(_sentences(more))
    sentences = _sentences(fewer)
    for number, sentence in enumerate(sentences):
        is_first = number == 0 and is_head_open
        is_last = number == len(sentences) - 1 and is_tail_open
        if not any(_is_cut_from(sentence, whole, is_first, is_last) for whole in left):
            return False
    return True


def _sentences(tokens: Sequence[Token]) -> list[list[Token]]:
    sentences: dict[int, list[Token]] = {}
    for token in tokens:
        sentences.setdefault(token.sentence, []).append(token)
    return list(sentences.values())


def _is_cut_from(part: Sequence[Token], whole: Sequence[Token], is_first: bool, is_last: bool) -> bool:
    lacking = len(whole) - len(part)
    if lacking < 0 or (lacking and not is_first and not is_last):
        return False
    said, all_said = ("\0".join(["", *(token.text for token in tokens), ""]) for tokens in (part, whole))
    if is_last and not part[-1].text[-1].isdigit():
        said = said[:-1]  # a cut may have fallen inside the last word
    place = 0 if not is_first else len(all_said) - len(said) if not is_last else all_said.find(said)
    return place >= 0 and all_said.startswith(said, place) and not _denies(whole[: all_said.count("\0", 0, place)])


def _denies(tokens: Sequence[Token]) -> bool:
    return any(token.kind is Kind.NEGATION for token in tokens)
