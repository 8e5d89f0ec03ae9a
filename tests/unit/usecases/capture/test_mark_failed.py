"""A capture says that every try of the interpreting model failed."""

from dataclasses import replace

import pytest

from membrane.domain.records.interpretation import Interpretation, InterpretationStatus
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.mark_failed import FAILED, WHY, mark_failed
from membrane.usecases.ports.services import Services
from tests.builders.stored_records import buried, stored
from tests.fakes.operators import Metrics
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services


@pytest.fixture
def services(records: FakeRecords) -> Services:
    return make_services(records=records, now=records.now, measure=Metrics())


def put(held: StoredRecord, services: Services) -> StoredRecord:
    """Store the record as a capture that the rules have read."""
    interpretation = Interpretation(status=InterpretationStatus.RESOLVED)
    noted = held.record.model_copy(update={"interpretation": interpretation})
    services.records.create(replace(held, record=noted))
    return load(services)


def load(services: Services) -> StoredRecord:
    held = services.records.load("capture")
    assert isinstance(held, StoredRecord)
    return held


def measured(services: Services) -> list[str]:
    assert isinstance(services.measure, Metrics)
    return [name for name, _, _ in services.measure.told]


def test_the_status_is_failed_once_with_an_audit_entry_and_a_metric(services: Services) -> None:
    before = put(stored("capture"), services)

    for _ in range(2):
        mark_failed("capture", services)

    after = load(services)
    assert after.record.interpretation is not None
    assert after.record.interpretation.status is InterpretationStatus.FAILED
    assert after.version == before.version + 1
    assert after.record.audit_log[-1].rationale == WHY
    assert measured(services) == [FAILED]


def test_a_capture_that_is_deleted_or_absent_stays_as_it_is(services: Services) -> None:
    services.records.create(buried(stored("capture")))
    before = load(services)

    mark_failed("capture", services)
    mark_failed("nowhere", services)

    assert load(services) == before
    assert measured(services) == []


def test_a_record_that_is_no_capture_stays_as_it_is(services: Services) -> None:
    services.records.create(stored("capture"))

    mark_failed("capture", services)

    assert load(services).version == 1
    assert measured(services) == []
