"""The scenario over the stack of a source folder."""

import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.compare import scenario
from tests.compare.sides import Side, Step, run_stack


@dataclass(frozen=True, slots=True)
class Run:
    steps: Sequence[Step]
    failure: str = ""
    """What ended the run before its end."""


def run(sources: Path, ask: Callable[[Side], None] = scenario.run) -> Run:
    """All steps of the scenario; where a reply lacks what a later request needs, those before."""
    with tempfile.TemporaryDirectory() as folder, run_stack(sources, Path(folder)) as side:
        try:
            ask(side)
        except (AssertionError, LookupError, OSError, TypeError):
            return Run(side.steps, f"{sources}: {traceback.format_exc(limit=-4)}")
        return Run(side.steps)
