"""How well Retrieve finds what answers a question, and how fast, by embedder.

python -m tests.bench.retrieval [SET.json ...]
    [--embedder encoder|bedrock] [--model M] [--dimensions N] [--store memory|dynoxide]
    [--fold tuning|held-out|all] [--ablate]

Without a set its own ones are asked. A set is `{"records": [{"key", "rpc", ...fields}], "queries":
[{"text", "expected": [keys], "k", ...fields of the request}]}`; see tests/bench/sets.

`expected` is empty where no record answers a question. `unanswerable` counts these questions, `left
out` is the share of them that got no record, `returned` the mean number of records for one of them.
All other scores are means over the answerable questions. Of the questions in a file the first is in
the fold `tuning`, the second in `held-out`, and so on by turns.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import median

from membrane.domain.search.score import Weights
from membrane.wiring.environment import EmbedderKind, SettingError
from membrane.wiring.settings import SearchSettings, read_settings
from tests.bench.figures import Figure
from tests.bench.library import DYNOXIDE, MEMORY, Desk, library
from tests.bench.question_sets import (
    AGENT_MEMORY,
    CONVERSATIONS,
    OTHER_LANGUAGES,
    OWN,
    SHORT_FACTS,
    Fold,
    QuestionSet,
    UnusableSet,
    read_set,
)
from tests.bench.scores import RETURNED, mean, restraint, scores

SLOWEST = 0.95
LEAST: Mapping[str, Mapping[str, float]] = {
    AGENT_MEMORY.stem: {"recall@10": 0.855},
    CONVERSATIONS.stem: {"recall@10": 0.631},
    SHORT_FACTS.stem: {"top-3": 0.9},
}
"""What the encoder must reach, by set and score."""

NOTHING = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What asking all questions of a set showed."""

    name: Mapping[str, str]
    """Of the set and embedder; where there is one, of the fold and the part left out."""
    queries: int
    scores: Mapping[str, float]
    """Means over the questions that a record answers."""
    unanswerable: int
    restraint: Mapping[str, float]
    """Means over the questions that no record answers; empty where there is no such question."""
    p50_ms: float
    p95_ms: float

    @property
    def means(self) -> Mapping[str, float]:
        """Over both kinds of questions, by the name of the score."""
        return {**self.scores, **self.restraint}

    def line(self) -> str:
        """As JSON."""
        rounded = {name: round(value, 4) for name, value in self.means.items()}
        counts = {"queries": self.queries, "unanswerable": self.unanswerable}
        times = {"p50_ms": round(self.p50_ms, 1), "p95_ms": round(self.p95_ms, 1)}
        return json.dumps({**self.name, **counts, **rounded, **times})


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is asked, and how."""

    sets: Sequence[QuestionSet]
    store: str
    search: SearchSettings
    ablate: bool = False


def outcomes(chosen: Chosen) -> Iterator[Outcome]:
    """Of each set; to ablate, with each part of the score left out in turn as well."""
    parts = [NOTHING, *(each.name for each in fields(Weights))] if chosen.ablate else [NOTHING]
    for asked in chosen.sets:
        with library(asked, chosen.store, chosen.search) as shelves:
            for part in parts:
                desk = shelves.asking(without(part, chosen.search.weights))
                name = {"set": asked.name, "embedder": shelves.embedder}
                fold = {} if asked.fold is Fold.ALL else {"fold": str(asked.fold)}
                ablated = {"without": part} if part else {}
                yield _outcome(name | fold | ablated, asked, desk)


def without(part: str, weights: Weights) -> Weights:
    """The weights with that part's at 0."""
    return replace(weights, **{part: 0.0}) if part else weights


def _outcome(name: Mapping[str, str], asked: QuestionSet, desk: Desk) -> Outcome:
    answers = [desk.answer(query) for query in asked.queries]
    pairs = list(zip(asked.queries, answers, strict=True))
    found = [scores(got.keys, query.expected, query.k) for query, got in pairs if query.expected]
    needless = [restraint(got.keys) for query, got in pairs if not query.expected]
    taken_ms = sorted(answer.taken_ms for answer in answers)
    slowest_ms = taken_ms[int(SLOWEST * (len(taken_ms) - 1))]
    means = (mean(found), len(needless), mean(needless))
    return Outcome(name, len(answers), *means, median(taken_ms), slowest_ms)


def figures(paths: Sequence[Path] = (*OWN, OTHER_LANGUAGES)) -> Iterator[Figure]:
    """Of the encoder."""
    search = settings_of(EmbedderKind.ENCODER)
    chosen = Chosen([read_set(path) for path in paths], MEMORY, search)
    for outcome in outcomes(chosen):
        name = " ".join(outcome.name.values())
        least = LEAST.get(outcome.name["set"], {})
        for score, value in outcome.means.items():
            unit = "records" if score == RETURNED else "share"
            yield Figure(f"{name}, {score}", value, unit, least=least.get(score))
        yield Figure(f"{name}, median", outcome.p50_ms, "ms")
        yield Figure(f"{name}, 95 of 100 within", outcome.p95_ms, "ms")


def main(arguments: Sequence[str]) -> int:
    """Print a line for each outcome."""
    try:
        chosen = _chosen(arguments)
        for asked in chosen.sets:
            for complaint in asked.complaints:
                print(f"bench: {complaint}", file=sys.stderr)
        for outcome in outcomes(chosen):
            print(outcome.line(), flush=True)
    except (SettingError, UnusableSet) as error:
        raise SystemExit(f"bench: {error}") from error
    return 0


def _chosen(arguments: Sequence[str]) -> Chosen:
    """Raises SettingError and UnusableSet."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    embedder = EmbedderKind(asked.embedder)
    if embedder is not EmbedderKind.BEDROCK:
        import tests.conftest  # noqa: F401, PLC0415 - as in every test, no account can be touched
    search = settings_of(embedder, asked.model, asked.dimensions)
    sets = [read_set(path, Fold(asked.fold)) for path in asked.sets or OWN]
    return Chosen(sets, asked.store, search, asked.ablate)


def settings_of(embedder: EmbedderKind, model: str = "", dimensions: str = "") -> SearchSettings:
    """As a deployment reads them; what is empty is as usual."""
    given = {
        "MEMBRANE_EMBEDDER": str(embedder),
        "MEMBRANE_EMBEDDING_MODEL": model,
        "MEMBRANE_EMBEDDING_DIMENSIONS": dimensions,
    }
    found: SearchSettings = read_settings("search", given)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval")
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET.json")
    parser.add_argument("--embedder", choices=list(EmbedderKind), default=EmbedderKind.ENCODER)
    parser.add_argument("--model", default="")
    parser.add_argument("--dimensions", default="")
    parser.add_argument("--store", choices=(MEMORY, DYNOXIDE), default=MEMORY)
    parser.add_argument("--fold", choices=list(Fold), default=Fold.ALL)
    parser.add_argument("--ablate", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
