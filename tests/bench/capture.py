"""How well captures find mentions, links and facts, and graph retrieval evidence over two links.

python -m tests.bench.capture [SET.json] [--fold tuning|held-out|all]
    [--max-hops N] [--root-limit N] [--weights JSON] [--explain]

The local stack takes the captures of the set in the order of time, through its routes, and then
answers the questions. A figure of questions is the share of questions with all evidence among the
first ten of the answer: `graph` from POST /v1/retrieve/graph, `plain` from POST /v1/retrieve.
`--explain` writes what is missing and what is needless to standard error.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from membrane_local.dev_options import DevOptions
from tests.bench.capture_desk import Desk, LocalDesk, Refused
from tests.bench.capture_scores import Reader
from tests.bench.capture_sets import FORTNIGHT, CaptureSet, LinkedQuestion, read_capture_set
from tests.bench.figures import Figure, shown
from tests.bench.question_sets import Fold, UnusableSet
from tests.bench.tallies import Findings, Tally
from tests.worlds.api import api_over
from tests.worlds.tuning import tuned

LEAST: Mapping[str, float] = {
    **{f"{kind}, precision": 0.95 for kind in Findings._fields},
    **{f"{kind}, recall": 0.8 for kind in Findings._fields},
    "two links, graph": 0.8,
}
"""What the whole set must reach without a model."""

MAX_HOPS = 2
"""From a capture to an entity, and from the entity to the other capture."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How the questions are asked."""

    graph: Mapping[str, Any] = field(default_factory=lambda: {"max_hops": MAX_HOPS})
    """Fields of the graph request beside the question and the trust context."""
    weights: str = ""
    """A JSON object of weights by name; empty = the weights of a deployment."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings in all captures of the fold, and the questions answered, by kind and way."""

    findings: Findings
    answered: Mapping[str, Tally]

    @property
    def scores(self) -> Mapping[str, float]:
        """Every score by name."""
        found = self.findings._asdict().items()
        return {
            **{f"{kind}, precision": tally.precision for kind, tally in found},
            **{f"{kind}, recall": tally.recall for kind, tally in found},
            **{name: tally.recall for name, tally in self.answered.items()},
        }

    def explanation(self) -> Iterator[str]:
        """A line for each finding and each answer that is missing or needless."""
        for name, tally in {**self.findings._asdict(), **self.answered}.items():
            yield from (f"{name}, missing: {each}" for each in tally.missing)
            yield from (f"{name}, needless: {each}" for each in tally.needless)


def figures(path: Path = FORTNIGHT) -> Iterator[Figure]:
    """Of the whole set, as a deployment is set up."""
    asked = read_capture_set(path)
    yield from figures_of(asked, local_outcome(asked, Asking()))


def local_outcome(asked: CaptureSet, asking: Asking) -> Outcome:
    """On a new local stack."""
    parameters = tuned({"RankingWeights": asking.weights} if asking.weights else {})
    with api_over(DevOptions(parameters=parameters)) as api:
        return outcome_of(asked, LocalDesk(api, asked), asking)


def figures_of(asked: CaptureSet, outcome: Outcome) -> Iterator[Figure]:
    """Limits are those of the whole set; a fold has none."""
    whole = asked.fold is Fold.ALL
    name = asked.name if whole else f"{asked.name} {asked.fold}"
    for score, value in outcome.scores.items():
        yield Figure(f"{name}, {score}", value, "share", least=LEAST.get(score) if whole else None)


def outcome_of(asked: CaptureSet, desk: Desk, asking: Asking) -> Outcome:
    """Raises Refused."""
    reader = Reader({each["key"]: desk.add_entity(each) for each in asked.entities})
    judged = {capture.key for capture in asked.judged}
    total = Findings()
    for capture in asked.captures:
        findings = reader.read(capture, desk.capture(capture, reader.captures))
        total = total.plus(findings) if capture.key in judged else total
    desk.wait()
    kinds = {"two links": asked.two_links, "one link": asked.one_link}
    answered: dict[str, Tally] = {}
    for kind, questions in kinds.items():
        graph = [desk.graph_answer(each, asking.graph) for each in questions]
        plain = [desk.plain_answer(each) for each in questions]
        answered[f"{kind}, graph"] = questions_answered(reader, questions, graph)
        answered[f"{kind}, plain"] = questions_answered(reader, questions, plain)
    return Outcome(total, answered)


def questions_answered(
    reader: Reader, questions: Sequence[LinkedQuestion], answers: Sequence[Sequence[str]]
) -> Tally:
    """A question is missing where evidence is absent from the first ten of the answer."""
    missing = [
        f"{asked.text} ({', '.join(lacking)})"
        for asked, answer in zip(questions, answers, strict=True)
        if (lacking := reader.absent(asked.evidence, answer))
    ]
    return Tally(len(questions), missing)


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 1 where one misses its limit."""
    given = _parser().parse_args(arguments)
    roots = {} if given.root_limit is None else {"root_limit": given.root_limit}
    asking = Asking({"max_hops": given.max_hops, **roots}, given.weights)
    try:
        asked = read_capture_set(given.path, Fold(given.fold))
        outcome = local_outcome(asked, asking)
    except (Refused, UnusableSet) as error:
        raise SystemExit(f"bench: {error}") from error
    for line in outcome.explanation() if given.explain else ():
        print(line, file=sys.stderr)
    return shown(figures_of(asked, outcome))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.capture")
    parser.add_argument("path", nargs="?", type=Path, default=FORTNIGHT, metavar="SET.json")
    parser.add_argument("--fold", choices=list(Fold), default=Fold.ALL)
    parser.add_argument("--max-hops", type=int, default=MAX_HOPS)
    parser.add_argument("--root-limit", type=int)
    parser.add_argument("--weights", default="")
    parser.add_argument("--explain", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
