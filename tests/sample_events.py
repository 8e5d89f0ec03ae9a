"""The events of tests/events: `<folder of the function>_<where it comes from>.json`."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from membrane_local.template import Function, read_template

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "tests" / "events"
FIRST, LAST = ("records_ingest",), ("records_delete",)
NEEDED_BY = {"ingest_outcome": "ingest_event_bus"}
"""What must have happened before a function's events make sense, by the function's folder."""


@dataclass(frozen=True, slots=True)
class SampleEvent:
    """One event, and the function that it is for."""

    name: str
    function: Function

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.json"

    @property
    def content(self) -> dict[str, Any]:
        return dict(json.loads(self.path.read_text("utf-8")))


def sample_object() -> tuple[str, bytes]:
    """Key and content of the object that the import's event speaks of."""
    event = sample_event("import_lines_bus")
    return event.content["detail"]["object"]["key"], event.path.with_suffix(".ndjson").read_bytes()


def sample_event(name: str) -> SampleEvent:
    """The event of that name; raises LookupError where it is for no function."""
    fitting = [each for each in deployed_functions() if name.startswith(f"{each.folder.name}_")]
    if not fitting:
        raise LookupError(f"{name} begins with no function's folder")
    return SampleEvent(name, max(fitting, key=lambda each: len(each.folder.name)))


def sample_events() -> list[SampleEvent]:
    """All of them, in an order in which each finds what it asks for."""
    names = sorted(path.stem for path in FOLDER.glob("*.json"))
    ordered = sorted(names, key=lambda name: (name in LAST) - (name in FIRST))
    return [sample_event(name) for name in ordered]


def events_for(function: Function) -> list[SampleEvent]:
    """The events of one function, in order."""
    return [each for each in sample_events() if each.function == function]


@cache
def deployed_functions() -> tuple[Function, ...]:
    """The functions of the template; direct invocation is open, as the bus is."""
    defaults = read_template(PROJECT / "template.yaml").parameters
    return read_template(
        PROJECT / "template.yaml", {"DirectPrincipal": defaults["BusPrincipal"]}
    ).functions
