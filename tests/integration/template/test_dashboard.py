"""The dashboard and the alarms of template.yaml: all that they name is told, all of ours named."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda import telemetry
from membrane.adapters.aws_lambda.events import stream
from membrane.adapters.aws_lambda.http.operations import SUCCESS
from membrane.adapters.aws_lambda.http.problems import KINDS
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.domain.capture.acceptance import Dropped
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.interpretation import InterpretationFailure
from membrane.table.dynamo import THROTTLED
from membrane.usecases.capture.interpret_capture import (
    DROPPED,
    FAILED,
    INTERPRETED,
    MALFORMED,
    OUT_OF_TOKENS,
    TOKENS,
)
from membrane.usecases.chat import rounds
from membrane.usecases.learning.consolidate import PLANS, SKILLS, TRACES
from membrane.usecases.lifecycle.sweep_due import Outcome, SweepResult
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import NO_ROOM
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.revision.derived_facts import LEFT_OUT, LeftOut
from membrane.usecases.topics.reasoning.forget_topics import take_steps
from membrane.usecases.topics.reasoning.merging import merge_topics
from tests.bench.costs import EXAMINED_PRICE, INDEXED_PRICE, RRU_PRICE, WRU_PRICE
from tests.builders.requests import OWNER
from tests.builders.stored_topics import made
from tests.fakes.clock import MORNING
from tests.worlds.memory import make_world
from tests.worlds.template import (
    _watched,
    document,
    functions,
    parameters,
    ref,
    resources,
    shared,
)

COLUMNS, MAX_METRICS = 24, 500
NAMESPACE = telemetry.namespace_of("${AWS::StackName}")
REFUSALS = {kind.code for kind in KINDS.values()}

INTERPRETING = {"Interpreting": True}
"""A stack in which a model interprets captures."""

OF_AWS: Mapping[tuple[str, str], tuple[set[str], ...]] = {
    ("AWS/ApiGateway", "Count"): ({"ApiId"},),
    ("AWS/ApiGateway", "4xx"): ({"ApiId"},),
    ("AWS/ApiGateway", "5xx"): ({"ApiId"},),
    ("AWS/ApiGateway", "Latency"): ({"ApiId"},),
    ("AWS/DynamoDB", "ConsumedReadCapacityUnits"): (
        {"TableName"},
        {"TableName", "GlobalSecondaryIndexName"},
    ),
    ("AWS/DynamoDB", "ConsumedWriteCapacityUnits"): (
        {"TableName"},
        {"TableName", "GlobalSecondaryIndexName"},
    ),
    ("AWS/DynamoDB", "VectorSearchRequestBytes"): ({"TableName", "VectorIndexName"},),
    ("AWS/DynamoDB", "VectorWriteRequestBytes"): ({"TableName", "VectorIndexName"},),
    ("AWS/Lambda", "ConcurrentExecutions"): (set(),),
    ("AWS/Lambda", "Duration"): ({"FunctionName"},),
    ("AWS/Lambda", "Errors"): ({"FunctionName"},),
    ("AWS/Lambda", "Invocations"): ({"FunctionName"},),
    ("AWS/Lambda", "IteratorAge"): ({"FunctionName"},),
    ("AWS/Lambda", "Throttles"): ({"FunctionName"}, set()),
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): ({"QueueName"},),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): ({"QueueName"},),
    ("AWS/States", "ExecutionsFailed"): ({"StateMachineArn"},),
}
"""The dimensions of AWS's own metrics, as the services' guides have them."""


# --- What is named, and what there is -----------------------------------------------------------


def test_every_metric_of_the_dashboard_and_of_alarms_is_one_that_is_told_by_these_dimensions(
    told: Mapping[tuple[str, str], list[set[str]]],
) -> None:
    there = {**OF_AWS, **told}

    for namespace, name, dimensions in (*shown_metrics(), *alarmed_metrics()):
        assert set(dimensions) in there[namespace, name], (namespace, name, dimensions)


def test_every_metric_of_ours_is_shown(told: Mapping[tuple[str, str], list[set[str]]]) -> None:
    shown = {(namespace, name) for namespace, name, _ in shown_metrics()}

    assert set(told) <= shown


def test_dimensions_have_values_that_there_are() -> None:
    indexes = {
        index["IndexName"]
        for table in resources("AWS::DynamoDB::Table").values()
        for index in table["GlobalSecondaryIndexes"]
    }
    there = {
        "ApiId": {f"${{{name}}}" for name in resources("AWS::Serverless::HttpApi")},
        "FunctionName": {f"${{{name}}}" for name in functions()},
        "GlobalSecondaryIndexName": indexes,
        "QueueName": {f"${{{name}.QueueName}}" for name in resources("AWS::SQS::Queue")},
        "TableName": {
            "${UsedTable}",
            *(f"${{{name}}}" for name in resources("AWS::DynamoDB::Table")),
        },
        "reason": {*Dropped, *LeftOut, *InterpretationFailure},
        "code": {SUCCESS, FAULT, *REFUSALS},
        "rpc": {operation.rpc for operation in ROWS},
    }

    for _, name, dimensions in shown_metrics():
        for dimension, value in dimensions.items():
            assert value in there[dimension], (name, dimension, value)


# --- Whether it is whole ------------------------------------------------------------------------


def test_every_rpc_every_refusal_every_function_and_every_queue_is_on_the_dashboard() -> None:
    queues = {f"${{{name}.QueueName}}" for name in resources("AWS::SQS::Queue")}

    assert on_dashboard("Requests", "rpc") == {operation.rpc for operation in ROWS}
    assert on_dashboard("Requests", "code") == {SUCCESS, FAULT, *REFUSALS}
    for metric in ("Errors", "Duration", "Throttles", "Invocations"):
        every = {f"${{{name}}}" for name in functions()}
        assert on_dashboard(metric, "FunctionName") == every, metric
    given_up = on_dashboard("ApproximateNumberOfMessagesVisible", "QueueName")
    waiting = on_dashboard("ApproximateAgeOfOldestMessage", "QueueName")
    assert given_up | waiting == queues
    assert not given_up & waiting


def test_what_raises_an_alarm_is_on_the_dashboard() -> None:
    for metric, dimension in (
        ("ApproximateNumberOfMessagesVisible", "QueueName"),
        ("ApproximateAgeOfOldestMessage", "QueueName"),
    ):
        assert on_dashboard(metric, dimension) == watched(metric, dimension), metric


def test_every_alarm_is_on_the_dashboard_that_of_cost_where_there_is_one() -> None:
    limited = {"CostLimited": True, **INTERPRETING}
    unlimited = {"CostLimited": False, **INTERPRETING}
    every = {f"${{{name}.Arn}}" for name in resources("AWS::CloudWatch::Alarm")}

    assert alarms_shown(limited) == every
    assert alarms_shown(unlimited) == every - {"${CostAlarm.Arn}"}


def test_without_a_model_the_dashboard_has_nothing_of_the_interpretation() -> None:
    assert "Interpret" not in json.dumps(body({}))


# --- What a day costs ---------------------------------------------------------------------------


def test_the_prices_of_the_dashboard_are_those_of_the_cost_table() -> None:
    prices = document()["Mappings"]["Prices"]["OnDemand"]

    shown = [float(prices[each]) for each in ("Reads", "Writes", "Indexed", "Examined")]
    assert shown == [RRU_PRICE, WRU_PRICE, INDEXED_PRICE, EXAMINED_PRICE]


def test_the_tables_part_of_a_day_is_what_the_cost_table_says() -> None:
    read, write = 3_000_000, 2_000_000

    spent = dollars("table", {"read": [read, read], "write": [write]})

    assert spent == pytest.approx(2 * read / 1e6 * RRU_PRICE + write / 1e6 * WRU_PRICE)


def test_the_functions_part_goes_by_memory_and_by_calls() -> None:
    hour_ms = 3_600_000

    of_half = dollars("lambda", {"half": [hour_ms], "whole": [], "calls": []})
    of_whole = dollars("lambda", {"half": [], "whole": [hour_ms], "calls": []})
    of_calls = dollars("lambda", {"half": [], "whole": [], "calls": [1_000_000]})

    assert of_half == pytest.approx(3_600 * 0.5 * 0.0000133334)
    assert of_whole == pytest.approx(3_600 * 1_769 / 1_024 * 0.0000133334)
    assert of_calls == pytest.approx(0.2)


def test_every_function_is_counted_by_the_memory_that_it_has() -> None:
    memory = {"half": 512, "whole": 1_769}

    by_group = {group: shown_by_id(group) for group in memory}

    for group, megabytes in memory.items():
        assert by_group[group] == {
            f"${{{name}}}"
            for name, properties in functions().items()
            if properties.get("MemorySize", shared()["MemorySize"]) == megabytes
        }
    assert shown_by_id("calls") == by_group["half"] | by_group["whole"]


def test_every_index_of_the_table_is_counted() -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    indexes = {index["IndexName"] for index in table["GlobalSecondaryIndexes"]}

    for group in ("read", "write"):
        assert shown_by_id(group) == {"${Table}", *indexes}, group


def test_an_hour_that_costs_more_than_its_share_of_a_day_raises_an_alarm_where_there_is_one() -> (
    None
):
    alarm = document()["Resources"]["CostAlarm"]
    limit = parameters()["DailyCostLimit"]
    million, gigabyte = 1_000_000, 1_000_000_000

    spent = dollars_of(
        alarm["Properties"],
        {
            "read": million,
            "write": million,
            "rank": million,
            "indexed": gigabyte,
            "examined": gigabyte,
        },
    )

    an_hour = RRU_PRICE + WRU_PRICE * (1 + 4) + INDEXED_PRICE + EXAMINED_PRICE
    assert spent == pytest.approx(24 * an_hour)
    assert {each["MetricStat"]["Period"] for each in _watched(alarm["Properties"])} == {3_600}
    assert alarm["Properties"]["Threshold"] == ref("DailyCostLimit")
    assert (limit["Default"], limit["MinValue"]) == (10, 0)
    assert alarm["Condition"] == "CostLimited"
    assert document()["Conditions"]["CostLimited"] == {
        "Fn::Not": [{"Fn::Equals": [ref("DailyCostLimit"), "0"]}]
    }


def test_while_the_embedder_is_changed_the_alarm_counts_both_indexes() -> None:
    alarm = document()["Resources"]["CostAlarm"]["Properties"]
    gigabyte = 1_000_000_000
    sums = {"read": 0, "write": 0, "rank": 0, "indexed": gigabyte, "examined": gigabyte}
    searched = {
        name: dimensions["VectorIndexName"]
        for name, (_, metric), dimensions in metrics_in(alarm)
        if metric == "VectorSearchRequestBytes"
    }

    usually = dollars_of(alarm, sums)
    changing = dollars_of(alarm, {**sums, "former": gigabyte}, {"Changing": True})

    assert usually == pytest.approx(24 * (INDEXED_PRICE + EXAMINED_PRICE))
    # the parameters' defaults are two indexes of one size
    assert changing == pytest.approx(2 * usually)
    assert searched == {
        name: str({"Fn::FindInMap": ["Vectors", ref(dimensions), "Index"]})
        for name, dimensions in (
            ("examined", "EmbeddingDimensions"),
            ("former", "FormerEmbeddingDimensions"),
        )
    }


def test_a_dashboard_is_paid_for_where_one_is_asked_for() -> None:
    (dashboard,) = (
        each
        for each in document()["Resources"].values()
        if each["Type"] == "AWS::CloudWatch::Dashboard"
    )

    assert dashboard["Condition"] == "WithDashboard"
    assert parameters()["Dashboard"]["Default"] == "false"


def dollars_of(
    alarm: Mapping[str, Any],
    sums: Mapping[str, int],
    conditions: Mapping[str, bool] | None = None,
) -> float:
    """What the alarm's formula makes of an hour's sums, by the ids of the metrics."""
    (formula,) = (each for each in alarm["Metrics"] if "Expression" in each)
    text = substituted(formula["Expression"], conditions or {})
    known = {"FILL": lambda value, _: value, **sums}
    return float(eval(text, {"__builtins__": {}}, known))  # noqa: S307 - the template's own


# --- The dashboard, read ------------------------------------------------------------------------


def body(conditions: Mapping[str, bool] | None = None) -> dict[str, Any]:
    """The dashboard as CloudWatch gets it, but for references to resources."""
    (dashboard,) = resources("AWS::CloudWatch::Dashboard").values()
    chosen = INTERPRETING if conditions is None else conditions
    read: dict[str, Any] = json.loads(substituted(dashboard["DashboardBody"], chosen))
    return read


def substituted(value: Any, conditions: Mapping[str, bool]) -> str:
    """The text of `!Sub` with its own variables worked out."""
    match value:
        case {"Fn::Sub": [str(text), {**variables}]}:
            for name, each in variables.items():
                text = text.replace(f"${{{name}}}", substituted(each, conditions))
            return text
        case {"Fn::Sub": str(text)} | str(text):
            return text
        case {"Fn::FindInMap": [name, {"Ref": parameter}, second]}:
            first = str(parameters()[parameter]["Default"])
            return str(document()["Mappings"][name][first][second])
        case {"Fn::FindInMap": [name, first, second]}:
            return str(document()["Mappings"][name][first][second])
        case {"Fn::If": [condition, then, otherwise]}:
            return substituted(then if conditions.get(condition) else otherwise, conditions)
        case {"Ref": str(name)}:
            return f"${{{name}}}"
        case _:
            raise AssertionError(value)


def widgets() -> list[dict[str, Any]]:
    return list(body()["widgets"])


def metric_widgets() -> list[dict[str, Any]]:
    return [each["properties"] for each in widgets() if each["type"] == "metric"]


def alarms_shown(conditions: Mapping[str, bool]) -> set[str]:
    (widget,) = (each for each in body(conditions)["widgets"] if each["type"] == "alarm")
    return set(widget["properties"]["alarms"])


Shown = tuple[str, str, dict[str, str]]
"""Namespace, name, and the dimensions with their values."""


def shown_metrics() -> list[Shown]:
    return [shown for shown, _ in _rows()]


def _rows() -> Iterator[tuple[Shown, dict[str, Any]]]:
    """Every metric of the dashboard with how it is shown; formulas are none."""
    for widget in metric_widgets():
        before: list[str] = []
        for row in widget["metrics"]:
            words = [each for each in row if isinstance(each, str)]
            how = next((each for each in row if isinstance(each, dict)), {})
            if words:
                before = spelt_out(words, before)
                namespace, name, *rest = before
                yield (namespace, name, dict(zip(rest[::2], rest[1::2], strict=True))), how


def spelt_out(words: list[str], before: list[str]) -> list[str]:
    """A row without CloudWatch's short forms: `.` is the word above, `...` all that are missing."""
    if words[0] == "...":
        words = [*before[: len(before) - len(words) + 1], *words[1:]]
    above = [*before, *words]
    return [above[place] if word == "." else word for place, word in enumerate(words)]


