"""template.yaml, read: its functions, events, schedules, alarms and references."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.rows import REPORTS, ROWS
from membrane.adapters.aws_lambda.telemetry import namespace_of
from membrane_local.events.sources import interval_s
from membrane_local.template import read_document

PROJECT = Path(__file__).resolve().parents[2]


TEMPLATE = PROJECT / "template.yaml"


DAY_S = 86_400


OWN_METRICS = {"Fn::Sub": namespace_of("${AWS::StackName}")}
"""The namespace of what the stack's functions tell in numbers."""


OWN_TABLE = "OwnTable"
"""The condition under which the stack has a table of its own."""


@cache
def document() -> dict[str, Any]:
    """The template of a stack with its own table, with `!Ref X` as `{"Ref": "X"}` and so on."""
    return dict(chosen(read_document(TEMPLATE), OWN_TABLE, 0))


@cache
def document_over_a_table() -> dict[str, Any]:
    """The template of a stack over the table that TableName names."""
    return dict(chosen(read_document(TEMPLATE), OWN_TABLE, 1))


def chosen(value: Any, condition: str, branch: int) -> Any:
    """The value with one branch (0 or 1) of every choice by the condition."""
    match value:
        case {"Fn::If": [found, *branches]} if found == condition:
            return chosen(branches[branch], condition, branch)
        case dict():
            return {name: chosen(each, condition, branch) for name, each in value.items()}
        case list():
            return [chosen(each, condition, branch) for each in value]
        case _:
            return value


def parameters() -> dict[str, Any]:
    return dict(document()["Parameters"])


def shared() -> dict[str, Any]:
    """What all functions have in common."""
    return dict(document()["Globals"]["Function"])


def resources(kind: str) -> dict[str, Any]:
    """Properties of the resources of a type, by name."""
    return {
        name: resource.get("Properties", {})
        for name, resource in document()["Resources"].items()
        if resource["Type"] == kind
    }


def functions() -> dict[str, Any]:
    return resources("AWS::Serverless::Function")


def tries_of(queue: Mapping[str, Any]) -> int:
    """The deliveries of a message before the dead letters."""
    match queue["RedrivePolicy"]["maxReceiveCount"]:
        case {"Fn::FindInMap": [str(name), str(first), str(second)]}:
            return int(document()["Mappings"][name][first][second])
        case tries:
            return int(tries)


def timeout_s(function: str) -> int:
    return int(functions()[function].get("Timeout", shared()["Timeout"]))


def served_by(function: str) -> list[Row]:
    """The rows of the function."""
    folder = Path(functions()[function]["CodeUri"]).name
    return [row for row in ROWS if row.function == folder]


def ingest_functions() -> list[tuple[str, Row]]:
    """The functions of the five reports, which come from four sources."""
    found = [(name, each) for name in functions() for each in served_by(name) if each in REPORTS]
    assert len(found) == len(REPORTS)
    return found


def events(function: str, kind: str) -> list[dict[str, Any]]:
    """Properties of the function's events of a type."""
    found = functions()[function].get("Events", {}).values()
    return [event["Properties"] for event in found if event["Type"] == kind]


def routes(function: str) -> dict[str, bool]:
    """The routes of the function, and whether the gateway lets callers without a key through."""
    return {
        f"{each['Method']} {each['Path']}": each.get("Auth") == {"Authorizer": "NONE"}
        for each in events(function, "HttpApi")
    }


def rules() -> list[tuple[str, dict[str, Any]]]:
    """The rules of EventBridge that start a function."""
    return [(name, rule) for name in functions() for rule in events(name, "EventBridgeRule")]


def schedules() -> list[tuple[str, dict[str, Any]]]:
    """What EventBridge Scheduler does for which function."""
    return [(name, each) for name in functions() for each in events(name, "ScheduleV2")]


def sweeping_every_s() -> int:
    """The seconds between two sweeps where the operator sets nothing."""
    seconds = interval_s(parameters()["DecaySchedule"]["Default"])
    assert seconds is not None
    return seconds


def alarm_on(namespace: Any, metric: str, statistic: str) -> dict[str, Any]:
    """The alarm on that statistic of a metric alone."""
    told = (namespace, metric, statistic)
    (alarm,) = (
        alarm
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if tuple(alarm.get(part) for part in ("Namespace", "MetricName", "Statistic")) == told
    )
    return dict(alarm)


def alarmed(metric: str, dimension: str) -> set[str]:
    """The values of the dimension for which a metric over 0 raises an alarm."""
    return {
        each if isinstance(each, str) else target(each)
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
        for watched in (each["MetricStat"]["Metric"] for each in _watched(alarm))
        if watched["MetricName"] == metric
        for each in (
            found["Value"] for found in watched["Dimensions"] if found["Name"] == dimension
        )
    }


def metrics_of(alarm: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The metrics that the alarm looks at, one or several."""
    alone = [dict(alarm)] if "MetricName" in alarm else []
    return alone + [each["MetricStat"]["Metric"] for each in _watched(alarm)]


def alarms_on(metric: str) -> list[dict[str, Any]]:
    """The alarms that add up a metric."""
    return [
        alarm
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if metric in {each["MetricStat"]["Metric"]["MetricName"] for each in _watched(alarm)}
    ]


def _watched(alarm: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The metrics that the alarm adds up, also those that hang on a condition."""
    found = [each for each in nodes(alarm.get("Metrics", [])) if isinstance(each, dict)]
    return [each for each in found if "MetricStat" in each]


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def arn_of(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def arn(name: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, "Arn"]}


def own_arns(function: str) -> list[Any]:
    """The function's ARN, and that of its alias, which it has with SnapStart."""
    return [arn(function), {"Fn::Sub": f"${{{function}.Arn}}:*"}]


def target(reference: Mapping[str, Any]) -> str:
    """The name of the resource that a reference means."""
    (found,) = reference.values()
    return str(found if isinstance(found, str) else found[0])


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def nodes(value: Any) -> Iterator[Any]:
    """The value and all that it holds."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from nodes(each)


def without_choices(value: Any) -> Any:
    """The value without what hangs on a condition."""
    if isinstance(value, dict):
        return {name: without_choices(each) for name, each in value.items() if name != "Fn::If"}
    return [without_choices(each) for each in value] if isinstance(value, list) else value


SOMEWHERE = "somewhere"
"""The place of a scan."""


@dataclass(frozen=True, slots=True)
class Environment(Mapping[str, str]):
    """Variables that remember which of them were asked for."""

    variables: Mapping[str, str]
    asked: set[str] = field(default_factory=set)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return self.variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)


def default_environment() -> dict[str, str]:
    """The functions' environment where the operator sets nothing."""
    variables = {name: target(each) for name, each in shared()["Environment"]["Variables"].items()}
    return {
        name: str(parameters()[source]["Default"]) if source in parameters() else source
        for name, source in variables.items()
    }
