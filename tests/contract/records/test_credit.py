"""Credit in the store: of a record in its own item, of a receipt in an item beside the receipt."""

from dataclasses import replace
from functools import partial

import pytest

from membrane.adapters.dynamodb.erasure.erasure_store import trace_of
from membrane.domain.records.stored import CreditSummary, StoredRecord
from membrane.domain.records.usefulness import CreditLedger
from membrane.table.items import CorruptItem, LostRace
from membrane.usecases.ports.records import Spending
from membrane.wiring.world import World
from tests.builders.requests import event, observation, outcome
from tests.builders.stored_records import NOW, RECEIPT_ID, answer_receipt, buried, changed, stored
from tests.worlds.revision import done, id_of
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

LEDGER = CreditLedger(1.5, 0.25, 2, NOW, "0" * 12, NOW[:10], {"f" * 12: 0.35})
FIRST = Spending(RECEIPT_ID, 0.0, 0.066667)
SECOND = Spending(RECEIPT_ID, 0.066667, 0.2)


def kept(store: Store, record: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(record)
    return read(store, record.id)


def read(store: Store, record_id: str) -> StoredRecord:
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def test_the_credit_of_a_record_is_read_as_it_was_written(store: Store) -> None:
    before = kept(store, stored("one"))
    assert before.credit is None

    store.records.replace(before, replace(changed(before), credit=LEDGER))

    assert read(store, "one").credit == LEDGER
    (own,) = store.records.load_own(["one"]).values()
    assert isinstance(own, StoredRecord)
    assert own.credit == LEDGER


def test_the_credit_stays_when_something_else_changes_and_goes_with_the_document(
    store: Store,
) -> None:
    before = kept(store, replace(stored("one"), credit=LEDGER))

    store.records.replace(before, changed(before))

    assert read(store, "one").credit == LEDGER
    tombstone = buried(read(store, "one"))
    store.records.replace(read(store, "one"), tombstone)
    assert read(store, "one").credit == LEDGER, "of a record that can be restored"


def test_the_credit_of_many_records_is_read_at_once(store: Store) -> None:
    kept(store, replace(stored("used"), credit=LEDGER))
    kept(store, stored("unused"))
    deleted = kept(store, replace(stored("deleted"), credit=LEDGER))
    store.records.replace(deleted, buried(deleted))

    (found,) = store.records.credit_summaries(["used", "unused", "deleted", "absent"])

    of_used = read(store, "used")
    assert found == CreditSummary("used", of_used.scope, of_used.sensitivity, LEDGER)
    assert store.records.credit_summaries([]) == []


def test_credit_is_spent_in_the_transaction_of_the_change(store: Store) -> None:
    before = kept(store, stored("one"))
    assert store.records.spent_of(RECEIPT_ID) == 0.0

    store.records.replace_all([(before, changed(before))], spending=FIRST)
    assert store.records.spent_of(RECEIPT_ID) == FIRST.after
    again = read(store, "one")
    store.records.replace_all([(again, changed(again))], spending=SECOND)

    assert store.records.spent_of(RECEIPT_ID) == SECOND.after
    assert store.records.spent_of("another") == 0.0


@pytest.mark.parametrize("spending", [FIRST, SECOND._replace(before=0.1)])
def test_credit_spent_by_another_writer_stops_the_change(store: Store, spending: Spending) -> None:
    before = kept(store, stored("one"))
    store.records.replace_all([(before, changed(before))], spending=FIRST)
    held = read(store, "one")

    with pytest.raises(LostRace):
        store.records.replace_all([(held, changed(held))], spending=spending)

    assert read(store, "one") == held
    assert store.records.spent_of(RECEIPT_ID) == FIRST.after


def test_a_lost_race_of_the_record_spends_nothing(store: Store) -> None:
    before = kept(store, stored("one"))
    store.records.replace(before, changed(before))

    with pytest.raises(LostRace):
        store.records.replace_all([(before, changed(before))], spending=FIRST)

    assert store.records.spent_of(RECEIPT_ID) == 0.0


def test_what_is_spent_lies_beside_the_receipt_and_goes_by_ttl_no_earlier(
    table: Store,
) -> None:
    table.answers.keep(answer_receipt({"one": 0.5}))
    table.clock.advance(days=1)
    before = kept(table, stored("one"))
    table.records.replace_all([(before, changed(before))], spending=FIRST)

    receipt, spent = table.partition(f"answer#{RECEIPT_ID}")

    assert int(spent["expires_at"]["N"]) > int(receipt["expires_at"]["N"])
    assert spent["amount"] == {"N": "0.066667"}


def test_what_is_spent_is_no_trace_of_anybody(table: Store) -> None:
    before = kept(table, stored("one"))
    table.records.replace_all([(before, changed(before))], spending=FIRST)

    (spent,) = table.partition(f"answer#{RECEIPT_ID}")

    assert trace_of(spent, table.blobs) is None


@pytest.mark.parametrize("credit", ["[]", "{}", '{"s": 1}', "x"])
def test_a_damaged_ledger_is_no_absence(table: Store, credit: str) -> None:
    table.records.create(replace(stored("one"), credit=LEDGER))
    table.put({**table.own_item("one"), "credit": {"S": credit}})

    with pytest.raises(CorruptItem):
        table.records.load("one")


def resting(services: World, *, receipts: int) -> list[str]:
    """The ids of a fact and of an episode; each receipt handed the fact out."""
    fact_id = id_of(done(observation(), services))
    for number in range(receipts):
        services.receipts.keep(answer_receipt({fact_id: 0.5}, id=f"receipt-{number}"))
    return [fact_id, id_of(done(event(), services))]


def test_of_two_outcomes_at_once_the_receipt_gives_its_credit_once(table: Store) -> None:
    fact_id, episode_id = resting(table.services, receipts=1)
    asked = outcome(episode_id, receipt_id="receipt-0")

    at_once([partial(done, asked, table.services, key=str(number)) for number in range(4)])

    credit = read(table, fact_id).credit
    assert credit is not None
    assert (credit.successes, credit.used) == (1.0, 1)
    assert len(read(table, episode_id).trail) == 5


def test_many_receipts_at_once_give_no_more_than_the_limit_of_the_day(table: Store) -> None:
    fact_id, episode_id = resting(table.services, receipts=4)
    asked = [outcome(episode_id, receipt_id=f"receipt-{number}") for number in range(4)]

    at_once([partial(done, each, table.services) for each in asked])

    credit = read(table, fact_id).credit
    assert credit is not None
    assert (credit.successes, credit.used) == (2.0, 2)


def test_an_outcome_alone_costs_the_requests_that_it_cost_before(table: Store) -> None:
    _, episode_id = resting(table.services, receipts=0)
    table.watched.requests.clear()

    done(outcome(episode_id), table.services)

    assert table.watched.operations() == ["Query", "PutItem"]


def test_an_outcome_by_a_receipt_costs_three_reads_and_a_transaction(table: Store) -> None:
    _, episode_id = resting(table.services, receipts=1)
    table.watched.requests.clear()

    done(outcome(episode_id, receipt_id="receipt-0"), table.services)

    assert table.watched.operations() == [
        "Query",
        "GetItem",
        "GetItem",
        "BatchGetItem",
        "TransactWriteItems",
    ]
