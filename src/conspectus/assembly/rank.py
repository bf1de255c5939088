"""What each candidate is worth for this question; a value in 0..1 and its parts, with no regard to its price."""

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from conspectus.assembly.table import Ranked
from conspectus.core.item import ContextItem, Kind
from conspectus.core.spec import RankingPolicy
from conspectus.text.postings import match
from conspectus.text.words import query_terms


def rank(items: Sequence[ContextItem], question: str, policy: RankingPolicy, now: datetime) -> Ranked:
    """Value every item for `question`: the weighted mean of the parts it has, sharpened."""
    relevance = _relevance(items, question, policy)
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
    return Ranked(items=tuple(items), values=values, parts=parts)


def _relevance(items: Sequence[ContextItem], question: str, policy: RankingPolicy) -> NDArray[np.float64]:
    """BM25 (Robertson and Zaragoza 2009) of each item's id and content, divided by the best; 0 for no match.

    What is mandatory is in whatever it is worth, and the request matches itself best: neither sets the scale.
    """
    terms = query_terms(question)
    if not items or not terms:
        return np.zeros(len(items))
    found = match([f"{item.item_id}\n{item.content}" for item in items], terms)
    frequency = found.tf.astype(np.float64)
    lengths = found.lengths.astype(np.float64)
    holding = (frequency > 0.0).sum(axis=0)
    idf = np.log1p((len(items) - holding + 0.5) / (holding + 0.5))
    norm = policy.k1 * (1.0 - policy.b + policy.b * lengths / max(float(lengths.mean()), 1.0))
    scores: NDArray[np.float64] = (frequency * (policy.k1 + 1.0) / (frequency + norm[:, None])) @ idf
    rivals = scores[[not item.mandatory for item in items]]
    best = float(rivals.max(initial=0.0))
    return np.minimum(scores / best, 1.0) if best > 0.0 else np.minimum(scores, 1.0)


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
