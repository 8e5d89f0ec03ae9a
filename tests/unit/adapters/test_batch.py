"""A batch ends before API Gateway stops waiting for it."""

from datetime import datetime, timedelta
from functools import partial
from itertools import count

from membrane.adapters.aws_lambda.batch import BEGINS_WITHIN, perform_batch
from membrane.adapters.aws_lambda.routes import INGESTS
from membrane.domain.requests import IngestBatch
from tests.fakes import MORNING, FakeRecords, make_services
from tests.unit.usecases.asking import OWNER, call


def test_items_that_time_runs_out_for_are_not_begun_and_told_so() -> None:
    seconds = count()
    records = FakeRecords(lambda: MORNING)

    def now() -> datetime:
        """Every look at the clock takes a second."""
        return MORNING + timedelta(seconds=next(seconds))

    items = tuple(
        {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": str(n)}
        for n in range(20)
    )
    batch = partial(perform_batch, operations=INGESTS)
    asked = IngestBatch(items=items)

    body = batch(asked, call(asked, OWNER), make_services(records=records, now=now))

    statuses = [entry["status"] for entry in body["results"]]
    assert statuses == sorted(statuses)
    assert set(statuses) == {201, 503}
    assert statuses.count(201) == len(records.places) <= BEGINS_WITHIN.total_seconds()
    assert body["results"][-1]["error"]["code"] == "UNAVAILABLE"
