"""Deletions of captures that break off at any call of the store: a repeat finishes them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count

import pytest

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.services import Services
from tests.builders.derived_facts import capture, derive
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import Killed, Moment, die, without_retries
from tests.worlds.revision import Stage, held_in

STEPS = 100
"""More than any deletion takes; every test says that it reached the last."""


def ending(*, erase: bool) -> Callable[[Services], list[DeleteRecord]]:
    """A capture with three facts, one of which has other evidence, is about to be deleted."""

    def prepare(services: Services) -> list[DeleteRecord]:
        capture_id, _ = capture("tea", services)
        capture("milk", services)
        primary = services.records.load(capture_id)
        assert isinstance(primary, StoredRecord)
        for value in ("milk", "water"):
            derive(value, primary.record, services)
        return [DeleteRecord(id=capture_id, erase=erase)]

    return prepare


def left_in(stage: Stage) -> Mapping[str, object]:
    """Of each record: whether it is gone, else the number of references of an active fact."""
    stage.state()  # with all that must hold of any state
    return {record_id: standing(held) for record_id, held in held_in(stage.table).items()}


def standing(held: AnyRecord) -> object:
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return held.tombstone is not None and held.tombstone.reason
    payload = held.record.payload
    if not isinstance(payload, SemanticPayload) or is_retracted(payload):
        return "retracted" if isinstance(payload, SemanticPayload) else "alive"
    return len(payload.evidence)


@pytest.mark.parametrize(
    ("erase", "ends"), [(False, ["deleted", "retracted"]), (True, ["erased", "erased"])]
)
def test_a_deletion_broken_off_at_any_call_is_finished_by_a_repeat(
    erase: bool,  # noqa: FBT001
    ends: list[str],
) -> None:
    stage = Stage.of(ending(erase=erase))
    without_retries(stage.table.client)
    [request] = stage.requests
    assert isinstance(request, DeleteRecord)
    stage.act()
    whole = left_in(stage)
    assert whole[request.id] == ends[0]
    assert sorted(map(str, whole.values())) == sorted([ends[0], *[ends[1]] * 2, "1", "alive"])

    for step in count(0, cases(1, 3)):
        stage.begin()
        moment = Moment(step, die)
        with suppress(Killed), amid(stage.table, moment):
            stage.act()
        left = left_in(stage)
        assert left[request.id] == "alive" or left == whole, f"the capture goes last: step {step}"
        stage.act()
        assert left_in(stage) == whole, f"broken off at step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS
