"""Failures of the store, of the bucket and of the code: what fails a line, what fails a run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events import imports
from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.domain.language.errors import (
    Aborted,
    DomainError,
    InvalidArgument,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from membrane.usecases.ports.services import Services, SourcePrincipals
from tests.fakes.bucket import FakeImports
from tests.fakes.records import FakeRecords
from tests.worlds.importing import KEY, Context, Fuse, KilledError, World, event, text


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


TRANSIENT = [ResourceExhausted("busy"), Unavailable("away"), Aborted("lost")]


@pytest.mark.parametrize("error", TRANSIENT)
def test_a_line_that_fails_for_now_is_tried_again(world: World, error: DomainError) -> None:
    put = world.put(text(event(1)))

    reply = import_object(put, Context(), failing(world, *[error] * 9))

    assert (reply["status"], reply["created"], reply["refused"]) == ("done", 1, 0)
    assert world.back_off.tries == list(range(9))


@pytest.mark.parametrize("error", TRANSIENT)
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
