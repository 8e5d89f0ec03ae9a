"""Imports that break off or run out of time: made up for, each line exactly once."""

import json
from dataclasses import replace

import pytest

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.adapters.aws_lambda.events.objects import HOP, MAX_HOPS
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.records.idempotency import MAX_OPERATIONS
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.work import MAX_TRIES
from tests.unit.adapters.aws_lambda.events.imports.test_failures import failing
from tests.worlds.importing import (
    IMPORTING,
    KEY,
    MIXED,
    RESULT,
    Context,
    Event,
    Fuse,
    KilledError,
    Mortal,
    World,
    episode,
    essence,
    event,
    ids_aside,
    kill_at,
    outcome,
    text,
    with_store,
)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("store", ["records", "imports"])
def test_a_run_killed_at_any_call_is_made_up_for_exactly_once(
    store: str,
    after: bool,  # noqa: FBT001 - before the call, or after it
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
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


def test_a_run_begins_where_the_one_before_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(100))))
    kill_at(55, world, put)
    world.reports.told.clear()

    world.run(put)

    assert world.result()["created"] + world.result()["replayed"] == 100
    assert len(world.reports.told) == 50


def test_the_same_file_sent_again_goes_on_where_an_unfinished_import_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    content = text(*map(event, range(100)))
    kill_at(55, world, world.put(content))
    world.reports.told.clear()

    world.run(world.put(content))

    assert len(world.stored()) == 100
    assert len(world.reports.told) == 50


def test_a_sender_who_says_otherwise_of_the_same_content_makes_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
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
def test_a_damaged_result_is_begun_anew(world: World, damage: str) -> None:
    world.imported(event(0))
    put = world.put(text(event(1), event(2)))
    world.imports.keep(RESULT, json.dumps({**world.result(), damage: "?"}).encode())

    world.run(put)

    assert (world.result()["status"], world.result()["created"]) == ("done", 2)


def test_a_run_hands_over_before_its_time_is_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
    put = world.put(text(*map(event, range(30))))

    reply = world.run(put, Context([900_000] * 15 + [RESERVE_MS - 1] * 15))

    assert (reply["status"], reply["lines"]) == ("running", 10)
    assert world.later.asked == [(IMPORTING, {**put, HOP: 1})]


def test_what_is_handed_over_is_finished(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 10)
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
