"""An object that was put is imported line by line, exactly once, whatever happens meanwhile."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events import imports
from membrane.adapters.aws_lambda.events.imports import HOP, MAX_HOPS, RESERVE_MS, import_object
from membrane.domain.access.trust import principal_of
from membrane.domain.language.errors import (
    Aborted,
    DomainError,
    InvalidArgument,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.idempotency import MAX_OPERATIONS, keyed_id
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.imports import import_lines
from membrane.usecases.imports import progress as import_progress
from membrane.usecases.imports import windows as import_windows
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.import_lines import MAX_TRIES_TO_BEGIN
from membrane.usecases.imports.work import MAX_TRIES
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services, SourcePrincipals
from tests.fakes.bucket import FakeImports
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.operators import Later, Reports
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services

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
class World:
    """A bucket, a store and the function between them."""

    imports: FakeImports = field(default_factory=FakeImports)
    clock: FakeClock = field(default_factory=FakeClock)
    back_off: BackOff = field(default_factory=BackOff)
    later: Later = field(default_factory=Later)
    reports: Reports = field(default_factory=Reports)
    records: FakeRecords = field(init=False)
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        self.records = FakeRecords(self.clock)
        self.services = make_services(
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


@pytest.fixture
def world() -> World:
    """Nothing is there yet."""
    return World()


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


# --- What a line becomes ------------------------------------------------------------------------


def test_every_line_becomes_what_it_reports_as_the_import_principals(world: World) -> None:
    state = {"rpc": "IngestWorkingState", "source": "a", "thread_id": "t", "state": "planning"}
    fact = {"rpc": "IngestObservation", "source": "a", "subject": "user", "predicate": "likes"}
    tool = {"rpc": "IngestToolOutput", "source": "a", "tool_name": "grep"}

    result = world.imported(event(1), state, {**fact, "object": "tea"}, tool, skill())

    assert (result["status"], result["lines"], result["created"]) == ("done", 5, 5)
    types = sorted(str(stored.record.type) for stored in world.stored().values())
    assert types == ["competence", "episodic", "episodic", "semantic", "working"]
    for stored in world.stored().values():
        assert stored.record.scope == "events"
        assert stored.record.audit_log[0].principal == "import"


def test_each_line_is_reported_as_any_request_is(world: World) -> None:
    world.imported(event(1), {"rpc": "IngestEvent"}, skill())

    assert sorted(world.reports.told) == [
        ("IngestEvent", "INVALID_ARGUMENT"),
        ("IngestEvent", "OK"),
        ("IngestRecord", "OK"),
    ]


def test_the_same_object_put_again_makes_nothing_new(world: World) -> None:
    world.imported(event(1), event(2))
    before = world.stored()

    again = world.imported(event(1), event(2))

    assert world.stored() == before
    assert (again["created"], again["replayed"]) == (0, 2)


def test_the_same_line_twice_in_an_object_is_two_reports(world: World) -> None:
    result = world.imported(event(1), event(1))

    assert result["created"] == 2


def test_a_lines_own_key_wins(world: World) -> None:
    result = world.imported(event(1, idempotency_key="k"), event(1, idempotency_key="k"))

    assert (result["created"], result["replayed"]) == (1, 1)
    assert list(world.stored()) == [keyed_id("import", "IngestEvent", "k")]


def test_nothing_in_a_line_widens_what_imports_may_do(world: World) -> None:
    lines = [event(1, scope="project:alpha"), event(2, sensitivity="medium")]

    result = world.imported(*lines, event(3))

    assert (result["created"], result["refused"]) == (1, 2)
    assert {refusal["code"] for refusal in result["refusals"]} == {"PERMISSION_DENIED"}


# --- Order --------------------------------------------------------------------------------------


def test_an_outcome_finds_the_record_that_a_line_before_it_makes(world: World) -> None:
    made = keyed_id("import", "IngestEvent", "k")

    result = world.imported(
        episode("e-1"), outcome("e-1"), event(1, idempotency_key="k"), outcome(made)
    )

    assert result["created"] == 4
    assert {stored.record.payload.outcome for stored in world.stored().values()} == {"success"}  # type: ignore[union-attr]  # both are episodes


def test_outcomes_of_one_record_keep_their_order(world: World) -> None:
    judges = [f"judge {number}" for number in range(20)]

    world.imported(episode("e-1"), *(outcome("e-1", judge) for judge in judges))

    entries = world.stored()["e-1"].record.audit_log[1:]
    assert [judge for judge in judges for entry in entries if entry.actor == judge] == judges


def test_a_record_can_point_at_one_that_a_line_before_it_makes(world: World) -> None:
    related = skill(id="b", relations=[{"predicate": "after", "target_id": "a"}])

    result = world.imported(skill(id="a"), related)

    assert (result["created"], result["refusals"]) == (2, [])


def test_of_two_records_with_one_id_the_first_line_wins(world: World) -> None:
    result = world.imported(skill(id="a", tags=["first"]), skill(id="a", tags=["second"]))

    assert world.stored()["a"].record.tags == ("first",)
    assert [refusal["line"] for refusal in result["refusals"]] == [2]


# --- Lines that are refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not JSON", "malformed JSON"),
        ("[1]", "must be a JSON object"),
        ('{"a": 1e999}', "out of range"),
        ('{"rpc": "Fly"}', "rpc must be one of: IngestEvent, "),
        ('{"rpc": ["IngestEvent"]}', "rpc must be one of"),
        ('{"rpc": "DeleteRecord", "id": "a"}', "rpc must be one of"),
        ('{"rpc": "IngestEvent", "rpc": "IngestEvent"}', "same key twice"),
        ('{"rpc": "IngestEvent", "source": "ci"}', "event kind is required"),
        ('{"rpc": "IngestToolOutput", "result": ' + "[" * 70 + "]" * 70 + "}", "nested deeper"),
        ('{"rpc": "IngestRecord"}', "record"),
        (json.dumps(outcome("nobody")), "record not found"),
        (json.dumps(event(1, idempotency_key="")), "idempotency_key"),
    ],
)
def test_a_refused_line_is_named_with_its_code_and_reason_and_stops_no_other(
    world: World, line: str, reason: str
) -> None:
    result = world.imported(event(1), line, event(2))

    (refusal,) = result["refusals"]
    assert (refusal["line"], result["created"], result["status"]) == (2, 2, "done")
    assert refusal["code"] in ("INVALID_ARGUMENT", "NOT_FOUND")
    assert reason in refusal["reason"]


SAMPLES = (
    event(1, tags=["t"]),
    outcome("e-1"),
    skill(tags=["t"], relations=[{"predicate": "after", "target_id": "a"}]),
    {
        "rpc": "IngestToolOutput",
        "source": "a",
        "tool_name": "grep",
        "args": {"a": 1},
        "depends_on": ["b"],
    },
    {"rpc": "IngestWorkingState", "source": "a", "thread_id": "t", "state": "planning"},
    {
        "rpc": "IngestRecord",
        "record": {
            "type": "episodic",
            "sensitivity": "low",
            "lifecycle": {"decay": {"curve": "linear", "half_life_seconds": 60}},
            "provenance": {"sources": [{"kind": "event", "ref": "r"}]},
            "payload": {
                "kind": "episodic",
                "timeline": [{"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}],
                "environment": {"os": "linux", "tool_versions": {"make": "1"}},
            },
        },
    },
)
SECRET = "s3cret"


def spoilt(value: Any) -> Iterator[Any]:
    """The value with a secret in each of its places, as a value and as a name."""
    yield from (SECRET, [SECRET], {SECRET: SECRET}, {SECRET: 1})
    if isinstance(value, dict):
        yield {**value, SECRET: 1}
        yield from ({**value, name: each} for name in value for each in spoilt(value[name]))
    if isinstance(value, list):
        yield from ([*value, each] for inner in value for each in spoilt(inner))


def test_a_refusal_never_repeats_what_the_line_holds(world: World) -> None:
    lines = [each for sample in SAMPLES for each in spoilt(sample)]

    result = world.imported(skill(id=SECRET), outcome(SECRET), '"s3cret', *lines)

    assert result["refused"] > 100
    assert "ingestion: target record is not episodic" in [
        refusal["reason"] for refusal in world.refusals()
    ]
    assert SECRET not in json.dumps([result, world.refusals()])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (event(1, s3cret=1), "the request has an unknown field"),
        (skill(s3cret=1), "record has an unknown field"),
        (
            skill(relations=[{"predicate": "after", "target_id": "a", "s3cret": 1}]),
            "record.relations.0 has an unknown field",
        ),
        (event(1, source=1), "source must be a string"),
        (
            skill(payload={"kind": "competence", "skill_name": 1}),
            "validation error for payload.skill_name: payload.skill_name must be a string",
        ),
    ],
)
def test_a_reason_says_where_an_unknown_field_is(
    world: World, line: dict[str, Any], reason: str
) -> None:
    result = world.imported(line)

    assert [refusal["reason"] for refusal in result["refusals"]] == [reason]


def test_a_line_over_the_limit_of_a_request_is_refused_unread(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "MAX_LINE_BYTES", 200)

    result = world.imported(event(1), event(2, summary="x" * 500), event(3))

    assert result["created"] == 2
    assert [refusal["line"] for refusal in result["refusals"]] == [2]
    assert "longer than 200 bytes" in result["refusals"][0]["reason"]


def test_many_refusals_move_into_numbered_parts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 10)
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 7)

    result = world.imported(*["no"] * 35)

    parts, rest = result["refused_parts"], result["refusals"]
    assert (result["refused"], len(parts), len(rest)) == (35, 3, 5)
    assert [refusal["line"] for refusal in world.refusals()] == list(range(1, 36))


# --- Texts of every form ------------------------------------------------------------------------


def test_blank_lines_crlf_a_mark_and_a_missing_end_are_no_obstacle(world: World) -> None:
    content = b"\xef\xbb\xbf" + b"\r\n \r\n".join(text(event(n)).strip() for n in (1, 2, 3))

    world.run(world.put(content))

    result = world.result()
    assert (result["status"], result["lines"], result["blank"]) == ("done", 5, 2)
    assert (result["created"], result["refused"]) == (3, 0)
    assert result["bytes_done"] == result["bytes_total"] == len(content)


def test_an_empty_object_is_done_at_once(world: World) -> None:
    result = world.imported()

    assert (result["status"], result["lines"], result["bytes_total"]) == ("done", 0, 0)


def test_an_object_is_read_in_pieces_and_never_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 64)

    result = world.imported(*map(event, range(20)))

    assert result["created"] == 20
    assert world.summaries() == sorted(f"event {number}" for number in range(20))


# --- Interrupted --------------------------------------------------------------------------------

MIXED = (
    episode("e-1"),
    event(1),
    "no JSON",
    outcome("e-1", "first"),
    event(2, idempotency_key="k"),
    outcome("e-1", "second"),
    skill(id="s", relations=[{"predicate": "after", "target_id": "e-1"}]),
    {"rpc": "IngestEvent"},
    event(3),
)


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
class Mortal:
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


def with_store(world: World, name: str, store: Any) -> Services:
    """The world's services with another store of that name."""
    changes: Any = {name: store}
    return replace(world.services, **changes)