def on_dashboard(metric: str, dimension: str) -> set[str]:
    """The values of the dimension for which the metric is shown."""
    return {
        dimensions[dimension]
        for _, name, dimensions in shown_metrics()
        if name == metric and dimension in dimensions
    }


def shown_by_id(group: str) -> set[str]:
    """What is shown under ids that begin so: the last of each one's dimensions."""
    return {
        list(dimensions.values())[-1]
        for (_, _, dimensions), how in _rows()
        if re.fullmatch(rf"{group}\d+", how.get("id", ""))
    }


# --- Formulas, read -----------------------------------------------------------------------------


def cost_of(part: str) -> str:
    """The formula of a part of the cost, with the template's own variables in it."""
    (dashboard,) = resources("AWS::CloudWatch::Dashboard").values()
    text, _ = dashboard["DashboardBody"]["Fn::Sub"]
    read = json.loads(re.sub(r"\$\{(CostAlarmToo|Interpret\w+)\}(?=[^.\w])", "", text))
    return next(
        str(row[0]["expression"])
        for widget in read["widgets"]
        for row in widget["properties"].get("metrics", ())
        if isinstance(row[0], dict) and row[0]["id"] == part
    )


def dollars(part: str, sums: Mapping[str, list[int]]) -> float:
    """What the formula makes of the day's sums, by the ids of the metrics."""
    (dashboard,) = resources("AWS::CloudWatch::Dashboard").values()
    _, variables = dashboard["DashboardBody"]["Fn::Sub"]
    formula = substituted({"Fn::Sub": [cost_of(part), variables]}, {})
    known = {"SUM": sum, "FILL": lambda values, _: values, "METRICS": sums.__getitem__}
    return float(eval(formula, {"__builtins__": {}}, known))  # noqa: S307 - the template's own


