"""The template's event sources: queues, the stream, rules, schedules, asynchronous invocations."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane_local.account import ACCOUNT, REGION
from membrane_local.events.patterns import Pattern, supported_pattern
from membrane_local.refusals import TemplateError
from membrane_local.storage.stores import BUCKET
from membrane_local.template import FUNCTION, STACK_NAME, Properties, Template, logical_id

QUEUE = "AWS::SQS::Queue"
BUS = "AWS::Events::EventBus"
DEFAULT_GROUP = "default"
_UNIT_S = {"minute": 60, "hour": 3_600, "day": 86_400}
_UNTIL_OLD, _AT_ONCE = -1, 20
"""Lambda's default for a batch of a stream, to retry until the records are too old; and retries in
place of the default, since the local stack does not wait between retries."""
_EVENTS = ("SQS", "DynamoDB", "EventBridgeRule", "ScheduleV2")
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "SQS": ("BatchSize", "FunctionResponseTypes", "Queue", "ScalingConfig"),
    "DynamoDB": (
        *("BatchSize", "BisectBatchOnFunctionError", "DestinationConfig", "FilterCriteria"),
        *("MaximumBatchingWindowInSeconds", "MaximumRecordAgeInSeconds", "MaximumRetryAttempts"),
        *("ParallelizationFactor", "StartingPosition", "Stream"),
    ),
    "EventBridgeRule": ("DeadLetterConfig", "EventBusName", "Pattern", "RetryPolicy"),
    "ScheduleV2": (
        *("DeadLetterConfig", "Description", "FlexibleTimeWindow", "GroupName", "Input", "Name"),
        *("OmitName", "PermissionsBoundary", "RetryPolicy", "RoleArn", "ScheduleExpression"),
    ),
    QUEUE: (
        *("SqsManagedSseEnabled", "KmsMasterKeyId", "MessageRetentionPeriod"),
        *("RedrivePolicy", "VisibilityTimeout"),
    ),
    "EventInvokeConfig": ("DestinationConfig", "MaximumEventAgeInSeconds", "MaximumRetryAttempts"),
}
"""Properties by kind of source; another property might change the behaviour in AWS.

Batching windows and record ages have no effect here: one reader reads records at once.
"""


class QueueSettings(NamedTuple):
    """A queue's settings; the defaults are SQS's."""

    logical_id: str
    visibility_s: int = 30
    retention_s: int = 345_600
    dead_letters: str | None = None
    max_receives: int = 0


class QueueSource(NamedTuple):
    function: str
    queue: str
    batch_size: int
    reports_failures: bool


@dataclass(frozen=True, slots=True)
class StreamSource:
    """The table's stream, from which a function takes matching records in batches."""

    function: str
    batch_size: int
    patterns: tuple[Pattern, ...]
    """A record must match a pattern, if the source has patterns."""
    bisects: bool
    retries: int
    dead_letters: str | None
    """The logical id of the queue for the positions of failed batches."""


class Rule(NamedTuple):
    """A rule of a bus, or of the default bus (None), with a function as target."""

    name: str
    function: str
    bus: str | None
    pattern: Pattern


class Schedule(NamedTuple):
    """An event at the end of every interval.

    EventBridge Scheduler sends a further event at the creation of a schedule (user guide, "Schedule
    types"). The local stack counts as deployed before, so no event is sent at start.
    """

    name: str
    function: str
    interval_s: int
    group: str = DEFAULT_GROUP
    input: str | None = None

    def event(self, now: datetime) -> JsonObject:
        """The template's input, else the event that EventBridge Scheduler makes."""
        if self.input is not None:
            given: JsonObject = json.loads(self.input)
            return given
        arn = f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/{self.group}/{self.name}"
        return {
            "version": "0",
            "id": str(uuid4()),
            "detail-type": "Scheduled Event",
            "source": "aws.scheduler",
            "account": ACCOUNT,
            "time": rfc3339(now.replace(microsecond=0)),
            "region": REGION,
            "resources": [arn],
            "detail": "{}",
        }


class AsyncSettings(NamedTuple):
    """The retries of a failed asynchronous invocation."""

    retries: int
    max_age_s: int
    dead_letters: str | None


class EventSources(NamedTuple):
    buses: Mapping[str, str]
    queues: tuple[QueueSettings, ...]
    queue_sources: tuple[QueueSource, ...]
    streams: tuple[StreamSource, ...]
    rules: tuple[Rule, ...]
    schedules: tuple[Schedule, ...]
    invocations: Mapping[str, AsyncSettings]

    @classmethod
    def of(cls, template: Template) -> "EventSources":
        """The sources; raises TemplateError for a source that would not run here as in AWS."""
        functions = template.properties_of(FUNCTION)
        events: dict[str, list[tuple[str, str, Properties]]] = {each: [] for each in _EVENTS}
        for function, properties in functions.items():
            for key, event in properties.get("Events", {}).items():
                name = function + key  # as SAM names the generated resource
                kind, of_event = event["Type"], event.get("Properties", {})
                if kind == "HttpApi":
                    continue
                if kind not in events:
                    raise TemplateError(f"{name}: the local stack has no {kind} events")
                _require_known(name, kind, of_event)
                events[kind].append((function, name, of_event))
        buses = {each.get("Name", name): name for name, each in template.properties_of(BUS).items()}
        return cls(
            {STACK_NAME if bus == "AWS::StackName" else bus: name for bus, name in buses.items()},
            tuple(_queue(*each) for each in template.properties_of(QUEUE).items()),
            tuple(_queue_source(function, each) for function, _, each in events["SQS"]),
            tuple(_stream_source(template, *each) for each in events["DynamoDB"]),
            tuple(_rule(template, *each) for each in events["EventBridgeRule"]),
            tuple(_schedule(*each) for each in events["ScheduleV2"]),
            {
                name: _async_settings(name, each.get("EventInvokeConfig", {}))
                for name, each in functions.items()
            },
        )