def kill_at(call: int, world: World, put: Event) -> None:
    """A run ends at its call of that number to the records."""
    mortal = Mortal(world.records, Fuse(call), after=False)
    with pytest.raises(KilledError):
        import_object(put, Context(), with_store(world, "records", mortal))


def essence(world: World) -> dict[str, Any]:
    """What was remembered, but for times and salts."""
    return {
        name: (
            stored.record.payload,
            stored.version,
            sorted((str(entry.action), entry.actor) for entry in stored.record.audit_log),
        )
        for name, stored in world.stored().items()
    }


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("store", ["records", "imports"])
def test_a_run_killed_at_any_call_is_made_up_for_exactly_once(
    store: str,
    after: bool,  # noqa: FBT001 - before the call, or after it
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 2)
    monkeypatch.setattr(import_work, "PIECE_BYTES", 100)
    undisturbed = World()
    undisturbed.imported(*MIXED)

    kills = 0
    for calls in range(1, 200):
        world = World()
        put = world.put(text(*MIXED))
        mortal = Mortal(getattr(world.services, store), Fuse(calls), after)
        try:
            import_object(put, Context(), with_store(world, store, mortal))
        except KilledError:
            kills += 1
            world.run(put)
        assert ids_aside(essence(world)) == ids_aside(essence(undisturbed))
        result = world.result()
        assert (result["status"], result["lines"]) == ("done", len(MIXED))
        assert result["created"] + result["replayed"] == 7
        assert [refusal["line"] for refusal in world.refusals()] == [3, 8]
        if not mortal.fuse.burnt:
            break
    assert kills >= 10


