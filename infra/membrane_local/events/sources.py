"""The template's event sources: queues, the stream, rules, schedules, asynchronous invocations."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from membrane_local.events.patterns import Pattern, supported_pattern
from membrane_local.events.schedules import DEFAULT_GROUP, Schedule, interval_s
from membrane_local.refusals import TemplateError
from membrane_local.storage.stores import BUCKET
from membrane_local.template import FUNCTION, STACK_NAME, Properties, Template, logical_id

QUEUE = "AWS::SQS::Queue"
BUS = "AWS::Events::EventBus"


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """A queue's settings; the defaults are SQS's."""

    logical_id: str
    visibility_s: int = 30
    retention_s: int = 345_600
    dead_letters: str | None = None
    """The logical id of the queue for messages received too often."""
    max_receives: int = 0


@dataclass(frozen=True, slots=True)
class QueueSource:
    """A queue whose messages a function takes in batches."""

    function: str
    queue: str
    batch_size: int
    reports_failures: bool
    """Whether the reply names the messages that failed."""


@dataclass(frozen=True, slots=True)
class StreamSource:
    """The table's stream, from which a function takes matching records in batches."""

    function: str
    batch_size: int
    patterns: tuple[Pattern, ...]
    """A record must match a pattern, if the source has patterns."""
    bisects: bool
    """Whether a failed batch is split in half."""
    retries: int
    dead_letters: str | None
    """The logical id of the queue for the positions of failed batches."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a bus, or of the default bus (None), with a function as target."""

    name: str
    function: str
    bus: str | None
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class AsyncSettings:
    """The retries of a failed asynchronous invocation; the defaults are Lambda's."""

    retries: int = 2
    max_age_s: int = 21_600
    dead_letters: str | None = None


@dataclass(frozen=True, slots=True)
class EventSources:
    """Every event source of a template."""

    buses: Mapping[str, str]
    """Logical id by name."""
    queues: tuple[QueueSettings, ...]
    queue_sources: tuple[QueueSource, ...]
    streams: tuple[StreamSource, ...]
    rules: tuple[Rule, ...]
    schedules: tuple[Schedule, ...]
    invocations: Mapping[str, AsyncSettings]
    """By function."""

    @classmethod
    def of(cls, template: Template) -> "EventSources":
        """The sources; raises TemplateError for a source that would not run here as in AWS."""
        functions = _resources(template, FUNCTION)
        events = [
            _Event(function, name, event["Type"], event.get("Properties", {}))
            for function, properties in functions.items()
            for name, event in properties.get("Events", {}).items()
        ]
        for event in events:
            if event.kind not in _KINDS:
                raise TemplateError(f"{event.name}: the local stack has no {event.kind} events")
        return cls(
            buses={
                _bus_name(properties.get("Name", name)): name
                for name, properties in _resources(template, BUS).items()
            },
            queues=tuple(_queue(*each) for each in _resources(template, QUEUE).items()),
            queue_sources=tuple(_of_kind("SQS", events, _queue_source)),
            streams=tuple(_of_kind("DynamoDB", events, _stream_source(template))),
            rules=tuple(_of_kind("EventBridgeRule", events, _rule(template))),
            schedules=tuple(_of_kind("ScheduleV2", events, _schedule)),
            invocations={
                name: _async_settings(name, properties.get("EventInvokeConfig", {}))
                for name, properties in functions.items()
            },
        )


@dataclass(frozen=True, slots=True)
class _Event:
    """An entry of a function's `Events`."""

    function: str
    key: str
    kind: str
    properties: Properties

    @property
    def name(self) -> str:
        """The name that SAM gives to the generated resource."""
        return self.function + self.key


_KINDS = ("HttpApi", "SQS", "DynamoDB", "EventBridgeRule", "ScheduleV2")


def _of_kind(kind: str, events: list[_Event], read_event: Callable[[_Event], Any]) -> Iterator[Any]:
    return (read_event(event) for event in events if event.kind == kind)


def _queue(name: str, properties: Properties) -> QueueSettings:
    _require_known(
        name,
        properties,
        "SqsManagedSseEnabled",
        "KmsMasterKeyId",
        "MessageRetentionPeriod",
        "RedrivePolicy",
        "VisibilityTimeout",
    )
    usual = QueueSettings(name)
    redrive = properties.get("RedrivePolicy", {})
    return QueueSettings(
        name,
        visibility_s=int(properties.get("VisibilityTimeout", usual.visibility_s)),
        retention_s=int(properties.get("MessageRetentionPeriod", usual.retention_s)),
        dead_letters=_optional_id(redrive.get("deadLetterTargetArn")),
        max_receives=int(redrive.get("maxReceiveCount", 0)),
    )


def _queue_source(event: _Event) -> QueueSource:
    properties = event.properties
    _require_known(
        event.name, properties, "BatchSize", "FunctionResponseTypes", "Queue", "ScalingConfig"
    )
    return QueueSource(
        function=event.function,
        queue=logical_id(properties["Queue"]),
        batch_size=int(properties.get("BatchSize", 10)),
        reports_failures="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", ()),
    )