def _queue(name: str, properties: Properties) -> QueueSettings:
    _require_known(name, QUEUE, properties)
    usual, redrive = QueueSettings(name), properties.get("RedrivePolicy", {})
    return QueueSettings(
        name,
        visibility_s=int(properties.get("VisibilityTimeout", usual.visibility_s)),
        retention_s=int(properties.get("MessageRetentionPeriod", usual.retention_s)),
        dead_letters=_optional_id(redrive.get("deadLetterTargetArn")),
        max_receives=int(redrive.get("maxReceiveCount", 0)),
    )


def _queue_source(function: str, properties: Properties) -> QueueSource:
    replies = properties.get("FunctionResponseTypes", ())
    batch_size = int(properties.get("BatchSize", 10))
    queue, reports = logical_id(properties["Queue"]), "ReportBatchItemFailures" in replies
    return QueueSource(function, queue, batch_size, reports_failures=reports)


def _stream_source(
    template: Template, function: str, name: str, properties: Properties
) -> StreamSource:
    if logical_id(properties["Stream"]) != template.table_id:
        raise TemplateError(f"{name}: the local stack has the table's stream alone")
    filters = properties.get("FilterCriteria", {}).get("Filters", ())
    attempts = int(properties.get("MaximumRetryAttempts", _UNTIL_OLD))
    return StreamSource(
        function,
        batch_size=int(properties.get("BatchSize", 100)),
        patterns=tuple(supported_pattern(json.loads(each["Pattern"])) for each in filters),
        bisects=properties.get("BisectBatchOnFunctionError") in (True, "true"),
        retries=_AT_ONCE if attempts == _UNTIL_OLD else attempts,
        dead_letters=_on_failure(properties),
    )


def _rule(template: Template, function: str, name: str, properties: Properties) -> Rule:
    bus = properties.get("EventBusName")
    pattern = supported_pattern(_with_local_bucket(properties["Pattern"], template.bucket_id))
    return Rule(name, function, None if bus in (None, "default") else logical_id(bus), pattern)


def _schedule(function: str, name: str, properties: Properties) -> Schedule:
    if properties.get("FlexibleTimeWindow", {}) not in ({}, {"Mode": "OFF"}):
        raise TemplateError(f"{name}: the local stack runs schedules on time")
    seconds = interval_s(str(properties["ScheduleExpression"]))
    if seconds is None:
        raise TemplateError(f"{name}: the local stack runs schedules of the form rate(1 day)")
    return Schedule(
        name=logical_id(properties.get("Name", name)),
        function=function,
        interval_s=seconds,
        group=logical_id(properties.get("GroupName", DEFAULT_GROUP)),
        input=_input(name, properties.get("Input")),
    )


def interval_s(expression: str) -> int | None:
    """Seconds between the events of a rate, as in `rate(1 day)`; None for any other expression."""
    rate = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    return int(rate[1]) * _UNIT_S[rate[2]] or None if rate else None


def _input(name: str, given: Any) -> str | None:
    if given is None:
        return None
    try:
        is_object = isinstance(json.loads(given), dict) and "<aws.scheduler." not in given
    except (TypeError, ValueError):
        is_object = False
    if not is_object:
        raise TemplateError(f"{name}: the local stack sends an input that is a JSON object")
    return str(given)


def _async_settings(name: str, properties: Properties) -> AsyncSettings:
    _require_known(name, "EventInvokeConfig", properties)
    return AsyncSettings(
        int(properties.get("MaximumRetryAttempts", 2)),
        int(properties.get("MaximumEventAgeInSeconds", 21_600)),
        _on_failure(properties),
    )


def _on_failure(properties: Properties) -> str | None:
    return _optional_id(
        properties.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    )


def _optional_id(reference: Any) -> str | None:
    return None if reference is None else logical_id(reference)


def _require_known(name: str, kind: str, properties: Properties) -> None:
    if unknown := sorted(properties.keys() - {*_KNOWN[kind]}):
        raise TemplateError(f"{name}: the local stack does not know {', '.join(unknown)}")


def _with_local_bucket(pattern: Any, bucket_id: str) -> Any:
    """The pattern with the local bucket's name in place of the bucket's logical id."""
    match pattern:
        case dict():
            return {name: _with_local_bucket(part, bucket_id) for name, part in pattern.items()}
        case list():
            return [_with_local_bucket(part, bucket_id) for part in pattern]
        case _:
            return BUCKET if pattern == bucket_id else pattern