def test_a_run_killed_amid_many_outcomes_of_one_record_is_made_up_for_exactly_once() -> None:
    judges = [f"judge {number}" for number in range(MAX_OPERATIONS + 30)]
    lines = [episode("e-1"), *(outcome("e-1", judge) for judge in judges)]
    checkpoints = 0
    for calls in range(1, 20):
        world = World()
        put = world.put(text(*lines))
        mortal = Mortal(world.imports, Fuse(calls), after=False)
        try:
            import_object(put, Context(), with_store(world, "imports", mortal))
        except KilledError:
            checkpoints += 1
            world.run(put)

        changed_by = [entry.actor for entry in world.stored()["e-1"].record.audit_log[1:]]
        assert sorted(changed_by) == sorted(judges)
        if not mortal.fuse.burnt:
            break
    assert checkpoints > len(judges) // MAX_OPERATIONS


def ids_aside(remembered: dict[str, Any]) -> dict[str, Any]:
    """Without the ids of parts, which are random."""
    return {name: (version, trail) for name, (_, version, trail) in remembered.items()}


def test_a_run_begins_where_the_one_before_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(100))))
    kill_at(55, world, put)
    world.reports.told.clear()

    world.run(put)

    assert world.result()["created"] + world.result()["replayed"] == 100
    assert len(world.reports.told) == 50