# --- Alarms, read -------------------------------------------------------------------------------


def metrics_in(alarm: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str], dict[str, str]]]:
    """Id, namespace with name, and dimensions of the metrics that an alarm looks at."""
    alone = {"Metric": {**alarm}} if "MetricName" in alarm else {}
    alone_too = [{"Id": "", "MetricStat": alone}] if alone else []
    for each in [*alone_too, *_watched(alarm)]:
        metric = each["MetricStat"]["Metric"]
        dimensions = {
            dimension["Name"]: _value(dimension["Value"])
            for dimension in metric.get("Dimensions", ())
        }
        yield each["Id"], (_value(metric["Namespace"]), metric["MetricName"]), dimensions


def _value(value: Any) -> str:
    """As a dashboard writes it."""
    match value:
        case {"Ref": str(name)}:
            return f"${{{name}}}"
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"${{{name}.{attribute}}}"
        case {"Fn::Sub": str(text)}:
            return text
        case _:
            return str(value)


def alarmed_metrics() -> list[Shown]:
    return [
        (namespace, name, dimensions)
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        for _, (namespace, name), dimensions in metrics_in(alarm)
    ]


def watched(metric: str, dimension: str) -> set[str]:
    """The values of the dimension for which an alarm looks at the metric."""
    return {
        dimensions[dimension]
        for _, name, dimensions in alarmed_metrics()
        if name == metric and dimension in dimensions
    }


