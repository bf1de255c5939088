"""The signals of relevance: what each says of each text, as columns between about -1 and 1; it adds nothing up."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conspectus.relevance.matches import Field
from conspectus.relevance.question import Question
from conspectus.relevance.structure import Rows, Structure
from conspectus.relevance.traits import Traits, read_traits

Column = NDArray[np.float64]
Mask = NDArray[np.bool_]

SIGNALS = ("words", "part", "around", "coverage", "group", "answer", "question", "speaker", "time", "length")
"""Names of the columns, in their order.

words: BM25 (Robertson and Zaragoza 2009) of text and heading, divided by the best candidate's.
part: the same for that clause of the question which fits best.
around: the words of the neighbours, the nearer the more, with the text's own.
coverage: share of the question, by rarity, that the text has together with two neighbours on each side.
group: words of the best text of the same file or session.
answer: words of the question that stands just before.
question: words, where the text itself only asks.
speaker: 1 where the question names who speaks, -1 where it names another who speaks elsewhere.
time: a time in the text, where the question asks for one.
length: the logarithm of the number of terms.
"""

_TEXT = (1.5, 0.75)
_HEADING = (1.2, 0.5)
_HEADING_WEIGHT = 0.8
_NEAR = (0.7, 0.5, 0.3)
_REACH = 2


def signals(
    question: Question, texts: Sequence[str], fields: tuple[Field, Field], structure: Structure, rivals: Mask
) -> Column:
    """All signals, shape (n, len(SIGNALS)); `fields` are those of text and heading, and only `rivals` set the scale."""
    text, heading = fields
    scores = _scores(question, text, _TEXT) + _HEADING_WEIGHT * _scores(question, heading, _HEADING)
    words = _scaled(scores.sum(axis=1), rivals)
    parts = [_scaled(scores[:, part].sum(axis=1), rivals) for part in question.parts if part.any()]
    around = _around(words, structure)
    traits = read_traits(texts, np.flatnonzero(around > 0.0), times=question.asks_when)
    asking, dated, speaker = np.zeros((3, len(texts)))
    asking[traits.rows] = traits.asks * words[traits.rows]
    dated[traits.rows] = traits.dated * words[traits.rows]
    speaker[traits.rows] = _speaker(question, traits)
    columns = (
        words,
        np.max(parts, axis=0) if parts else words,
        around,
        _coverage(text, structure),
        _group_best(words, structure.groups),
        _of(asking, structure.before),
        asking,
        speaker,
        dated,
        np.log1p(text.lengths) / 5.0,
    )
    table: Column = np.column_stack(columns)
    return table


def _rarity(field: Field) -> Column:
    """Inverse document frequency of each stem."""
    holding = (field.counts > 0.0).sum(axis=0)
    rarity: Column = np.log1p((len(field.counts) - holding + 0.5) / (holding + 0.5))
    return rarity


def _scores(question: Question, field: Field, parameters: tuple[float, float]) -> Column:
    """BM25 of each text by stem, shape (n, q)."""
    k1, b = parameters
    norm = k1 * (1.0 - b + b * field.lengths / max(float(field.lengths.mean()), 1.0))
    gains = field.counts * (k1 + 1.0) / (field.counts + norm[:, None])
    scores: Column = gains * (_rarity(field) * question.weights)
    return scores


def _scaled(scores: Column, rivals: Mask) -> Column:
    best = float(scores[rivals].max(initial=0.0))
    return np.minimum(scores / best, 1.0) if best > 0.0 else np.minimum(scores, 1.0)


def _of(column: Column, rows: Rows) -> Column:
    """The value of another row for each row, 0 where there is none."""
    return np.where(rows >= 0, column[rows], 0.0)


def _around(words: Column, structure: Structure) -> Column:
    total = words.copy()
    earlier, later = words, words
    for weight in _NEAR:
        earlier, later = _of(earlier, structure.before), _of(later, structure.after)
        total += weight * (earlier + later)
    return total / 3.0


def _coverage(text: Field, structure: Structure) -> Column:
    rarity = _rarity(text)
    share = rarity / max(float(rarity.sum()), 1e-9)
    held = text.counts > 0.0
    near = held.copy()
    earlier, later = held, held
    for _ in range(_REACH):
        earlier = earlier[structure.before] & (structure.before >= 0)[:, None]
        later = later[structure.after] & (structure.after >= 0)[:, None]
        near |= earlier | later
    covered: Column = near @ share
    return covered


def _group_best(words: Column, groups: Rows) -> Column:
    best = np.zeros(int(groups.max(initial=-1)) + 1)
    np.maximum.at(best, groups, words)
    return best[groups]


def _speaker(question: Question, traits: Traits) -> Column:
    """Who is asked about: 1 for what they say, -1 for what others say."""
    named = {name for name in set(traits.speakers) if name and name in question.text}
    if not named:
        return np.zeros(len(traits.speakers))
    return np.array([0.0 if not name else 1.0 if name in named else -1.0 for name in traits.speakers])