def test_the_same_file_sent_again_goes_on_where_an_unfinished_import_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    content = text(*map(event, range(100)))
    kill_at(55, world, world.put(content))
    world.reports.told.clear()

    world.run(world.put(content))

    assert len(world.stored()) == 100
    assert len(world.reports.told) == 50


def test_a_sender_who_says_otherwise_of_the_same_content_makes_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    content = text(*map(event, range(30)))
    kill_at(15, world, world.put(content))

    world.imports.said[KEY] = "d" * 64
    world.run(world.put(content))
    assert len(world.stored()) == 30

    world.run(world.put(content))
    assert world.result()["replayed"] == 30
    assert len(world.stored()) == 30


def test_nothing_is_read_again_of_what_was_put_again_while_it_was_imported(world: World) -> None:
    content = text(event(1), event(2))
    first, second = world.put(content), world.put(content)
    second["detail"]["object"]["sequencer"] += "1"
    first["detail"]["object"]["sequencer"] = second["detail"]["object"]["sequencer"][:-1]
    world.clock.advance(seconds=1)
    world.run(first)
    world.reports.told.clear()

    reply = world.run(second)

    assert (reply["status"], reply["created"], reply["replayed"]) == ("done", 2, 0)
    assert reply["put"] == second["detail"]["object"]["sequencer"]
    assert world.reports.told == []


def test_refused_lines_are_tried_again_also_where_it_was_put_while_it_was_imported(
    world: World,
) -> None:
    content = text(event(1), outcome("e-1"))
    first = world.put(content)
    world.run(first)
    second = world.put(content)
    second["time"] = "2000-01-01T00:00:00Z"
    world.run(world.put(text(episode("e-1")), "imports/other"))

    reply = world.run(second)

    assert (reply["created"], reply["replayed"], reply["refused"]) == (1, 1, 0)