def _stream_source(template: Template) -> Callable[[_Event], StreamSource]:
    """A reader of stream events of the table.

    Batching windows and record ages have no effect here, since records are read at once, by one
    reader.
    """

    def read_event(event: _Event) -> StreamSource:
        properties = event.properties
        _require_known(
            event.name,
            properties,
            "BatchSize",
            "BisectBatchOnFunctionError",
            "DestinationConfig",
            "FilterCriteria",
            "MaximumBatchingWindowInSeconds",
            "MaximumRecordAgeInSeconds",
            "MaximumRetryAttempts",
            "ParallelizationFactor",
            "StartingPosition",
            "Stream",
        )
        if logical_id(properties["Stream"]) != template.table_id:
            raise TemplateError(f"{event.name}: the local stack has the table's stream alone")
        filters = properties.get("FilterCriteria", {}).get("Filters", ())
        on_failure = properties.get("DestinationConfig", {}).get("OnFailure", {})
        return StreamSource(
            function=event.function,
            batch_size=int(properties.get("BatchSize", 100)),
            patterns=tuple(supported_pattern(json.loads(each["Pattern"])) for each in filters),
            bisects=properties.get("BisectBatchOnFunctionError") in (True, "true"),
            retries=_stream_retries(int(properties.get("MaximumRetryAttempts", _UNTIL_OLD))),
            dead_letters=_optional_id(on_failure.get("Destination")),
        )

    return read_event


_UNTIL_OLD = -1
"""Lambda's default: retry a batch of a stream until the records are too old."""

_AT_ONCE = 20
"""Retries in place of `_UNTIL_OLD`, since the local stack does not wait between retries."""


def _stream_retries(attempts: int) -> int:
    return _AT_ONCE if attempts == _UNTIL_OLD else attempts


def _rule(template: Template) -> Callable[[_Event], Rule]:
    def read_event(event: _Event) -> Rule:
        properties = event.properties
        _require_known(
            event.name, properties, "DeadLetterConfig", "EventBusName", "Pattern", "RetryPolicy"
        )
        bus = properties.get("EventBusName")
        return Rule(
            name=event.name,
            function=event.function,
            bus=None if bus in (None, "default") else logical_id(bus),
            pattern=supported_pattern(
                _with_local_bucket(properties["Pattern"], template.bucket_id)
            ),
        )

    return read_event


def _schedule(event: _Event) -> Schedule:
    properties = event.properties
    _require_known(
        event.name,
        properties,
        "DeadLetterConfig",
        "Description",
        "FlexibleTimeWindow",
        "GroupName",
        "Input",
        "Name",
        "OmitName",
        "PermissionsBoundary",
        "RetryPolicy",
        "RoleArn",
        "ScheduleExpression",
    )
    if properties.get("FlexibleTimeWindow", {}) not in ({}, {"Mode": "OFF"}):
        raise TemplateError(f"{event.name}: the local stack runs schedules on time")
    return Schedule(
        name=logical_id(properties.get("Name", event.name)),
        function=event.function,
        interval_s=_interval_s(event),
        group=logical_id(properties.get("GroupName", DEFAULT_GROUP)),
        input=_input(event),
    )


def _input(event: _Event) -> str | None:
    """The template's input, if any; raises TemplateError for any input but a JSON object.

    Scheduler would send any text, and fill in placeholders.
    """
    given = event.properties.get("Input")
    if given is None:
        return None
    try:
        is_object = isinstance(json.loads(given), dict) and "<aws.scheduler." not in given
    except (TypeError, ValueError):
        is_object = False
    if not is_object:
        raise TemplateError(f"{event.name}: the local stack sends an input that is a JSON object")
    return str(given)


def _interval_s(event: _Event) -> int:
    seconds = interval_s(str(event.properties["ScheduleExpression"]))
    if seconds is None:
        raise TemplateError(f"{event.name}: the local stack runs schedules of the form rate(1 day)")
    return seconds


def _async_settings(name: str, properties: Properties) -> AsyncSettings:
    _require_known(
        name,
        properties,
        "DestinationConfig",
        "MaximumEventAgeInSeconds",
        "MaximumRetryAttempts",
    )
    usual = AsyncSettings()
    on_failure = properties.get("DestinationConfig", {}).get("OnFailure", {})
    return AsyncSettings(
        retries=int(properties.get("MaximumRetryAttempts", usual.retries)),
        max_age_s=int(properties.get("MaximumEventAgeInSeconds", usual.max_age_s)),
        dead_letters=_optional_id(on_failure.get("Destination")),
    )


def _optional_id(reference: Any) -> str | None:
    return None if reference is None else logical_id(reference)


def _resources(template: Template, kind: str) -> dict[str, Properties]:
    return {
        name: resource.get("Properties", {})
        for name, resource in template.resources.items()
        if resource["Type"] == kind
    }


def _require_known(name: str, properties: Properties, *known: str) -> None:
    """Raises TemplateError for unknown properties, which might change the behaviour in AWS."""
    unknown = sorted(properties.keys() - set(known))
    if unknown:
        raise TemplateError(f"{name}: the local stack does not know {', '.join(unknown)}")


def _bus_name(name: str) -> str:
    return STACK_NAME if name == "AWS::StackName" else name


def _with_local_bucket(pattern: Any, bucket_id: str) -> Any:
    """The pattern with the local bucket's name in place of the bucket's logical id."""
    match pattern:
        case dict():
            return {name: _with_local_bucket(part, bucket_id) for name, part in pattern.items()}
        case list():
            return [_with_local_bucket(part, bucket_id) for part in pattern]
        case _:
            return BUCKET if pattern == bucket_id else pattern
