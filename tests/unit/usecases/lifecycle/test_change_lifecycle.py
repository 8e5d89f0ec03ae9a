"""Another decay profile or deletion policy holds from now on."""

from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import CLASSES
from membrane.domain.language.errors import InvalidArgument, TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.violations import validate
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.records import MemoryRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.profiles import MAX_CLASSES
from membrane.usecases.ports.services import Services
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, refused, standing, written
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

STEPS = ((0.0, 1.0), (1.0, 0.75), (2.0, 0.0))


def made(services: Services, **fields: str) -> MemoryRecord:
    """A record that halves every hour."""
    asked = event(**fields)
    return written(ingest(asked, call(asked), services))


def changed(record: MemoryRecord, services: Services, **asked: Any) -> MemoryRecord:
    """The record with another lifecycle."""
    return written(change(validate(ChangeLifecycle, {"id": record.id, **asked}), services))


def test_another_half_life_holds_from_now_on(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    episode = made(services)
    clock.advance(hours=1)

    record = changed(episode, services, decay={"half_life_seconds": 7_200}, rationale="matters")

    assert record.salience == pytest.approx(0.5, abs=1e-9)
    assert record.lifecycle.decay.half_life_seconds == 7_200
    assert record.audit_log[-1].rationale == "lifecycle half_life_seconds 3600 -> 7200: matters"
    assert standing(episode.id, records).anchor.at_s == epoch_seconds(clock.now)


def test_another_deletion_policy_leaves_the_anchor_where_it_is(
    services: Services, records: TableRecords, clock: FakeClock
) -> None:
    episode = made(services)
    anchor = standing(episode.id, records).anchor
    clock.advance(hours=1)

    record = changed(episode, services, deletion_policy="manual_only")

    stored = standing(episode.id, records)
    assert record.salience == pytest.approx(0.5, abs=1e-9)
    assert stored.anchor == anchor
    assert stored.id not in records.due


def test_both_are_changed_in_one_version_with_one_entry(
    services: Services, records: TableRecords
) -> None:
    episode = made(services)

    record = changed(episode, services, decay={"min_salience": 0.1}, deletion_policy="never")

    assert standing(episode.id, records).version == 2
    assert record.audit_log[-1].rationale == (
        "lifecycle min_salience 0.0 -> 0.1, deletion_policy auto_prune -> never"
    )


@pytest.mark.parametrize("nothing", [{}, {"decay": {}}, {"rationale": "just so"}], ids=str)
def test_a_change_of_nothing_is_refused(
    services: Services, records: TableRecords, nothing: dict[str, Any]
) -> None:
    episode = made(services)

    with refused(records, InvalidArgument, "nothing is to be changed"):
        changed(episode, services, **nothing)


def test_a_curve_of_the_settings_may_be_changed_to_by_name(clock: FakeClock) -> None:
    policy = PolicyDefaults(custom_curves={"steps": STEPS})
    services = make_services(now=clock, policy=policy)
    episode = made(services)
    clock.advance(hours=1)

    changed(episode, services, decay={"curve": "custom", "custom_curve": "steps"})

    clock.advance(hours=1)
    record = changed(episode, services, decay={"curve": "linear"})
    assert record.salience == pytest.approx(0.375, abs=1e-9)
    assert (record.lifecycle.decay.curve, record.lifecycle.decay.custom_curve) == ("linear", "")


def test_a_curve_that_the_settings_do_not_have_is_refused(
    services: Services, records: TableRecords
) -> None:
    episode = made(services)

    with refused(records, InvalidArgument, "names no curve of the settings"):
        changed(episode, services, decay={"curve": "custom", "custom_curve": "gone"})


def test_more_decay_profiles_than_a_ranking_can_merge_are_refused_naming_those_of_the_settings(
    services: Services, records: TableRecords
) -> None:
    episodes = [made(services, ref=f"build:{number}") for number in range(MAX_CLASSES - 1)]
    *within, beyond = enumerate(episodes, start=1)
    for number, episode in within:
        changed(episode, services, decay={"half_life_seconds": number})

    number, episode = beyond
    with refused(records, TooManyProfiles, "16 decay profiles") as caught:
        changed(episode, services, decay={"half_life_seconds": number})

    for name in ("exponential:3600:0:0", "pinned"):
        assert name in str(caught.value)
    assert "exponential:1:0:0" not in str(caught.value)


def test_a_profile_that_is_in_use_is_never_one_too_many(services: Services) -> None:
    episodes = [made(services, ref=f"build:{number}") for number in range(MAX_CLASSES)]
    for number, episode in enumerate(episodes[:14], start=1):
        changed(episode, services, decay={"half_life_seconds": number})

    record = changed(episodes[14], services, decay={"half_life_seconds": 14})
    pinned_class = changed(episodes[15], services, decay={"half_life_seconds": 3_600})

    assert record.lifecycle.decay.half_life_seconds == 14
    assert pinned_class.lifecycle.decay.half_life_seconds == 3_600


def test_another_gain_is_no_other_decay_profile(services: Services, records: TableRecords) -> None:
    episode = made(services)

    changed(episode, services, decay={"reinforcement_gain": 0.9})

    assert not [each for each in records.everything() if each["pk"] == {"S": CLASSES}]