@pytest.mark.parametrize("said", [None, "d" * 64])
def test_other_content_of_the_same_size_is_begun_at_its_start_whatever_its_sender_says(
    world: World, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    if said is not None:
        world.imports.said[KEY] = said
    kill_at(55, world, world.put(text(*map(event, range(100, 200)))))
    assert world.result()["lines"] == 50
    world.reports.told.clear()

    result = world.imported(*map(event, range(200, 300)))

    assert result["created"] + result["refused"] == 100
    assert len(world.reports.told) == 100


@pytest.mark.parametrize("damage", ["status", "updated_at"])
def test_a_damaged_result_is_begun_anew(world: World, damage: str) -> None:
    world.imported(event(0))
    put = world.put(text(event(1), event(2)))
    world.imports.keep(RESULT, json.dumps({**world.result(), damage: "?"}).encode())

    world.run(put)

    assert (world.result()["status"], world.result()["created"]) == ("done", 2)


# --- Out of time --------------------------------------------------------------------------------


def test_a_run_hands_over_before_its_time_is_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(30))))

    reply = world.run(put, Context([900_000] * 15 + [RESERVE_MS - 1] * 15))

    assert (reply["status"], reply["lines"]) == ("running", 10)
    assert world.later.asked == [(IMPORTING, {**put, HOP: 1})]


def test_what_is_handed_over_is_finished(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    world.run(world.put(text(*map(event, range(30)))), Context([900_000] * 15 + [0] * 15))

    ((_, rest),) = world.later.asked
    world.run(rest)

    assert world.result()["status"] == "done"
    assert world.result()["created"] + world.result()["replayed"] == 30
    assert len(world.stored()) == 30


@pytest.mark.parametrize("line", ["no JSON", "", " ", "x" * 500, json.dumps(outcome("nobody"))])
def test_a_run_looks_at_its_time_whatever_the_lines_are(
    world: World, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    monkeypatch.setattr(import_work, "MAX_LINE_BYTES", 400)
    put = world.put(text(*[line] * 3_000))

    reply = world.run(put, Context([900_000] * 15 + [0] * 3_000))

    assert reply["status"] == "running"
    assert 10 <= reply["lines"] <= 150


def test_a_run_looks_at_its_time_while_it_reads_one_line(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 10)
    put = world.put(b"x" * 1_000)

    with pytest.raises(Unavailable):
        world.run(put, Context([900_000] * 5 + [0] * 100))

    assert world.result()["status"] == "failed"


@pytest.mark.parametrize("tries", [1, 2, MAX_TRIES - 1])
def test_a_run_looks_at_its_time_between_the_tries_of_a_line(world: World, tries: int) -> None:
    put = world.put(text(event(1)))
    busy = failing(world, *[ResourceExhausted("busy")] * 10)

    with pytest.raises(Unavailable):
        import_object(put, Context([900_000] * (2 + tries) + [0] * 10), busy)

    assert len(world.back_off.tries) == tries
    assert world.result()["reason"] == "the import takes too long"


def test_a_hand_over_that_fails_is_noted_and_made_up_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(30))))

    def fail(name_or_arn: str, event: Event) -> None:  # noqa: ARG001 - an InvokeLater
        raise ResourceExhausted("throttled")

    with pytest.raises(ResourceExhausted):
        import_object(
            put,
            Context([900_000] * 15 + [0] * 15),
            replace(world.services, invoke_later=fail),
        )

    assert (world.result()["status"], world.result()["reason"]) == ("failed", "throttled")
    world.run(put)
    assert (world.result()["status"], len(world.stored())) == ("done", 30)


def test_handing_over_has_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 10)
    put = {**world.put(text(*map(event, range(30)))), HOP: MAX_HOPS}

    with pytest.raises(Unavailable):
        world.run(put, Context([900_000] * 15 + [0] * 15))

    assert world.later.asked == []
    assert world.result()["status"] == "failed"


def test_a_run_that_gets_nowhere_does_not_start_another(world: World) -> None:
    with pytest.raises(Unavailable):
        world.run(world.put(text(event(1))), Context([0] * 10))

    assert world.later.asked == []
    assert world.result()["status"] == "failed"


# --- Several at once ----------------------------------------------------------------------------


def test_the_event_that_comes_twice_imports_once(world: World) -> None:
    put = world.put(text(event(1), event(2)))
    world.run(put)
    before = world.result()

    world.run(put)

    assert world.result() == before
    assert before["created"] == 2


@dataclass(frozen=True, slots=True)
class Interrupting:
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


