"""Imports that fail, cross one another or run out of time: each line exactly once."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.adapters.aws_lambda.events.objects import HOP, MAX_HOPS
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.domain.access.principals import SourcePrincipals, principal_of
from membrane.domain.language.errors import (
    Aborted,
    DomainError,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from membrane.domain.records.stored import MAX_OPERATIONS
from membrane.table.items import LostRace
from membrane.usecases.imports import import_lines
from membrane.usecases.imports import progress as import_progress
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.import_lines import MAX_TRIES_TO_BEGIN
from membrane.usecases.imports.work import MAX_TRIES
from membrane.wiring.world import World
from tests.fakes.bucket import FakeImports
from tests.worlds.importing import (
    IMPORTING,
    KEY,
    RESULT,
    Context,
    Event,
    Fuse,
    Interrupting,
    KilledError,
    Mortal,
    Scene,
    episode,
    event,
    kill_at,
    outcome,
    skill,
    text,
    with_store,
)
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def world() -> Scene:
    """Nothing is there yet."""
    return Scene()


@dataclass(slots=True)
class Failing:
    """Records of which some calls fail."""

    records: TableRecords
    errors: Iterator[Exception]

    def create(self, *arguments: Any, **named: Any) -> None:
        for error in self.errors:
            raise error
        self.records.create(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.records, name)


def failing(world: Scene, *errors: Exception) -> World:
    records: Any = Failing(world.records, iter(errors))
    return world.services.but(records=records)


TRANSIENT = [ResourceExhausted("busy"), Unavailable("away"), Aborted("lost")]


@pytest.mark.parametrize("error", TRANSIENT)
def test_a_line_that_fails_for_now_is_tried_again(world: Scene, error: DomainError) -> None:
    put = world.put(text(event(1)))

    reply = import_object(put, Context(), failing(world, *[error] * 9))

    assert (reply["status"], reply["created"], reply["refused"]) == ("done", 1, 0)
    assert world.back_off.tries == list(range(9))


@pytest.mark.parametrize("error", TRANSIENT)
def test_what_does_not_pass_fails_the_run_and_refuses_no_line(
    world: Scene, error: DomainError
) -> None:
    put = world.put(text(event(1)))

    with pytest.raises(type(error)):
        import_object(put, Context(), failing(world, *[error] * 10))

    result = world.result()
    assert (result["status"], result["refused"]) == ("failed", 0)
    assert result["reason"] == f"line 1: {error}"


def test_a_defect_of_one_line_is_listed_and_reported_and_stops_no_other(world: Scene) -> None:
    put = world.put(text(event(1), event(2)))
    defect = ValueError("s3cret")

    import_object(put, Context(), failing(world, defect))

    result = world.result()
    ((line, code, reason),) = [tuple(refusal.values()) for refusal in result["refusals"]]
    assert (result["status"], result["created"], line) == ("done", 1, 1)
    assert (code, reason) == ("INTERNAL", "the item failed; whether it was written is not known")
    assert ("IngestEvent", "FAULT") in world.reports.told
    assert world.reports.faults == [defect]


def test_a_line_that_failed_by_a_defect_is_made_up_for_by_the_same_object(world: Scene) -> None:
    put = world.put(text(*map(event, range(5))))
    import_object(put, Context(), failing(world, ValueError("defect")))

    result = world.imported(*map(event, range(5)))

    assert (result["created"], result["replayed"], result["refused"]) == (1, 4, 0)
    assert len(world.stored()) == 5


def test_an_import_that_failed_goes_on_when_its_event_comes_again(world: Scene) -> None:
    put = world.put(text(event(1)))  # of several lines, each would take some of the failures
    with pytest.raises(Unavailable):
        import_object(put, Context(), failing(world, *[Unavailable("away")] * 10))

    world.run(put)

    result = world.result()
    assert (result["status"], result["reason"]) == ("done", "")
    assert len(world.stored()) == 1


def test_a_closed_source_fails_the_import_and_can_be_made_up_for(world: Scene) -> None:
    put = world.put(text(event(1)))
    closed = world.services.but(sources=SourcePrincipals())

    with pytest.raises(PermissionDenied):
        import_object(put, Context(), closed)

    assert world.result()["status"] == "failed"
    assert "closed" in world.result()["reason"]
    assert world.run(put)["created"] == 1


@pytest.mark.parametrize("calls", range(1, 9))
def test_other_content_is_imported_whatever_the_run_before_writes_meanwhile(
    world: Scene, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
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


def test_a_run_that_cannot_begin_says_so_and_is_tried_again(world: Scene) -> None:
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
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
    put = world.put(text(*map(event, range(10))))

    def overtake() -> None:
        kept = world.imports.result(RESULT)
        assert kept is not None
        other = {**json.loads(kept.content), "run": "another"}
        world.imports.keep(RESULT, json.dumps(other).encode())

    meanwhile = Interrupting(world.records, Fuse(5), overtake)

    reply = import_object(put, Context(), world.services.but(records=meanwhile))

    assert reply == {"status": "superseded"}
    assert world.result()["run"] == "another"
    assert len(world.stored()) < 10


def test_a_run_goes_on_where_its_own_progress_stands_under_a_lost_reply(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
    put = world.put(text(*map(event, range(10))))
    keep_next = FakeImports.keep_next

    def lose_reply(self: FakeImports, *given: Any) -> Any:
        kept = keep_next(self, *given)
        if json.loads(kept.content)["created"] >= 4:
            monkeypatch.setattr(FakeImports, "keep_next", keep_next)
            keep_next(self, *given)  # as the client repeats a call whose reply is lost
        return kept

    monkeypatch.setattr(FakeImports, "keep_next", lose_reply)

    reply = import_object(put, Context(), world.services)

    assert (reply["status"], world.result()["created"]) == ("done", 10)


def test_a_run_that_was_overtaken_leaves_the_refusals_of_the_later_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 6)
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 5)

    for calls in range(3, 12):
        world = Scene()
        put = world.put(text(outcome("e-1"), *["no"] * 10))
        meanwhile = Interrupting(world.imports, Fuse(calls), lambda: overtake(world, put))  # noqa: B023 - called within the loop
        import_object(put, Context(), with_store(world, "imports", meanwhile))

        result, refused = world.result(), [refusal["line"] for refusal in world.refusals()]
        assert refused in ([*range(2, 12)], [*range(1, 12)])
        assert result["refused"] == len(refused)
        assert result["refused"] + result["created"] == 11


def overtake(world: Scene, put: Event) -> None:
    """The record that a line had not found is there, and another run comes by."""
    world.imports.put("imports/other", text(episode("e-1")))
    found = world.imports.find("imports/other")
    assert found is not None
    other = {"key": found.key, "etag": found.etag, "sequencer": "1"}
    world.run({**put, "detail": {"object": other}})
    world.run(put)


def test_a_late_event_of_the_same_content_changes_nothing(world: Scene) -> None:
    earlier = world.put(text(event(1)))
    later = world.put(text(event(1)))
    world.run(later)
    before = dict(world.imports.kept)

    reply = world.run(earlier)

    assert reply == {"status": "superseded"}
    assert world.imports.kept == before


def test_an_event_of_an_earlier_put_is_left_to_the_later_one(world: Scene) -> None:
    earlier = world.put(text(event(1)))
    later = world.put(text(event(2)))

    replies = [world.run(later)["status"], world.run(earlier)["status"]]

    assert replies == ["done", "superseded"]
    assert world.summaries() == ["event 2"]
    assert world.result()["put"] == later["detail"]["object"]["sequencer"]


def test_an_object_that_is_gone_is_a_failed_import(world: Scene) -> None:
    put = world.put(text(event(1)))
    world.imports.objects.clear()

    reply = world.run(put)

    assert (reply["status"], reply["reason"]) == ("failed", "the object is not there")


@pytest.mark.parametrize("then", ["removed", "replaced"])
def test_an_object_that_changes_during_its_import_fails_it(
    world: Scene, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 500)
    monkeypatch.setattr(import_work, "WINDOW_LINES", 1)
    put = world.put(text(*map(event, range(20))))

    def change() -> None:
        world.imports.objects.clear()
        if then == "replaced":
            world.put(text(event(99)))

    meanwhile = Interrupting(world.records, Fuse(3), change)

    reply = import_object(put, Context(), world.services.but(records=meanwhile))

    assert reply["status"] == "failed"
    assert "replaced or removed" in reply["reason"]
    assert 0 < len(world.stored()) < 20


def test_nothing_in_a_line_widens_what_imports_may_do(world: Scene) -> None:
    lines = [event(1, scope="project:alpha"), event(2, sensitivity="medium")]

    result = world.imported(*lines, event(3))

    assert (result["created"], result["refused"]) == (1, 2)
    assert {refusal["code"] for refusal in result["refusals"]} == {"PERMISSION_DENIED"}


def test_an_object_is_read_in_pieces_and_never_whole(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 64)

    result = world.imported(*map(event, range(20)))

    assert result["created"] == 20
    assert world.summaries() == sorted(f"event {number}" for number in range(20))


def test_a_line_names_its_user_where_imports_have_a_user_prefix(world: Scene) -> None:
    users = ("alice", "bob")
    lines = [event(1, user=user, idempotency_key="k") for user in users]
    of_users = principal_of("import", ["ingest"], ["events:*"], "low", user_prefix="events:")
    importing = world.services.but(sources=SourcePrincipals(imports=of_users))

    reply = import_object(world.put(text(*lines, event(2, user="x*"))), Context(), importing)

    assert (reply["created"], reply["refused"]) == (2, 1)
    assert {each.scope for each in world.stored().values()} == {f"events:{user}" for user in users}


def test_a_line_that_names_a_user_is_refused_by_imports_without_users(world: Scene) -> None:
    world.imported(event(1, user="alice"), event(2))

    assert len(world.stored()) == 1
    assert world.refusals() == [
        {
            "line": 1,
            "code": "PERMISSION_DENIED",
            "reason": "user is not taken: the principal has no user prefix: "
            "see the parameter ImportPrincipal",
        }
    ]
    assert ("IngestEvent", "PERMISSION_DENIED") in world.reports.told


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (event(1, scope="project:acme"), "the principal does not cover this scope"),
        (
            event(1, sensitivity="hyper"),
            "the principal's highest sensitivity is below the record's",
        ),
    ],
)
def test_a_line_beyond_the_rights_of_imports_names_the_parameter(
    world: Scene, line: dict[str, Any], reason: str
) -> None:
    (refusal,) = world.imported(line)["refusals"]

    assert refusal["code"] == "PERMISSION_DENIED"
    assert refusal["reason"] == f"{reason}: see the parameter ImportPrincipal"


def test_a_line_with_a_field_that_needs_revise_is_refused(world: Scene) -> None:
    result = world.imported(skill(lifecycle={"pinned": True}), event(1))

    (refusal,) = result["refusals"]
    assert (refusal["line"], result["created"]) == (1, 1)
    assert refusal["code"] == "PERMISSION_DENIED"
    assert "pinned" in refusal["reason"]


def test_a_run_killed_amid_many_outcomes_of_one_record_is_made_up_for_exactly_once() -> None:
    judges = [f"judge {number}" for number in range(MAX_OPERATIONS + 30)]
    lines = [episode("e-1"), *(outcome("e-1", judge) for judge in judges)]
    checkpoints = 0
    for calls in range(1, 20):
        world = Scene()
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


def test_a_run_begins_where_the_one_before_stopped(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(100))))
    kill_at(55, world, put)
    world.reports.told.clear()

    world.run(put)

    assert world.result()["created"] + world.result()["replayed"] == 100
    assert len(world.reports.told) == 50


def test_a_sender_who_says_otherwise_of_the_same_content_makes_nothing_twice(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    content = text(*map(event, range(30)))
    kill_at(15, world, world.put(content))

    world.imports.said[KEY] = "d" * 64
    world.run(world.put(content))
    assert len(world.stored()) == 30

    world.run(world.put(content))
    assert world.result()["replayed"] == 30
    assert len(world.stored()) == 30


def test_nothing_is_read_again_of_what_was_put_again_while_it_was_imported(world: Scene) -> None:
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
    world: Scene,
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
    world: Scene, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    if said is not None:
        world.imports.said[KEY] = said
    kill_at(55, world, world.put(text(*map(event, range(100, 200)))))
    assert world.result()["lines"] == 50
    world.reports.told.clear()

    result = world.imported(*map(event, range(200, 300)))

    assert result["created"] + result["refused"] == 100
    assert len(world.reports.told) == 100


@pytest.mark.parametrize("damage", ["status", "updated_at"])
def test_a_damaged_result_is_begun_anew(world: Scene, damage: str) -> None:
    world.imported(event(0))
    put = world.put(text(event(1), event(2)))
    world.imports.keep(RESULT, json.dumps({**world.result(), damage: "?"}).encode())

    world.run(put)

    assert (world.result()["status"], world.result()["created"]) == ("done", 2)


def test_a_run_hands_over_before_its_time_is_up(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(30))))

    reply = world.run(put, Context([900_000] * 15 + [RESERVE_MS - 1] * 15))

    assert (reply["status"], reply["lines"]) == ("running", 10)
    assert world.later.asked == [(IMPORTING, {**put, HOP: 1})]


def test_what_is_handed_over_is_finished(world: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    world.run(world.put(text(*map(event, range(30)))), Context([900_000] * 15 + [0] * 15))

    ((_, rest),) = world.later.asked
    world.run(rest)

    assert world.result()["status"] == "done"
    assert world.result()["created"] + world.result()["replayed"] == 30
    assert len(world.stored()) == 30


@pytest.mark.parametrize("line", ["no JSON", "", " ", "x" * 500, json.dumps(outcome("nobody"))])
def test_a_run_looks_at_its_time_whatever_the_lines_are(
    world: Scene, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    monkeypatch.setattr(import_work, "MAX_LINE_BYTES", 400)
    put = world.put(text(*[line] * 3_000))

    reply = world.run(put, Context([900_000] * 15 + [0] * 3_000))

    assert reply["status"] == "running"
    assert 10 <= reply["lines"] <= 150


def test_a_run_looks_at_its_time_while_it_reads_one_line(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 10)
    put = world.put(b"x" * 1_000)

    with pytest.raises(Unavailable):
        world.run(put, Context([900_000] * 5 + [0] * 100))

    assert world.result()["status"] == "failed"


@pytest.mark.parametrize("tries", [1, 2, MAX_TRIES - 1])
def test_a_run_looks_at_its_time_between_the_tries_of_a_line(world: Scene, tries: int) -> None:
    put = world.put(text(event(1)))
    busy = failing(world, *[ResourceExhausted("busy")] * 10)

    with pytest.raises(Unavailable):
        import_object(put, Context([900_000] * (2 + tries) + [0] * 10), busy)

    assert len(world.back_off.tries) == tries
    assert world.result()["reason"] == "the import takes too long"


def test_a_hand_over_that_fails_is_noted_and_made_up_for(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(30))))

    def fail(name_or_arn: str, event: Event) -> None:  # noqa: ARG001 - an InvokeLater
        raise ResourceExhausted("throttled")

    with pytest.raises(ResourceExhausted):
        import_object(
            put,
            Context([900_000] * 15 + [0] * 15),
            world.services.but(invoke_later=fail),
        )

    assert (world.result()["status"], world.result()["reason"]) == ("failed", "throttled")
    world.run(put)
    assert (world.result()["status"], len(world.stored())) == ("done", 30)


def test_handing_over_has_an_end(world: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = {**world.put(text(*map(event, range(30)))), HOP: MAX_HOPS}

    with pytest.raises(Unavailable):
        world.run(put, Context([900_000] * 15 + [0] * 15))

    assert world.later.asked == []
    assert world.result()["status"] == "failed"


def test_a_run_that_gets_nowhere_does_not_start_another(world: Scene) -> None:
    with pytest.raises(Unavailable):
        world.run(world.put(text(event(1))), Context([0] * 10))

    assert world.later.asked == []
    assert world.result()["status"] == "failed"