# --- What the code tells ------------------------------------------------------------------------


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Mapping[tuple[str, str], list[set[str]]]:
    """Every metric of ours with its sets of dimensions, as CloudWatch is told of them."""
    services = make_world(
        report=telemetry.reporter(lambda: MORNING, NAMESPACE),
        measure=telemetry.meter(lambda: MORNING, NAMESPACE),
    )
    twins = [made(services, "twin"), made(services, "twin")]
    capsys.readouterr()

    services.report(ROWS[0].rpc, SUCCESS)
    outcomes = Counter[Outcome](
        [("pruned", MemoryType.EPISODIC), ("forgotten", MemoryType.SEMANTIC)]
    )
    SweepResult(outcomes).publish(services)
    stream.index({"Records": [NOTHING]}, _Unhurried(), services, changes_in)
    merge_topics(twins[0], twins[1], CALL, services)
    take_steps(twins[0], CALL, services)

    services.measure(THROTTLED, 1, "Count")
    services.measure(NO_ROOM, 1, "Count")
    for metric in (rounds.TOKENS, rounds.OUT_OF_TOKENS):
        services.measure(metric, 1, "Count")
    for metric in (INTERPRETED, TOKENS, OUT_OF_TOKENS, MALFORMED, TRACES, SKILLS, PLANS):
        services.measure(metric, 1, "Count")
    services.measure(DROPPED, 1, "Count", reason=Dropped.BLANK)
    services.measure(LEFT_OUT, 1, "Count", reason=LeftOut.TOO_MANY)
    services.measure(FAILED, 1, "Count", reason=InterpretationFailure.BUSY)
    found: dict[tuple[str, str], list[set[str]]] = defaultdict(list)
    for counted in resources("AWS::Logs::MetricFilter").values():
        for each in counted["MetricTransformations"]:
            found[_value(each["MetricNamespace"]), each["MetricName"]].append(set())
    for line in capsys.readouterr().out.splitlines():
        for directive in json.loads(line)["_aws"]["CloudWatchMetrics"]:
            for metric in directive["Metrics"]:
                found[directive["Namespace"], metric["Name"]] += map(set, directive["Dimensions"])
    return found


CALL = Call(OWNER, "Reason", None, b"")
NOTHING = {
    "eventSource": "aws:dynamodb",
    "dynamodb": {
        "ApproximateCreationDateTime": epoch_seconds(MORNING),
        "Keys": {"pk": {"S": "nobody's"}, "sk": {"S": "other"}},
    },
}
"""A record of the table's stream that tells of no record of ours."""


@dataclass(slots=True)
class _Unhurried:
    """The context of a function that has time."""

    aws_request_id: str = "request"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000