@pytest.mark.parametrize("store", ["records", "imports"])
def test_two_runs_of_one_object_at_once_do_it_once(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 2)
    monkeypatch.setattr(import_lines, "WORKERS", 1)  # the fakes are not for several threads
    undisturbed = World()
    undisturbed.imported(*MIXED)

    for calls in range(1, 40):
        world = World()
        put = world.put(text(*MIXED))
        meanwhile = Interrupting(
            getattr(world.services, store),
            Fuse(calls),
            lambda: world.run(put),  # noqa: B023 - called within the loop
        )
        import_object(put, Context(), with_store(world, store, meanwhile))

        assert ids_aside(essence(world)) == ids_aside(essence(undisturbed))
        result = world.result()
        assert (result["status"], result["lines"], result["refused"]) == ("done", len(MIXED), 2)
        assert result["created"] + result["replayed"] == 7


@pytest.mark.parametrize("calls", range(1, 9))
def test_other_content_is_imported_whatever_the_run_before_writes_meanwhile(
    world: World, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 2)
    monkeypatch.setattr(import_lines, "WORKERS", 1)
    before = world.put(text(*map(event, range(6))))
    replies: list[dict[str, Any]] = []

    def replaced() -> None:
        """Another object is put; while its run begins, the run before writes its result."""
        put = world.put(text(*map(event, range(100, 110))))
        imports = Interrupting(world.imports, Fuse(3), checkpoint)
        replies.append(import_object(put, Context(), with_store(world, "imports", imports)))

    def checkpoint() -> None:
        kept = world.imports.result(RESULT)
        if kept is not None:
            world.imports.keep_next(RESULT, kept.content, kept)

    disturbed = Interrupting(world.records, Fuse(calls), replaced)
    import_object(before, Context(), with_store(world, "records", disturbed))

    if not replies:
        replaced()
    assert [(reply["status"], reply["created"]) for reply in replies] == [("done", 10)]
    assert {f"event {number}" for number in range(100, 110)} <= set(world.summaries())
    assert world.result()["created"] == 10


def test_a_run_that_cannot_begin_says_so_and_is_tried_again(world: World) -> None:
    put = world.put(text(event(1)))
    imports: Any = Held(world.imports)

    with pytest.raises(Aborted):
        import_object(put, Context(), with_store(world, "imports", imports))

    assert world.back_off.tries == list(range(MAX_TRIES_TO_BEGIN - 1))
    assert world.stored() == {}


@dataclass(frozen=True, slots=True)
class Held:
    """A bucket in which somebody else always writes the result first."""

    imports: FakeImports

    def keep_next(self, *_: Any) -> Any:
        raise LostRace

    def __getattr__(self, name: str) -> Any:
        return getattr(self.imports, name)


def test_a_run_that_was_overtaken_leaves_the_rest_to_the_later_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 2)
    put = world.put(text(*map(event, range(10))))

    def overtake() -> None:
        kept = world.imports.result(RESULT)
        assert kept is not None
        other = {**json.loads(kept.content), "run": "another"}
        world.imports.keep(RESULT, json.dumps(other).encode())

    meanwhile = Interrupting(world.records, Fuse(5), overtake)

    reply = import_object(put, Context(), replace(world.services, records=meanwhile))

    assert reply == {"status": "superseded"}
    assert world.result()["run"] == "another"
    assert len(world.stored()) < 10


def test_a_run_that_was_overtaken_leaves_the_refusals_of_the_later_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 6)
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 5)

    for calls in range(3, 12):
        world = World()
        put = world.put(text(outcome("e-1"), *["no"] * 10))
        meanwhile = Interrupting(world.imports, Fuse(calls), lambda: overtake(world, put))  # noqa: B023 - called within the loop
        import_object(put, Context(), with_store(world, "imports", meanwhile))

        result, refused = world.result(), [refusal["line"] for refusal in world.refusals()]
        assert refused in ([*range(2, 12)], [*range(1, 12)])
        assert result["refused"] == len(refused)
        assert result["refused"] + result["created"] == 11


