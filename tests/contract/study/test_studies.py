"""Studies of documents are kept version by version, and until they expire."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.attributes import CorruptItem
from membrane.domain.study.jobs import Job, StudyStage
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from tests.builders.studies import study_job
from tests.worlds.stores import Store

SCOPE = "project:whales"


def begun(store: Store, **changes: Any) -> tuple[Job, Checkpoint]:
    """A kept job, and its checkpoint."""
    job = study_job("study-1", store.clock(), **changes)
    return job, store.studies.keep(job, None)


def test_a_job_is_read_as_it_was_kept(store: Store) -> None:
    job, kept = begun(store, scope=SCOPE, units={"section": 3}, said="A whale.", is_dry_run=True)

    found = store.studies.find(job.id)

    assert found == kept
    assert found is not None
    assert Job.of_json(found.progress) == job
    assert store.studies.find("study-2") is None


def test_a_job_is_kept_once_and_replaced_under_the_version_read(store: Store) -> None:
    job, first = begun(store)
    later = replace(job, stage=StudyStage.STUDYING, place=3)

    with pytest.raises(LostRace):
        store.studies.keep(replace(job, title="Typee"), None)
    second = store.studies.keep(later, first)
    with pytest.raises(LostRace):
        store.studies.keep(job, first)

    assert store.studies.find(job.id) == second
    assert second.progress == later.as_json()


def test_a_put_of_a_job_that_is_sent_again_is_no_lost_race(store: Store) -> None:
    job, first = begun(store)
    later = replace(job, stage=StudyStage.STUDYING, place=3)
    second = store.studies.keep(later, first)

    assert store.studies.keep(later, first) == second
    assert store.studies.find(job.id) == second


def test_a_job_that_is_gone_is_not_replaced(store: Store) -> None:
    job = study_job("study-1", store.clock())

    with pytest.raises(LostRace):
        store.studies.keep(job, Checkpoint(job.as_json(), 4))

    assert store.studies.find(job.id) is None


def test_an_expired_job_is_absent_and_another_job_takes_its_id(store: Store) -> None:
    job, _ = begun(store)

    store.clock.advance(days=7)

    assert store.studies.find(job.id) is None
    again, kept = begun(store, title="Typee")
    assert store.studies.find(again.id) == kept


def test_an_expired_job_that_goes_on_is_kept_for_longer(store: Store) -> None:
    job, first = begun(store)

    store.clock.advance(days=8)
    longer = study_job(job.id, store.clock())
    second = store.studies.keep(longer, first)

    assert store.studies.find(job.id) == second


def test_the_item_has_the_scope_for_an_erasure_and_the_end_for_ttl(table: Store) -> None:
    job, _ = begun(table, scope=SCOPE)

    (item,) = table.partition("study#study-1")

    assert item["sk"] == {"S": "study"}
    assert item["scope"] == {"S": SCOPE}
    assert item["expires_at"] == {"N": str(job.expires_at_s)}


def test_the_item_of_an_unscoped_job_has_no_scope(table: Store) -> None:
    begun(table)

    (item,) = table.partition("study#study-1")

    assert "scope" not in item


def test_a_damaged_item_is_reported(table: Store) -> None:
    job, _ = begun(table)
    (item,) = table.partition("study#study-1")

    table.put({**item, "progress": {"S": "{"}})

    with pytest.raises(CorruptItem, match="progress"):
        table.studies.find(job.id)
