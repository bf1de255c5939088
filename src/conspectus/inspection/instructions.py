"""What is wrong with instructions as instructions: empty, contradicting each other, silent about what a good answer is.

It reads words, not intentions: a finding is a reason to look, not a verdict.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from conspectus.core.item import ContextItem
from conspectus.text.differences import Verdict, compare
from conspectus.text.shingles import similar_pairs
from conspectus.text.words import terms

_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|[=\-*_`~]{3,}.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_MOST_SENTENCES = 2_000
# Words by which people say what an answer has to look like, or how it is judged.
_RUBRIC_WORDS = """
output format json yaml markdown table bullet bullets list cite cites citation citations quote must should shall
criteria criterion acceptance include includes contain style length concise template schema only never unless rubric
输出 格式 必须 应当 应该 引用 列出 包括 包含 标准 要求 不得 禁止 形式 模板 简洁 仅限
出力 必ず 含め 基準 箇条 簡潔 출력 형식 반드 드시 포함 인용 기준 간결
"""
_RUBRIC = frozenset(_RUBRIC_WORDS.split())


class Fault(StrEnum):
    """What can be wrong."""

    ABSENT = "absent"
    EMPTY = "empty"
    CONTRADICTORY = "contradictory"
    WITHOUT_RUBRIC = "without_rubric"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault.

    Attributes:
        subjects: the instructions it is about; two of a contradiction, or one that contradicts itself.
        detail: for a contradiction the two sentences.
    """

    fault: Fault
    subjects: tuple[str, ...] = ()
    detail: tuple[str, ...] = ()


def review(instructions: Sequence[ContextItem]) -> tuple[Finding, ...]:
    """Every fault of the instructions of one payload."""
    if not instructions:
        return (Finding(fault=Fault.ABSENT),)
    empty = [item for item in instructions if not terms(_HEADING.sub("", item.content))]
    filled = [item for item in instructions if item not in empty]
    findings = [Finding(fault=Fault.EMPTY, subjects=(item.item_id,)) for item in empty]
    findings.extend(_contradictions(filled))
    if filled and not any(_RUBRIC.intersection(terms(item.content)) for item in filled):
        findings.append(Finding(fault=Fault.WITHOUT_RUBRIC, subjects=tuple(item.item_id for item in filled)))
    return tuple(findings)


def _contradictions(instructions: Sequence[ContextItem]) -> Iterator[Finding]:
    sentences = [
        (item.item_id, sentence.strip(" \t-*•"))
        for item in instructions
        for sentence in _SENTENCE.split(item.content)
        if sentence.strip(" \t-*•")
    ][:_MOST_SENTENCES]
    texts = [sentence for _, sentence in sentences]
    for pair in similar_pairs(texts):
        if compare(texts[pair.left], texts[pair.right]).verdict is Verdict.CONTRADICTS:
            subjects = dict.fromkeys((sentences[pair.left][0], sentences[pair.right][0]))
            yield Finding(
                fault=Fault.CONTRADICTORY, subjects=tuple(subjects), detail=(texts[pair.left], texts[pair.right])
            )