def overtake(world: World, put: Event) -> None:
    """The record that a line had not found is there, and another run comes by."""
    world.imports.put("imports/other", text(episode("e-1")))
    found = world.imports.find("imports/other")
    assert found is not None
    other = {"key": found.key, "etag": found.etag, "sequencer": "1"}
    world.run({**put, "detail": {"object": other}})
    world.run(put)


def test_a_late_event_of_the_same_content_changes_nothing(world: World) -> None:
    earlier = world.put(text(event(1)))
    later = world.put(text(event(1)))
    world.run(later)
    before = dict(world.imports.kept)

    reply = world.run(earlier)

    assert reply == {"status": "superseded"}
    assert world.imports.kept == before


def test_reports_of_lines_worked_on_side_by_side_come_one_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way: list[str] = []
    most = 0

    def report(rpc: str, code: str, fault: Exception | None = None) -> None:  # noqa: ARG001 - a Report
        nonlocal most
        under_way.append(rpc)
        most = max(most, *(len(under_way) for _ in range(100)))
        under_way.pop()

    switching_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    monkeypatch.setattr(world, "services", replace(world.services, report=report))
    try:
        world.imported(*[{"rpc": "IngestEvent"}] * 200)
    finally:
        sys.setswitchinterval(switching_s)

    assert most == 1


def test_an_event_of_an_earlier_put_is_left_to_the_later_one(world: World) -> None:
    earlier = world.put(text(event(1)))
    later = world.put(text(event(2)))

    replies = [world.run(later)["status"], world.run(earlier)["status"]]

    assert replies == ["done", "superseded"]
    assert world.summaries() == ["event 2"]
    assert world.result()["put"] == later["detail"]["object"]["sequencer"]


def test_objects_of_other_names_have_results_of_their_own(world: World) -> None:
    world.run(world.put(text(event(1)), "imports/2026/a.ndjson"))
    world.run(world.put(text(event(1)), "imports/b"))

    assert set(world.imports.kept) == {
        "import-results/2026/a.ndjson.json",
        "import-results/b.json",
    }
    assert len(world.stored()) == 2


# --- Objects that go ----------------------------------------------------------------------------


def test_an_object_that_is_gone_is_a_failed_import(world: World) -> None:
    put = world.put(text(event(1)))
    world.imports.objects.clear()

    reply = world.run(put)

    assert (reply["status"], reply["reason"]) == ("failed", "the object is not there")


@pytest.mark.parametrize("then", ["removed", "replaced"])
def test_an_object_that_changes_during_its_import_fails_it(
    world: World, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 500)
    monkeypatch.setattr(import_windows, "WINDOW_LINES", 1)
    put = world.put(text(*map(event, range(20))))

    def change() -> None:
        world.imports.objects.clear()
        if then == "replaced":
            world.put(text(event(99)))

    meanwhile = Interrupting(world.records, Fuse(3), change)

    reply = import_object(put, Context(), replace(world.services, records=meanwhile))

    assert reply["status"] == "failed"
    assert "replaced or removed" in reply["reason"]
    assert 0 < len(world.stored()) < 20


# --- Failures -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Failing:
    """Records of which some calls fail."""

    records: FakeRecords
    errors: Iterator[Exception]

    def create(self, *arguments: Any, **named: Any) -> None:
        for error in self.errors:
            raise error
        self.records.create(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.records, name)


def failing(world: World, *errors: Exception) -> Services:
    records: Any = Failing(world.records, iter(errors))
    return replace(world.services, records=records)


PASSING = [ResourceExhausted("busy"), Unavailable("away"), Aborted("lost")]


@pytest.mark.parametrize("error", PASSING)
def test_a_line_that_fails_for_now_is_tried_again(world: World, error: DomainError) -> None:
    put = world.put(text(event(1)))

    reply = import_object(put, Context(), failing(world, *[error] * 9))

    assert (reply["status"], reply["created"], reply["refused"]) == ("done", 1, 0)
    assert world.back_off.tries == list(range(9))


@pytest.mark.parametrize("error", PASSING)
def test_what_does_not_pass_fails_the_run_and_refuses_no_line(
    world: World, error: DomainError
) -> None:
    put = world.put(text(event(1)))

    with pytest.raises(type(error)):
        import_object(put, Context(), failing(world, *[error] * 10))

    result = world.result()
    assert (result["status"], result["refused"]) == ("failed", 0)
    assert result["reason"] == f"line 1: {error}"


