"""What each candidate is worth for this question; a value in 0..1 and its parts, with no regard to its price."""

import math
import re
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.table import Ranked
from conspectus.core.item import ContextItem, Kind
from conspectus.core.spec import RankingPolicy
from conspectus.relevance.matches import match_stems
from conspectus.relevance.question import read_question
from conspectus.relevance.signals import SIGNALS, signals
from conspectus.relevance.structure import read_structure

_LAST_NUMBER = re.compile(r"([0-9]{1,17})[^0-9]*\Z")
_LONGEST_NUMBER = 18
_DIGITS = "0123456789"


def rank(items: Sequence[ContextItem], question: str, policy: RankingPolicy, now: datetime) -> Ranked:
    """Value every item for `question`: the weighted mean of the parts it has, sharpened."""
    rivals = np.array([not item.mandatory for item in items], dtype=np.bool_)
    found = _signals(items, question, rivals)
    relevance = _relevance(found, rivals, policy)
    recency = _recency(items, policy, now)
    prior = _prior(items)
    parts = np.column_stack((relevance, recency, prior)) if items else np.empty((0, 3))
    weights = np.tile(np.array([policy.relevance, policy.recency, policy.prior]), (len(items), 1))
    weights[[item.kind is Kind.HISTORY for item in items], 1] = policy.turns
    weights[np.isnan(parts)] = 0.0
    total = weights.sum(axis=1)
    means = (weights * np.nan_to_num(parts)).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    values: NDArray[np.float64] = means**policy.sharpness
    stable = np.array([item.stable for item in items], dtype=np.bool_)
    values[stable] = np.maximum(values[stable], policy.stable)
    return Ranked(items=tuple(items), values=values, parts=parts, signals=found)


def _signals(items: Sequence[ContextItem], question: str, rivals: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The signals of each item; what is mandatory is in whatever it is worth, and sets no scale."""
    asked = read_question(question)
    if not items or not asked.stems:
        return np.zeros((len(items), len(SIGNALS)))
    texts = [item.content for item in items]
    text = match_stems(texts, asked.stems)
    heading = match_stems([item.item_id for item in items], asked.stems)
    groups = [item.source_uri or item.item_id for item in items]
    structure = read_structure(groups, _reading_order(items))
    return signals(asked, texts, (text, heading), structure, rivals)


def _reading_order(items: Sequence[ContextItem]) -> NDArray[np.int64]:
    """Rows by the last number of their ids, such as the last line of a chunk or the number of a turn."""
    numbers = np.fromiter((_last_number(item.item_id) for item in items), np.int64, len(items))
    order: NDArray[np.int64] = np.argsort(numbers, kind="stable")
    return order


def _last_number(name: str) -> int:
    tail = name[len(name.rstrip(_DIGITS)) :]
    if 0 < len(tail) < _LONGEST_NUMBER:
        return int(tail)
    found = _LAST_NUMBER.search(name)
    return int(found[1]) if found else 0


def _relevance(found: NDArray[np.float64], rivals: NDArray[np.bool_], policy: RankingPolicy) -> NDArray[np.float64]:
    """Relevance in 0..1, whose square is the likelihood of each item against the best, times a power of its size.

    The score is the weighted sum of the signals, the logarithm of a likelihood as in a conditional logit (McFadden
    1974). What shares nothing with the question, not even through its neighbours or its file, has none.
    """
    given = dict(policy.signals)
    weights = np.array([given.get(name, 0.0) for name in SIGNALS])
    related = (found[:, [SIGNALS.index(name) for name in ("around", "coverage", "group")]] > 0.0).any(axis=1)
    if not related.any():
        return np.zeros(len(found))
    size = np.expm1(5.0 * found[:, SIGNALS.index("length")])
    scores = np.where(related, found @ weights + policy.size * np.log(np.maximum(size, 1.0)), -np.inf)
    best = float(scores[rivals].max(initial=-np.inf))
    if best == -np.inf:
        best = float(scores.max())
    relevance: NDArray[np.float64] = np.exp(np.minimum(scores - best, 0.0) / 2.0)
    return relevance


def _recency(items: Sequence[ContextItem], policy: RankingPolicy, now: datetime) -> NDArray[np.float64]:
    """Half-life decay of each item's age; a turn's place in its conversation for history; NaN when unknown."""
    moment = now.timestamp()
    ages = [moment - item.observed_at.timestamp() if item.observed_at else math.nan for item in items]
    recency = np.exp2(-np.maximum(np.array(ages, dtype=np.float64), 0.0) / policy.half_life)
    for index, item in enumerate(items):
        if item.signals and (turn := item.signal("turn")) is not None:
            recency[index] = turn
    return recency


def _prior(items: Sequence[ContextItem]) -> NDArray[np.float64]:
    """The caller's own relevance of each item, NaN where none was given."""
    prior = np.full(len(items), math.nan)
    for index, item in enumerate(items):
        if item.signals and (given := item.signal("prior")) is not None:
            prior[index] = min(max(given, 0.0), 1.0)
    return prior
