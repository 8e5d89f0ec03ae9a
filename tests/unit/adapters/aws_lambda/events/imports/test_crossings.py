"""Several runs of one object at once, and objects that go or change meanwhile."""

import json
import sys
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.domain.language.errors import Aborted
from membrane.usecases.imports import import_lines
from membrane.usecases.imports import progress as import_progress
from membrane.usecases.imports import work as import_work
from membrane.usecases.imports.import_lines import MAX_TRIES_TO_BEGIN
from membrane.usecases.ports.records import LostRace
from tests.fakes.bucket import FakeImports
from tests.worlds.importing import (
    MIXED,
    RESULT,
    Context,
    Event,
    Fuse,
    Interrupting,
    World,
    episode,
    essence,
    event,
    ids_aside,
    outcome,
    text,
    with_store,
)


def test_the_event_that_comes_twice_imports_once(world: World) -> None:
    put = world.put(text(event(1), event(2)))
    world.run(put)
    before = world.result()

    world.run(put)

    assert world.result() == before
    assert before["created"] == 2


@pytest.mark.parametrize("store", ["records", "imports"])
def test_two_runs_of_one_object_at_once_do_it_once(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 2)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 6)
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
    monkeypatch.setattr(import_work, "WINDOW_LINES", 1)
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
