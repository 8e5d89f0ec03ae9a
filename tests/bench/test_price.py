"""Prices: how they are reckoned, what they follow, and that docs/costs.md has those kept."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from membrane_cli.cost.month import read_prices
from tests.bench.price import bill, lines
from tests.bench.price.table import with_table
from tests.bench.price.world import PricedWorld, Run, Spent, priced_world
from tests.worlds.metering import Cost, meter
from tests.worlds.pages import manual
from tests.worlds.stores import memory_store


@pytest.fixture(scope="module")
def world() -> Iterator[PricedWorld]:
    with priced_world() as found:
        yield found


def test_the_manual_shows_the_prices_that_were_kept() -> None:
    page = manual("costs").text

    assert with_table(page, read_prices()) == page


def test_a_function_is_billed_by_its_memory_and_waits_for_dynamodb() -> None:
    whole = Run("RetrieveFunction", 0.050, Cost(requests=10), "")
    slow = Run("HealthFunction", 0.010, Cost(), "")
    share = 512 / 1_769

    assert bill.lambda_dollars(whole) == pytest.approx(
        0.100 * 1_769 / 1_024 * 0.0000133334 + 0.2e-6
    )
    assert bill.lambda_dollars(slow) == pytest.approx(
        0.035 * 512 / 1_024 * 0.0000133334 + 0.2e-6
    ), f"10 ms at {share:.2f} of a processor, in whole milliseconds"


def test_a_bill_has_every_part_of_what_was_spent() -> None:
    cost = Cost(0, 1e6, 1e6, 1e9, 1e9)
    run = Run("RetrieveFunction", 0.050, cost, "x" * 974 + "\n")
    spent = Spent([run], 1_000_000, 1_000_000, 1_000_000_000)

    found = bill.bill_of(spent)

    assert found["api"] == pytest.approx(1.0)
    assert found["dynamodb"] == pytest.approx(0.625 + 0.125)
    assert found["vectors"] == pytest.approx(0.52 + 0.002)
    assert found["queues"] == pytest.approx(0.4)
    assert found["egress"] == pytest.approx(0.09)
    assert found["cpu"] == pytest.approx(0.050 * 1_769 / 1_024 * 0.0000133334)
    assert found["lambda"] == pytest.approx(0.2e-6)
    assert found["logs"] == pytest.approx(
        (1_000 + 1_000_000 * bill.log_bytes(bill.access_line())) * 0.53e-9
    )


@pytest.mark.parametrize("spare", [0, -1])
def test_an_items_bytes_are_those_that_a_write_is_charged_by(spare: int) -> None:
    item: dict[str, Any] = {
        "pk": {"S": "pk"},
        "sk": {"S": "sk"},
        "numbers": {"L": [{"N": "-12.5"}, {"N": "100"}, {"N": "0.000001"}]},
        "map": {"M": {"é": {"BOOL": True}, "none": {"NULL": True}}},
        "words": {"SS": ["one", "two"]},
        "bytes": {"B": b"12345"},
        "text": {"S": ""},
    }
    item["text"] = {"S": "x" * (1_024 - bill.item_bytes(item) - spare)}

    with memory_store() as store:
        cost = meter(store.client)
        store.client.put_item(
            TableName=store.table, Item=item, ConditionExpression="attribute_not_exists(pk)"
        )

    assert cost.write_units == (1 if spare == 0 else 2)


def test_changes_are_indexed_in_batches_of_the_size_that_is_asked_for(world: PricedWorld) -> None:
    sender = lines.Sender(world)
    sender.send(lines.event, 1, 1)

    with world.spending() as spent:
        sender.send(lines.event, 4, 2)

    reading = {source.function for source in world.sources.streams}
    assert spent.api_requests == 4
    assert sum(run.function == "IngestEventFunction" for run in spent.runs) == 4
    assert sum(run.function in reading for run in spent.runs) == 2 * len(reading)
    assert all(run.log for run in spent.runs)


def test_what_a_client_reads_leaves_aws(world: PricedWorld) -> None:
    with world.spending() as spent:
        reply = world.http(lines.no_task(0))

    assert spent.reply_bytes > len(json.dumps(reply, separators=(",", ":"))) > 0


def test_what_expires_is_removed_in_the_services_name() -> None:
    with priced_world() as aging:
        sender = lines.Sender(aging)
        sender.send(lines.event, 1, 1)
        before = len(aging.items())
        aging.advance(lines.fading_of(lines.EVENT), 1)
        aging.run("DecayFunction")
        aging.advance(timedelta(days=91), 1)

        assert aging.expired
        assert len(aging.items()) < before


def test_an_idle_month_pays_for_alarms_polls_and_schedules() -> None:
    with priced_world() as empty:
        found = lines.idle_month(empty)

    assert found["alarms"] <= 3.7
    assert found["queues"] == pytest.approx(9 * 2 * 129_600 * 0.4e-6, rel=0.01)
    assert found["schedules"] > 0
    assert found["dashboard"] == 0
