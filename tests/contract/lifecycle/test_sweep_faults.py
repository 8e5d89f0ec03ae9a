"""Sweeps and endings that are killed: run again, all is as if nothing had happened."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records import audit
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import RemovedRecord
from tests.builders.requests import change
from tests.worlds.depth import steps
from tests.worlds.endings import (
    BYSTANDERS,
    SCENES,
    STEPS,
    Beginning,
    Scene,
    amid,
    require_sound,
    require_whole,
    swept,
)
from tests.worlds.faults import Killed, Moment, die
from tests.worlds.stores import Store

CHANGING = frozenset({"audit", "entries", "version"})
"""Attributes with salts in them, and how often a record was written."""


@dataclass(frozen=True, slots=True)
class State:
    """All that is stored, but for salts and what follows from them."""

    items: Mapping[tuple[str, str], Mapping[str, Any]]
    trails: Mapping[str, Sequence[tuple[object, ...]]]
    blobs: Mapping[str, int]
    """How many of its blobs a record names."""


def state_of(table: Store) -> State:
    """The state, with all that must hold of any."""
    trails, blobs = {}, {}
    for record_id in ("record-1", *BYSTANDERS):
        held = table.records.load(record_id)
        assert held is not None
        require_sound(held, table)
        trails[record_id] = [essence(entry) for entry in held.trail]
        blobs[record_id] = len(table.records.blob_names(record_id))
    items = {
        (item["pk"]["S"], item["sk"]["S"]): {
            name: value for name, value in item.items() if name not in CHANGING
        }
        for item in table.everything()
    }
    return State(items, trails, blobs)


def essence(entry: AuditEntry) -> tuple[object, ...]:
    """An audit entry without its salt and hashes."""
    said = (entry.actor, entry.rationale, entry.salience_before, entry.salience_after)
    return entry.action, entry.timestamp, entry.principal, audit.is_erased(entry), *said


def settled(table: Store) -> State:
    """What is stored once the next sweep has come."""
    table.clock.advance(seconds=1)
    swept(table)
    return state_of(table)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_killed_at_any_call_and_run_again_all_is_as_if_nothing_had_happened(scene: Scene) -> None:
    beginning = Beginning.of(scene)
    table = beginning.begin()
    scene.act(table)
    undisturbed = settled(table)

    for step in steps():
        table, moment = beginning.begin(), Moment(step, die)
        with suppress(Killed), amid(table, moment):
            scene.act(table)
        require_whole(table, beginning)
        scene.act(table)

        assert settled(table) == undisturbed, f"killed at step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


@pytest.mark.parametrize("key", ["key-1", None], ids=["with a key", "without"])
@pytest.mark.parametrize("scene", ["erase what lives", "erase what is deleted"])
def test_erasing_that_was_killed_is_finished_by_asking_again(scene: str, key: str | None) -> None:
    beginning = Beginning.of(SCENES[scene])
    asked = DeleteRecord(id="record-1", erase=True, rationale="law")

    for step in steps():
        table, moment = beginning.begin(), Moment(step, die)
        with suppress(Killed), amid(table, moment):
            change(asked, table.services, key=key)
        change(asked, table.services, key=key)

        found = table.records.load("record-1")
        assert isinstance(found, RemovedRecord)
        assert (found.tombstone.is_erased, found.tombstone.due_s) == (True, None)
        require_sound(found, table)
        reasons = [entry.rationale for entry in found.trail if entry.rationale]
        assert reasons == ["law"], "what a repeat finds said before it is erased, too"
        if not moment.has_come:
            break
    assert 3 < step < STEPS
