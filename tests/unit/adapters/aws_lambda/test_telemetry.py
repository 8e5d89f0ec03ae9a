"""What operators see of a request: one line that is its log and its metric."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from membrane.adapters.aws_lambda.invocation import Correlation, under_way
from membrane.adapters.aws_lambda.telemetry import meter, namespace_of, reporter
from tests.fakes.clock import MORNING

IDS = Correlation("JKJaXmPLvHcESHA=", "of-lambda", None, cold_start=True, began_s=40.0)


@pytest.fixture
def invocation() -> Iterator[None]:
    """An invocation under way."""
    token = under_way.set(IDS)
    yield
    under_way.reset(token)


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The lines written so far, parsed."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_request_is_one_line_of_log_and_a_metric_in_the_embedded_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reporter(lambda: MORNING, namespace_of("memory"))("IngestEvent", "NOT_FOUND")

    (line,) = told(capsys)
    (metrics,) = line["_aws"]["CloudWatchMetrics"]
    assert (line["level"], line["message"], line["service"]) == ("INFO", "request", "membrane")
    assert line["timestamp"] == "2026-03-01T09:00:00.25Z"
    assert line["_aws"]["Timestamp"] == MORNING.timestamp() * 1000
    assert metrics["Namespace"] == "Membrane/memory"
    assert {line[metric["Name"]] for metric in metrics["Metrics"]} == {1}
    assert [line[name] for name in metrics["Dimensions"][0]] == ["IngestEvent", "NOT_FOUND"]
    assert ["code"] in metrics["Dimensions"], "the alarm on faults asks for every RPC's at once"


@pytest.mark.usefixtures("invocation")
def test_a_fault_is_logged_with_its_trace_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    report = reporter(lambda: MORNING, elapsed_s=lambda: 40.0126)

    report("IngestEvent", "FAULT", ZeroDivisionError("nothing to divide by"))

    logged, counted = told(capsys)
    assert logged["level"] == "ERROR"
    assert logged["rpc"] == "IngestEvent"
    assert (logged["request_id"], logged["elapsed_ms"]) == ("JKJaXmPLvHcESHA=", 13)
    assert "nothing to divide by" in logged["exception"]
    assert counted["code"] == "FAULT"


@pytest.mark.usefixtures("invocation")
def test_every_line_has_the_ids_and_the_time_since_the_invocation_began(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = reporter(lambda: MORNING, elapsed_s=lambda: 40.0126)
    report("IngestEvent", "OK")
    meter(lambda: MORNING, elapsed_s=lambda: 40.0126)("Pruned", 3, "Count", type="episodic")

    lines = told(capsys)

    assert [each["message"] for each in lines] == ["request", "metric"]
    for line in lines:
        assert line["request_id"] == "JKJaXmPLvHcESHA="
        assert line["function_request_id"] == "of-lambda"
        assert line["cold_start"] is True
        assert line["elapsed_ms"] == 13
        assert "xray_trace_id" not in line
    assert lines[-1]["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["type"], []]


def test_a_line_names_the_trace_that_x_ray_keeps(capsys: pytest.CaptureFixture[str]) -> None:
    token = under_way.set(IDS._replace(xray_trace_id="1-5759e988-bd862e3fe1be46a994272793"))

    reporter(lambda: MORNING)("IngestEvent", "OK")
    under_way.reset(token)

    (line,) = told(capsys)
    assert line["xray_trace_id"] == "1-5759e988-bd862e3fe1be46a994272793"


def test_a_number_is_one_line_that_is_a_metric_by_its_dimensions_and_in_sum(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure = meter(lambda: MORNING, namespace_of("memory"))

    measure("OldestDueAge", 12.5, "Seconds")
    measure("Pruned", 3, "Count", type="episodic")

    age, pruned = told(capsys)
    (metrics,) = age["_aws"]["CloudWatchMetrics"]
    assert age["OldestDueAge"] == 12.5
    assert age["timestamp"] == "2026-03-01T09:00:00.25Z"
    assert age["_aws"]["Timestamp"] == MORNING.timestamp() * 1000
    assert metrics == {
        "Namespace": "Membrane/memory",
        "Metrics": [{"Name": "OldestDueAge", "Unit": "Seconds"}],
        "Dimensions": [[]],
    }
    assert (pruned["Pruned"], pruned["type"]) == (3, "episodic")
    assert pruned["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["type"], []]
