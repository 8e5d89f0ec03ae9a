"""What no emulator does: conflicts, throttling, failures, and replies that are lost."""

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

import pytest
from botocore.exceptions import ClientError

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.table.dynamo import THROTTLED, measure_throttles
from membrane.table.items import LostRace
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import MAX_TRIES
from tests.builders.records import ingest
from tests.builders.requests import call, event, full_record, outcome, relation, written
from tests.builders.stored_records import stored
from tests.fakes.chat_models import Metrics
from tests.worlds.faults import (
    UNREACHABLE,
    Answer,
    cancelled,
    failure,
    gateway_failure,
    hooks,
    intercept,
    without_retries,
)
from tests.worlds.stores import Store

CONFLICTS: dict[str, tuple[str, Callable[[], Answer]]] = {
    "create": ("PutItem", lambda: failure("TransactionConflictException")),
    "create with relations": (
        "TransactWriteItems",
        lambda: cancelled("None", "TransactionConflict", "None"),
    ),
    "change": ("PutItem", lambda: failure("TransactionConflictException")),
}


def created(table: Store, **fields: Any) -> MemoryRecord:
    """An event's record, stored without a fault."""
    asked = event(**fields)
    return written(ingest(asked, call(asked), table.services))


def act(table: Store, action: str, target: MemoryRecord) -> MemoryRecord:
    """Create a record, with or without relations, or change the target."""
    if action == "change":
        asked = outcome(target.id)
        return written(ingest(asked, call(asked), table.services))
    if action == "create":
        return created(table)
    full = full_record(relations=[relation(target.id)])
    return written(ingest_record(full, call(full), table.services))


@pytest.mark.parametrize("action", CONFLICTS)
def test_a_write_that_meets_a_transaction_is_tried_again(table: Store, action: str) -> None:
    target = created(table)
    operation, conflict = CONFLICTS[action]
    answers = chain([conflict(), conflict()], repeat(None))
    intercept(table.client, operation, lambda: next(answers))

    record = act(table, action, target)

    assert table.back_off.tries == [0, 1]
    found = table.records.load(record.id)
    assert isinstance(found, StoredRecord)
    assert found.with_newest_entries() == record
    assert len(found.trail) == (2 if action == "change" else 1)


@pytest.mark.parametrize("action", CONFLICTS)
def test_a_write_that_meets_transactions_every_time_is_aborted(table: Store, action: str) -> None:
    target = created(table)
    before = table.everything()
    operation, conflict = CONFLICTS[action]
    intercept(table.client, operation, conflict)
    table.watched.requests.clear()

    with pytest.raises(Aborted):
        act(table, action, target)

    assert table.watched.operations().count(operation) == MAX_TRIES
    assert table.everything() == before


REQUESTS: dict[str, tuple[str, Callable[[Store, MemoryRecord], object]]] = {
    "create": ("PutItem", lambda table, target: act(table, "create", target)),
    "create with relations": (
        "TransactWriteItems",
        lambda table, target: act(table, "create with relations", target),
    ),
    "change": ("PutItem", lambda table, target: act(table, "change", target)),
    "load": ("Query", lambda table, target: table.records.load(target.id)),
    "who holds a head": ("GetItem", lambda table, _: table.records.head(b"head")),
    "find a key": ("GetItem", lambda table, _: table.keys.find("a" * 64)),
    "list the keys": ("Query", lambda table, _: table.keys.list_keys()),
}
BUSY: dict[str, Callable[[], Answer]] = {
    code: lambda code=code: failure(code)  # type: ignore[misc]  # a lambda that keeps its code
    for code in (
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    )
}
DOWN: dict[str, Callable[[], Answer]] = {
    **UNREACHABLE,
    "internal error": lambda: failure("InternalServerError", 500),
    "internal failure": lambda: failure("InternalFailure", 500),
    "unavailable": lambda: failure("ServiceUnavailable", 503),
    "bad gateway": lambda: gateway_failure(502),
    "gateway unavailable": lambda: gateway_failure(503),
    "gateway timeout": lambda: gateway_failure(504),
}


