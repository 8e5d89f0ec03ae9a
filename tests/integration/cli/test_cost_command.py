"""`membrane cost`, as it is given."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws

from membrane_cli.cli import main
from membrane_cli.commands import run
from membrane_cli.cost.month import read_prices, searches_of, show_searches
from tests.worlds.refusals import refuses


def test_it_tells_a_months_bill_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", "--events", "100k", "--retrievals", "20k", "--per", "day"]) == 0

    shown = capsys.readouterr().out
    found = re.findall(r"^(\w+)\t([\d,]+\.\d\d)$", shown, re.MULTILINE)
    parts = {part: float(dollars.replace(",", "")) for part, dollars in found}
    total = parts.pop("all")
    assert total == pytest.approx(sum(parts.values()), abs=0.01 * len(parts))
    assert parts["api"] == pytest.approx(120_000 * 30 / 1e6, abs=0.01)
    for assumption in (*read_prices().assumptions, "Graviton takes 1.4 times that CPU time"):
        assert assumption in shown


def test_graviton_may_take_as_long_as_the_reader_assumes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lambdas = []
    for factor in ("1", "1.5", "2"):
        run(["cost", "--events", "1M", "--json", "--graviton-factor", factor])
        told = json.loads(capsys.readouterr().out)
        lambdas.append(told["parts"]["lambda"])
        assert f"Graviton takes {factor} times that CPU time (--graviton-factor)" in told["assumed"]

    assert lambdas[0] < lambdas[1]
    assert lambdas[1] - lambdas[0] == pytest.approx(lambdas[2] - lambdas[1])


@pytest.mark.parametrize("factor", ["0", "0.4", "5.1", "-1", "much"])
def test_no_processor_is_as_fast_or_slow_as_that(
    factor: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(["cost", f"--graviton-factor={factor}"])

    assert f"expected a factor such as 1.4, not '{factor}'" in capsys.readouterr().err


def test_what_is_no_amount_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["cost", "--events", "many"])

    assert ended.value.code == 2
    assert "expected a number such as 250, 100k or 2M, not 'many'" in capsys.readouterr().err


TABLE = "membrane-Table-1"
HOUR = timedelta(hours=1)


@pytest.fixture
def cloudwatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """moto's, which takes metrics of AWS, too."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield boto3.client("cloudwatch")


def examine(
    cloudwatch: Any, index: str, *sizes: float, table: str = TABLE, minutes_ago: int = 5
) -> None:
    """A search for each size, as DynamoDB tells CloudWatch of searches."""
    named = [
        {"Name": "TableName", "Value": table},
        {"Name": "VectorIndexName", "Value": index},
    ]
    told = [
        {
            "MetricName": "VectorSearchRequestBytes",
            "Dimensions": named,
            "Timestamp": datetime.now(UTC) - timedelta(minutes=minutes_ago),
            "Value": size,
        }
        for size in sizes
    ]
    cloudwatch.put_metric_data(Namespace="AWS/DynamoDB", MetricData=told)


def test_what_the_searches_of_a_stack_examined_is_read_and_priced(
    cloudwatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    examine(cloudwatch, "vectors_512", 400_000.0, 600_000.0)
    examine(cloudwatch, "vectors_384", 1_000.0)
    examine(cloudwatch, "vectors_512", 9e9, table="another")
    examine(cloudwatch, "vectors_512", 9e9, minutes_ago=180)

    found = searches_of(TABLE, cloudwatch, datetime.now(UTC), HOUR)
    show_searches(found, as_json=False)
    rows = capsys.readouterr().out.splitlines()
    show_searches(found, as_json=True)

    assert rows == [
        "vectors_384\t1\t1,000\t1,000\t0.00",
        "vectors_512\t2\t1,000,000\t500,000\t1.00",
    ]
    assert json.loads(capsys.readouterr().out)[1] == {
        "vector_index": "vectors_512",
        "searches": 2,
        "examined_bytes": 1e6,
        "bytes_each": 5e5,
        "dollars_a_million": pytest.approx(1.0),
    }


def test_a_stack_without_searches_has_no_price_of_a_search(cloudwatch: Any) -> None:
    examine(cloudwatch, "vectors_512", 9e9, minutes_ago=180)

    with refuses("NOT_FOUND", match=f"no vector search of the table {TABLE} in the period"):
        searches_of(TABLE, cloudwatch, datetime.now(UTC), HOUR)


def test_searches_are_counted_and_not_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "--stack", "memory", "--live", "2M"]) == 1

    assert "--stack takes --per, without --events" in capsys.readouterr().err