def test_a_defect_of_one_line_is_listed_and_reported_and_stops_no_other(world: World) -> None:
    put = world.put(text(event(1), event(2)))
    defect = ValueError("s3cret")

    import_object(put, Context(), failing(world, defect))

    result = world.result()
    ((line, code, reason),) = [tuple(refusal.values()) for refusal in result["refusals"]]
    assert (result["status"], result["created"], line) == ("done", 1, 1)
    assert (code, reason) == ("INTERNAL", "the item failed; whether it was written is not known")
    assert ("IngestEvent", "FAULT") in world.reports.told
    assert world.reports.faults == [defect]


def test_a_defect_in_reading_a_line_is_listed_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names_in(asked: Mapping[str, Any]) -> Iterator[str]:
        yield str(1 // (asked["ref"] != "build:1"))

    monkeypatch.setattr(imports, "names_in", names_in)

    result = world.imported(event(1), event(2))

    assert (result["created"], [refusal["code"] for refusal in result["refusals"]]) == (
        1,
        ["INTERNAL"],
    )
    assert len(world.reports.faults) == 1


def test_a_line_that_failed_by_a_defect_is_made_up_for_by_the_same_object(world: World) -> None:
    put = world.put(text(*map(event, range(5))))
    import_object(put, Context(), failing(world, ValueError("defect")))

    result = world.imported(*map(event, range(5)))

    assert (result["created"], result["replayed"], result["refused"]) == (1, 4, 0)
    assert len(world.stored()) == 5


def test_an_import_that_failed_goes_on_when_its_event_comes_again(world: World) -> None:
    put = world.put(text(event(1)))  # of several lines, each would take some of the failures
    with pytest.raises(Unavailable):
        import_object(put, Context(), failing(world, *[Unavailable("away")] * 10))

    world.run(put)

    result = world.result()
    assert (result["status"], result["reason"]) == ("done", "")
    assert len(world.stored()) == 1


@dataclass(frozen=True, slots=True)
class LosingReplies:
    """A bucket that writes the result, but whose reply to that write is lost."""

    imports: FakeImports
    number: Fuse

    def keep_next(self, *arguments: Any) -> Any:
        kept = self.imports.keep_next(*arguments)
        try:
            self.number.burn()
        except KilledError:
            raise Unavailable("the reply is lost") from None
        return kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self.imports, name)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_result_that_was_written_while_its_reply_was_lost_is_not_another_runs(
    world: World, number: int
) -> None:
    put = world.put(text(event(1)))
    imports: Any = LosingReplies(world.imports, Fuse(number))
    with pytest.raises(Unavailable):
        import_object(put, Context(), replace(world.services, imports=imports))

    world.run(put)

    assert world.result()["status"] == "done"
    assert len(world.stored()) == 1


def test_a_closed_source_fails_the_import_and_can_be_made_up_for(world: World) -> None:
    put = world.put(text(event(1)))
    closed = replace(world.services, sources=SourcePrincipals())

    with pytest.raises(PermissionDenied):
        import_object(put, Context(), closed)

    assert world.result()["status"] == "failed"
    assert "closed" in world.result()["reason"]
    assert world.run(put)["created"] == 1


@pytest.mark.parametrize(
    "detail",
    [
        None,
        {},
        {"object": {"key": KEY}},
        {"object": {"key": "blobs/a/b", "etag": "e", "sequencer": "1"}},
    ],
)
def test_any_other_event_is_refused(world: World, detail: Any) -> None:
    with pytest.raises(InvalidArgument):
        world.run({"time": "2026-01-01T00:00:00Z", "detail": detail})

    assert world.imports.kept == {}


@pytest.mark.parametrize("time", [None, 1, "", "yesterday", "2026-01-01"])
def test_an_event_without_its_time_is_refused(world: World, time: Any) -> None:
    put = world.put(text(event(1)))

    with pytest.raises(InvalidArgument):
        world.run({**put, "time": time})

    assert world.imports.kept == {}