def refused(table: Store, request: str, answer: Callable[[], Answer]) -> Exception:
    """What the request raises where that is all that the network answers; nothing is written."""
    target = created(table)
    before = table.everything()
    operation, run = REQUESTS[request]
    without_retries(table.client)
    intercept(table.client, operation, answer)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the callers look at it
        run(table, target)
    assert table.everything() == before
    return raised.value


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_throttled_request_is_resource_exhausted(table: Store, request_: str) -> None:
    assert isinstance(refused(table, request_, BUSY["ThrottlingException"]), ResourceExhausted)


@pytest.mark.parametrize("answer", BUSY.values(), ids=BUSY)
def test_throttling_has_several_names(table: Store, answer: Callable[[], Answer]) -> None:
    assert isinstance(refused(table, "create", answer), ResourceExhausted)


@pytest.mark.parametrize("reason", ["ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_of_which_one_action_is_throttled_is_resource_exhausted(
    table: Store, reason: str
) -> None:
    error = refused(table, "create with relations", lambda: cancelled("None", reason, "None"))

    assert isinstance(error, ResourceExhausted)


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_throttled_attempt_is_told_in_numbers(table: Store, request_: str) -> None:
    metrics = Metrics()
    measure_throttles(table.client, metrics)

    refused(table, request_, BUSY["ThrottlingException"])

    assert metrics.told == [(THROTTLED, 1, {})]


def test_a_transaction_is_throttled_where_one_of_its_actions_is(table: Store) -> None:
    metrics = Metrics()
    measure_throttles(table.client, metrics)

    refused(table, "create with relations", lambda: cancelled("None", "ThrottlingError"))
    refused(table, "change", lambda: failure("ValidationException"))

    assert metrics.told == [(THROTTLED, 1, {})]


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_that_nobody_answers_is_unavailable(table: Store, request_: str) -> None:
    assert isinstance(refused(table, request_, DOWN["read timeout"]), Unavailable)


@pytest.mark.parametrize("answer", DOWN.values(), ids=DOWN)
def test_a_store_that_is_down_in_any_way_is_unavailable(
    table: Store, answer: Callable[[], Answer]
) -> None:
    assert isinstance(refused(table, "create", answer), Unavailable)


@pytest.mark.parametrize(
    "code", ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"]
)
def test_a_failure_that_no_caller_can_help_stays_as_it_is(table: Store, code: str) -> None:
    assert isinstance(refused(table, "create", lambda: failure(code)), ClientError)


# --- replies that are lost after the write -------------------------------------------------------


def test_a_record_whose_last_try_was_written_but_not_heard_of_is_not_called_aborted(
    table: Store,
) -> None:
    target = created(table)
    asked = outcome(target.id)
    answers = chain(repeat(failure("TransactionConflictException"), MAX_TRIES - 1), repeat(None))
    intercept(table.client, "UpdateItem", lambda: next(answers))
    lose_replies_after(table, MAX_TRIES - 1)

    record = written(ingest(asked, call(asked), table.services))

    assert len(record.audit_log) == 2


def lose_replies_after(table: Store, tries: int) -> None:
    """Lose the first reply that comes after so many failed tries."""
    replies: list[int] = []

    def again(response: Any, **_: object) -> int | None:
        replies.append(response[0].status_code)
        return 0 if len(replies) == tries + 1 else None

    hooks(table.client).register_first("needs-retry.dynamodb.UpdateItem", again)


def test_the_store_itself_reports_a_lost_race_and_tries_nothing_again(
    table: Store,
) -> None:
    intercept(table.client, "PutItem", lambda: failure("TransactionConflictException"))

    with pytest.raises(LostRace):
        table.records.create(stored())

    assert table.watched.operations() == ["PutItem"]
