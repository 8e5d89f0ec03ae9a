"""A bucket, a store and the function that imports; runs can be killed or interrupted."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.domain.access.principals import SourcePrincipals, principal_of
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.stored import StoredRecord
from membrane.wiring.world import World
from tests.fakes.bucket import FakeImports
from tests.fakes.chat_models import Later, Reports
from tests.fakes.clock import BackOff, FakeClock, StandIn
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords

KEY = "imports/all.ndjson"


IMPORTING = "arn:aws:lambda:us-east-1:123456789012:function:importing:live"


RESULT = "import-results/all.ndjson.json"


IMPORTER = principal_of("import", ["ingest"], ["events"], "low")


Event = dict[str, Any]


@dataclass(slots=True)
class Context:
    """Of a function that has so much time at each look, and in the end for ever."""

    remaining_ms: list[int] = field(default_factory=list)
    aws_request_id: str = "request"
    invoked_function_arn: str = IMPORTING

    def get_remaining_time_in_millis(self) -> int:
        return self.remaining_ms.pop(0) if self.remaining_ms else 900_000


@dataclass(slots=True)
class Scene:
    """A bucket, a store and the function between them."""

    imports: FakeImports = field(default_factory=FakeImports)
    clock: FakeClock = field(default_factory=FakeClock)
    back_off: BackOff = field(default_factory=BackOff)
    later: Later = field(default_factory=Later)
    reports: Reports = field(default_factory=Reports)
    records: TableRecords = field(init=False)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        self.records = TableRecords(self.clock)
        self.services = make_world(
            records=self.records,
            imports=self.imports,
            now=self.clock,
            back_off=self.back_off,
            invoke_later=self.later,
            report=self.reports,
            sources=SourcePrincipals(imports=IMPORTER),
        )

    def put(self, content: bytes, key: str = KEY) -> Event:
        """Put the object, and give the event that tells of it."""
        sequencer = self.imports.put(key, content)
        found = self.imports.find(key)
        assert found is not None
        put = {"key": key, "etag": found.etag, "sequencer": sequencer}
        return {"time": rfc3339(self.clock()), "detail": {"object": put}}

    def run(self, event: Event, context: Context | None = None) -> dict[str, Any]:
        return import_object(event, context or Context(), self.services)

    def imported(self, *lines: Any) -> dict[str, Any]:
        """The result of an object of these lines."""
        self.run(self.put(text(*lines)))
        return self.result()

    def result(self) -> dict[str, Any]:
        return dict(json.loads(self.imports.kept[RESULT]))

    def refusals(self) -> list[dict[str, Any]]:
        """Every refused line, from the parts and from the result."""
        result = self.result()
        parts = [
            line
            for name in result["refused_parts"]
            for line in self.imports.kept[name].splitlines()
        ]
        return [*map(json.loads, parts), *result["refusals"]]

    def stored(self) -> Mapping[str, StoredRecord]:
        return {
            name: place
            for name, place in self.records.places.items()
            if isinstance(place, StoredRecord)
        }

    def summaries(self) -> list[str]:
        """What the events that were recorded say."""
        return sorted(
            str(entry.summary)
            for stored in self.stored().values()
            for entry in getattr(stored.record.payload, "timeline", ())
        )


def text(*lines: Any) -> bytes:
    """NDJSON of objects, and of texts as they are."""
    printed = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return "".join(f"{line}\n" for line in printed).encode()


def event(number: int, **fields: Any) -> dict[str, Any]:
    report = {"source": "ci", "event_kind": "build", "ref": f"build:{number}"}
    return {"rpc": "IngestEvent", **report, "summary": f"event {number}", **fields}


def outcome(target: str, source: str = "judge") -> dict[str, Any]:
    return {
        "rpc": "IngestOutcome",
        "source": source,
        "target_record_id": target,
        "outcome_status": "success",
    }


def skill(**fields: Any) -> dict[str, Any]:
    record = {
        "type": "competence",
        "sensitivity": "low",
        "payload": {"kind": "competence", "skill_name": "deploy", "triggers": [], "recipe": []},
    }
    return {"rpc": "IngestRecord", "record": {**record, **fields}}


def episode(record_id: str) -> dict[str, Any]:
    happened = {"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1", "summary": "one"}
    return {
        "rpc": "IngestRecord",
        "record": {
            "id": record_id,
            "type": "episodic",
            "sensitivity": "low",
            "payload": {"kind": "episodic", "timeline": [happened]},
        },
    }


class KilledError(BaseException):
    """The process is gone: nothing may catch it."""


@dataclass(slots=True)
class Fuse:
    """Kills at the call of that number."""

    number: int
    burnt: bool = False
    calls: Iterator[int] = field(default_factory=lambda: count(1))

    def burn(self) -> None:
        if next(self.calls) == self.number:
            self.burnt = True
            raise KilledError


@dataclass(frozen=True, slots=True)
class Mortal(StandIn):
    """A store whose process is killed at one of its calls, before or after it is carried out."""

    store: Any
    fuse: Fuse
    after: bool

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if not self.after:
                self.fuse.burn()
            given = getattr(self.store, name)(*arguments, **named)
            if self.after:
                self.fuse.burn()
            return given

        return call


def with_store(world: Scene, name: str, store: Any) -> World:
    """The world's services with another store of that name."""
    changes: Any = {name: store}
    return world.services.but(**changes)


def kill_at(call: int, world: Scene, put: Event) -> None:
    """A run ends at its call of that number to the records."""
    mortal = Mortal(world.records, Fuse(call), after=False)
    with pytest.raises(KilledError):
        import_object(put, Context(), with_store(world, "records", mortal))


@dataclass(frozen=True, slots=True)
class Interrupting(StandIn):
    """A store that lets something happen just before its call of that number."""

    store: Any
    fuse: Fuse
    happens: Callable[[], object]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            try:
                self.fuse.burn()
            except KilledError:
                self.happens()
            return getattr(self.store, name)(*arguments, **named)

        return call
