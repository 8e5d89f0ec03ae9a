"""How well a search of documents by query ranks, with the real encoder.

python -m tests.bench.document_search: prints a line for each fold, set and share of the meaning.

The records of the project's question sets become documents whose whole value is searchable. The
share `MEANING_SHARE` was chosen by the fold `tuning`, as the highest mean nDCG@10 of the sets; the
fold `held-out` shows what the choice is worth. The last figure is the loss of packing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from statistics import fmean

from membrane.adapters.sentence_encoder import SentenceEncoder
from membrane.domain.documents.filters import WHOLE, texts_of
from membrane.domain.documents.matching import (
    MEANING_SHARE,
    best_cosines,
    found_stems,
    pack,
    query_stems,
    score,
    word_shares,
)
from tests.bench.figures import Figure, shown
from tests.bench.question_sets import OWN, Fold, Given, Query, read_set
from tests.bench.scores import mean, scores

FOLDS = (Fold.TUNING, Fold.HELD_OUT)
SHARES = (0.0, 0.3, 0.5, 0.6, MEANING_SHARE, 0.8, 0.9, 1.0)
SHOWN = ("MRR", "nDCG@10", "recall@10", "top-3")
LEAST = {Fold.TUNING: 0.66, Fold.HELD_OUT: 0.63}
"""What the mean nDCG@10 of the sets must reach with MEANING_SHARE."""

MOST_LOSS = 0.002
"""By which packing may move a cosine."""

_BESIDE = {"scope", "tags", "sensitivity", "timestamp", "thread_id", "event_kind"}
"""Fields of a record that are no part of the document's value."""

Blended = Mapping[float, Mapping[str, float]]
"""By share of the meaning, the scores of a ranking."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A record as a document."""

    key: str
    scope: str
    texts: Sequence[str]
    vectors: Sequence[Sequence[float]]

    @property
    def passages(self) -> Sequence[bytes]:
        """As stored."""
        return list(map(pack, self.vectors))


def figures(paths: Sequence[Path] = OWN) -> Iterator[Figure]:
    """The scores of each fold and set, and the loss of packing."""
    encoder = SentenceEncoder()
    losses: list[float] = []
    for fold in FOLDS:
        found: dict[str, Blended] = {}
        for path in paths:
            asked = read_set(path, fold)
            documents = [_shelved(each, encoder) for each in asked.records]
            answered = [query for query in asked.queries if query.expected]
            rankings = [_ranked(query, documents, encoder, losses) for query in answered]
            found[asked.name] = {
                share: mean([each[share] for each in rankings]) for share in SHARES
            }
        yield from _of_fold(fold, found)
    yield Figure("packing moves a cosine by at most", max(losses), "", limit=MOST_LOSS)


def _of_fold(fold: Fold, found: Mapping[str, Blended]) -> Iterator[Figure]:
    for share in SHARES:
        for name in SHOWN:
            value = fmean(each[share][name] for each in found.values())
            parts = {each: round(by_share[share][name], 4) for each, by_share in found.items()}
            is_bound = share == MEANING_SHARE and name == "nDCG@10"
            least = LEAST[fold] if is_bound else None
            label = f"{fold}, {share} meaning, {name}"
            yield Figure(label, value, "share", parts=parts, least=least)


def _shelved(given: Given, encoder: SentenceEncoder) -> Shelved:
    value = {name: field for name, field in given.fields.items() if name not in _BESIDE}
    texts = texts_of(value, (WHOLE,))
    return Shelved(given.key, given.fields.get("scope", ""), texts, encoder.embed(texts))


def _ranked(
    query: Query, documents: Sequence[Shelved], encoder: SentenceEncoder, losses: list[float]
) -> Blended:
    """The scores of the ranking for each share; adds what packing moves to `losses`."""
    scopes = query.fields.get("trust", {}).get("scopes")
    examined = [each for each in documents if scopes is None or each.scope in {*scopes, ""}]
    (vector,) = encoder.embed([query.text])
    meanings = best_cosines(vector, [each.passages for each in examined])
    losses += [
        abs(meaning - max(_cosine(vector, own) for own in each.vectors))
        for meaning, each in zip(meanings, examined, strict=True)
        if meaning is not None
    ]
    stems = query_stems(query.text)
    words = word_shares(stems, [found_stems(stems, each.texts) for each in examined])
    found = {}
    for share in SHARES:
        blended = [_blended(share, *parts) for parts in zip(meanings, words, strict=True)]
        order = sorted(range(len(examined)), key=lambda place: -blended[place])
        ranking = [examined[place].key for place in order]
        found[share] = scores(ranking, query.expected, query.k)
    return found


def _blended(share: float, meaning: float | None, words: float | None) -> float:
    if share == MEANING_SHARE:
        return score(meaning, words)
    return share * max(0.0, meaning or 0.0) + (1.0 - share) * (words or 0.0)


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Of vectors of length 1."""
    return fsum(a * b for a, b in zip(first, second, strict=True))


if __name__ == "__main__":
    raise SystemExit(shown(figures()))
