"""The verdict on an evaluation: which pairs of facts the service and the baseline got wrong."""

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.eval.facts import PAIRS, Pair

LIMIT = 3
"""The records that every question asks for."""

Complaints = defaultdict[Pair, list[str]]


def _no_complaints() -> Complaints:
    return defaultdict(list)


@dataclass(slots=True)
class Verdict:
    """What went wrong in an evaluation, by pair; a pair without complaint is right."""

    name: str
    ours: Complaints = field(default_factory=_no_complaints)
    """The complaints about the service."""
    plain: Complaints = field(default_factory=_no_complaints)
    """The complaints about the baseline."""
    figures: dict[str, float] = field(default_factory=dict)
    refusal: str = ""
    """The error that ended the evaluation early; empty where none did."""

    @property
    def passed(self) -> bool:
        return not self.ours and not self.refusal

    @property
    def line(self) -> str:
        """Verdict and figures in one line."""
        verdict, of = "pass" if self.passed else "FAIL", f"of {len(PAIRS)}"
        right = [len(PAIRS) - len(each) for each in (self.ours, self.plain)]
        ours, plain = (0, 0) if self.refusal else right
        figures = "".join(f"; {name}: {value:.3g}" for name, value in self.figures.items())
        return f"{self.name:13} {verdict} {ours:3} {of}; plain top-{LIMIT} {plain:2} {of}{figures}"


def shown(verdicts: Iterable[Verdict]) -> int:
    """Print each verdict as it is found, and the complaints; 1 if an evaluation failed, else 0."""
    passed = []
    for verdict in verdicts:
        print(verdict.line, flush=True)
        for pair, complaints in verdict.ours.items():
            print(f"  {pair.question} {'; '.join(complaints)}", file=sys.stderr)
        if verdict.refusal:
            print(f"  ended by: {verdict.refusal}", file=sys.stderr)
        passed.append(verdict.passed)
    print(f"{sum(passed)} of {len(passed)} lifecycle evaluations pass")
    return 0 if all(passed) else 1
