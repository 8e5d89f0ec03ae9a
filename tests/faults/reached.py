"""Notes which mutants' functions and lines each test runs, and how long the test takes.

A plugin of pytest, `-p tests.faults.reached`; each process writes a file of the folder that
`REACHED` names.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from types import CodeType
from typing import Any

import pytest

from tests.faults.mutants import every_mutant

REACHED = "REACHED"
LAYER = "/layers/membrane/"
MONITORING: Any = vars(sys)["monitoring"]  # since Python 3.12
TOOL, EVENTS = MONITORING.PROFILER_ID, MONITORING.events

TESTS: dict[str, Any] = {}
SEEN: set[str] = set()
PLACES = {place for each in every_mutant() for place in each.places}


def note_line(code: CodeType, line: int) -> Any:
    """Note the line and the function, once a test."""
    if LAYER in code.co_filename:
        path = f"layers/membrane/{code.co_filename.partition(LAYER)[2]}"
        SEEN.update({f"{path}:{line}", f"{path}:{code.co_firstlineno}()"} & PLACES)
    return MONITORING.DISABLE


def pytest_sessionstart() -> None:
    """Begin to watch."""
    MONITORING.use_tool_id(TOOL, "reached")
    MONITORING.register_callback(TOOL, EVENTS.LINE, note_line)
    MONITORING.set_events(TOOL, EVENTS.LINE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Keep the places of a test and its fixtures."""
    SEEN.clear()
    MONITORING.restart_events()
    began = monotonic()
    done = yield
    TESTS[item.nodeid] = {"seconds": monotonic() - began, "places": sorted(SEEN)}
    return done


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    MONITORING.set_events(TOOL, 0)
    if TESTS:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        (Path(os.environ[REACHED]) / f"{worker}.json").write_text(json.dumps(TESTS))
