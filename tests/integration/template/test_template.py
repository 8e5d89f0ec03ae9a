"""What template.yaml promises: routes, rights, retries, durability, and the code's own defaults."""

import hashlib
import importlib
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
import yaml
from moto import mock_aws

from membrane.adapters.aws_lambda import telemetry
from membrane.adapters.aws_lambda.events import imports, reasoning, stream, sweeps
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.adapters.aws_lambda.routes.ingest import REPORTS
from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from membrane.adapters.bucket.s3 import S3Blobs
from membrane.adapters.dynamodb.search.entry_items import ATTRIBUTES, entry_item
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.keys import API_KEYS, RECORD
from membrane.domain.access.trust import Principal
from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import (
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    Permission,
    Sensitivity,
)
from membrane.domain.metrics.amounts import RECORDS
from membrane.domain.search.entries import Entry
from membrane.domain.search.vectors import SKETCH_DIMENSIONS
from membrane.usecases.imports.progress import IMPORTS, RESULTS
from membrane.usecases.lifecycle import surveying
from membrane.usecases.lifecycle.sweep_tally import Swept
from membrane.usecases.metrics import reconcile
from membrane.usecases.ports.search import Standing
from membrane.usecases.ports.services import SourcePrincipals
from membrane.wiring import services as wiring
from membrane.wiring.search_settings import BEDROCK_DIMENSIONS, EmbedderKind, read_search_settings
from membrane.wiring.settings import read_settings
from membrane.wiring.topic_settings import read_topic_settings
from membrane_local.clock import DevClock
from membrane_local.events.schedules import interval_s
from membrane_local.functions import Functions
from membrane_local.storage.bucket_door import BucketDoor
from membrane_local.storage.dynoxide import running
from membrane_local.storage.import_objects import BucketImports
from membrane_local.storage.stores import BUCKET, TABLE, Store, one_at_a_time
from membrane_local.storage.table import ensure_table, stream_of
from membrane_local.storage.table_stream import TableStream, stream_client
from membrane_local.template import read_template
from tests.fakes.operators import Metrics
from tests.fakes.world import make_services

PROJECT = Path(__file__).resolve().parents[3]
TEMPLATE = PROJECT / "template.yaml"
HEALTH = "GET /health"
MAX_RETRIES = 10
MAX_ALARM_METRICS = 10
DAY_S = 86_400
UPLOADS = "uploads/"
INDEX_QUEUE = "MEMBRANE_INDEX_QUEUE"
TOPIC_QUEUE = "MEMBRANE_TOPIC_QUEUE"
MAKING_FACTS = (
    "RecordsFunction",
    "RevisionsFunction",
    "IngestBatchFunction",
    "IngestObservationFunction",
    "ImportLinesFunction",
)
"""What may make a fact active looks at what the natural index knows of the same."""
OF_TOPICS = ("TopicsFunction", "QueryFunction", "ReasonFunction")
"""What is served by all that topics need, the search included."""

OF_INDEXES = {"rank": ["topics#*"], "due": ["topics-due", "topic-changes-due"]}
"""The partitions of topics in the indexes, apart from those of records."""

AN_ENTRY = Entry(
    "record", "scope", MemoryType.EPISODIC, Sensitivity.LOW, b"", b"", 0.0, "thread", "order"
)


# --- Functions and routes ---------------------------------------------------------------------


def test_every_folder_of_functions_is_one_function_of_the_template() -> None:
    folders = sorted(path.parent.name for path in (PROJECT / "functions").glob("*/handler.py"))

    used = [properties["CodeUri"] for properties in functions().values()]

    assert sorted(used) == [f"functions/{folder}" for folder in folders]
    assert shared()["Handler"] == "handler.handler"


def test_every_function_is_named_after_its_folder() -> None:
    for name, properties in functions().items():
        words = Path(properties["CodeUri"]).name.split("_")
        assert name == "".join(word.capitalize() for word in words) + "Function"


def test_every_route_leads_to_the_function_that_serves_it() -> None:
    routed = {
        (name, f"{event['Method']} {event['Path']}")
        for name in functions()
        for event in events(name, "HttpApi")
    }

    served = {(name, operation.route) for name in functions() for operation in served_by(name)}
    assert routed == served | {("HealthFunction", HEALTH)}
    assert {route for _, route in served} == {operation.route for operation in OPERATIONS}


def test_health_alone_needs_no_key() -> None:
    open_routes = {
        f"{event['Method']} {event['Path']}": event["Auth"]
        for name in functions()
        for event in events(name, "HttpApi")
        if "Auth" in event
    }

    assert open_routes == {HEALTH: {"Authorizer": "NONE"}}


def test_every_other_route_asks_the_authorizer() -> None:
    (auth,) = (api["Auth"] for api in resources("AWS::Serverless::HttpApi").values())

    assert auth["Authorizers"][auth["DefaultAuthorizer"]] == {
        "FunctionArn": arn("AuthorizerFunction"),
        "EnableFunctionDefaultPermissions": True,
        "AuthorizerPayloadFormatVersion": "2.0",
        "EnableSimpleResponses": True,
        "Identity": {"Headers": ["Authorization"], "ReauthorizeEvery": 300},
    }


def test_the_operator_sets_how_many_requests_the_api_takes() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()

    assert api["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": ref("ThrottleRate"),
        "ThrottlingBurstLimit": ref("ThrottleBurst"),
    }


def test_a_function_gives_up_before_the_api_does() -> None:
    assert all(timeout_s(name) < 30 for name in functions() if events(name, "HttpApi"))
    assert timeout_s("AuthorizerFunction") <= 10


def test_a_preview_gives_up_in_time_to_say_so_even_after_a_slow_request() -> None:
    slow_s = 1 + 5  # to connect and to read, as the client is told

    assert surveying.PATIENCE_S + slow_s < timeout_s("PreviewDecayFunction")


def test_every_layer_is_what_its_makefile_builds() -> None:
    for name, layer in resources("AWS::Serverless::LayerVersion").items():
        makefile = PROJECT / layer["ContentUri"] / "Makefile"
        assert f"build-{name}:" in makefile.read_text("utf-8").splitlines()


def test_every_function_has_the_package_and_what_ranks_has_numpy_too() -> None:
    own = {name: each["Layers"] for name, each in functions().items() if "Layers" in each}

    assert shared()["Layers"] == [ref("MembraneLayer")]
    ranking = {"IndexFunction", "PreviewDecayFunction", "RetrieveFunction", *OF_TOPICS}
    assert own == {name: [ref("NumericLayer")] for name in ranking}


# --- Rights -----------------------------------------------------------------------------------


def test_no_statement_allows_every_action_every_resource_or_everyone() -> None:
    for name, resource in document()["Resources"].items():
        for statement in allowing(resource):
            assert not {"NotAction", "NotResource", "NotPrincipal"} & statement.keys(), name
            assert not any("*" in action for action in listed(statement["Action"])), name
            assert "*" not in listed(statement.get("Principal", "")), name
            assert "*" not in listed(statement.get("Principal", {}).get("AWS", "")), name
            # In a queue's own policy * is that queue, and a policy of several has no other word.
            if resource["Type"] != "AWS::SQS::QueuePolicy":
                assert "*" not in listed(statement.get("Resource", "")), name


def test_a_function_has_no_rights_but_those_that_the_template_spells_out() -> None:
    own_policies = [ref(name) for name in resources("AWS::IAM::ManagedPolicy")]

    for name, properties in functions().items():
        role = resources("AWS::IAM::Role")[target(properties["Role"])]
        assert "Policies" not in properties, name
        assert all(policy in own_policies for policy in role.get("ManagedPolicyArns", [])), name


def test_the_authorizer_alone_reaches_api_keys_and_can_only_read_them() -> None:
    reaching = [
        (name, statement["Action"], partitions(statement))
        for name in functions()
        for statement in on_partitions(name)
        if any(fnmatchcase(API_KEYS, pattern) for pattern in partitions(statement))
    ]

    assert reaching == [("AuthorizerFunction", "dynamodb:GetItem", [API_KEYS])]


def test_what_no_partition_can_limit_is_limited_otherwise() -> None:
    found = {
        name: [each for each in rights(name) if uses("dynamodb", each) and is_unlimited(each)]
        for name in functions()
    }

    of_stream = arn_of("Table", "StreamArn")
    listing, *feeding, scanning = found["IndexFunction"][1:]
    assert found["IndexFunction"][0]["Resource"] == of_stream
    assert listing["Resource"] == {"Fn::Sub": "${Table.Arn}/stream/*"}
    assert scanning["Condition"] == {
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "ForAllValues:StringEquals": {
            "dynamodb:Attributes": ["pk", "sk", "scope", "receipt_for", "removed"]
        },
    }
    natural, searching = found["RetrieveFunction"]
    assert natural["Resource"] == {"Fn::Sub": "${Table.Arn}/index/natural"}
    assert searching["Resource"]["Fn::Sub"][0] == "${Table.Arn}/index/${Index}"
    assert feeding == [natural, searching]
    assert all(found[name] == [natural] for name in MAKING_FACTS)
    assert found["TopicsFunction"] == found["ReasonFunction"] == [natural, searching]
    assert found["QueryFunction"] == [searching]
    limited = {"IndexFunction", "RetrieveFunction", *OF_TOPICS, *MAKING_FACTS}
    others = found.keys() - limited
    assert not any(found[name] for name in others)


def test_a_function_reaches_the_table_itself_and_of_an_index_only_queries_its_own_partitions() -> (
    None
):
    index = re.compile(r"\$\{Table\.Arn\}/index/([a-z]+)")

    for name in functions():
        for statement in on_partitions(name):
            if statement["Resource"] != arn("Table"):
                found = index.fullmatch(statement["Resource"]["Fn::Sub"])
                assert found, name
                assert statement["Action"] == "dynamodb:Query", name
                own = OF_INDEXES if name in OF_TOPICS else {found[1]: [f"{found[1]}#*"]}
                assert set() < set(partitions(statement)) <= set(own[found[1]]), name


def test_a_function_writes_its_own_log_alone() -> None:
    for name, properties in functions().items():
        own = target(properties["LoggingConfig"]["LogGroup"])
        written = [each["Resource"] for each in rights(name) if uses("logs", each)]
        assert written == [arn(own)], name


def test_every_function_may_do_what_it_does_and_nothing_else(cloud: "Cloud") -> None:
    live_through_everything(cloud)

    for name in functions():
        granted = [each for each in rights(name) if uses("dynamodb", each) or uses("s3", each)]
        for action, places in cloud.calls[name]:
            assert any(allows_all(each, action, places) for each in granted), (name, action, places)
        for statement in granted:
            if statement in (TELLS_ABSENT, SIGNS) or uses_none_here(statement):
                continue
            for action in listed(statement["Action"]):
                used = cloud.places(name, action)
                assert any(allows(statement, action, place) for place in used), (name, action)
                for pattern in partitions(statement) if is_on_partitions(statement) else []:
                    reached = any(fnmatchcase(place, pattern) for place in used)
                    right = (name, action, pattern)
                    assert reached or right in USED_WITH_VECTORS, right


def test_the_key_is_used_only_where_the_operator_asked_for_one_of_their_own() -> None:
    ((key, _),) = resources("AWS::KMS::Key").items()

    assert document()["Resources"][key]["Condition"] == "OwnKey"
    for name, resource in document()["Resources"].items():
        always = {**resource, "Properties": without_choices(resource.get("Properties", {}))}
        assert arn(key) not in list(nodes(always)), name


# --- Events -----------------------------------------------------------------------------------


def test_every_ingest_function_takes_its_own_rpc_from_the_services_bus() -> None:
    for name, operation in ingest_functions():
        (rule,) = events(name, "EventBridgeRule")
        assert rule["Pattern"] == {"detail-type": [operation.rpc]}, name
        assert rule["EventBusName"] == ref("EventBus"), name


def test_a_bad_message_fails_alone_and_is_set_aside_after_a_few_tries() -> None:
    queues = resources("AWS::SQS::Queue")

    for name in [*(name for name, _ in ingest_functions()), "IndexFunction"]:
        (source,) = events(name, "SQS")
        queue = queues[target(source["Queue"])]
        redrive = queue["RedrivePolicy"]
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"], name
        assert queue["VisibilityTimeout"] >= 6 * timeout_s(name), name
        assert 1 <= redrive["maxReceiveCount"] <= MAX_RETRIES, name
        assert target(redrive["deadLetterTargetArn"]) in queues, name


def test_every_ingest_function_reads_a_queue_of_its_own() -> None:
    queues = resources("AWS::SQS::Queue")
    used = []

    for name, _ in ingest_functions():
        (source,) = events(name, "SQS")
        (statement,) = (each for each in rights(name) if "sqs:ReceiveMessage" in each["Action"])
        assert statement["Resource"] == source["Queue"], name
        read = target(source["Queue"])
        used += [read, target(queues[read]["RedrivePolicy"]["deadLetterTargetArn"])]

    assert len(used) == len(set(used))


def test_an_event_is_retried_for_a_bounded_time_and_then_kept() -> None:
    for name, rule in (*rules(), *schedules()):
        invocation = functions()[name]["EventInvokeConfig"]
        on_failure = invocation["DestinationConfig"]["OnFailure"]
        for policy in (rule["RetryPolicy"], invocation):
            assert policy["MaximumRetryAttempts"] <= MAX_RETRIES, name
            assert policy["MaximumEventAgeInSeconds"] <= 86_400, name
        assert target(rule["DeadLetterConfig"]["Arn"]) in resources("AWS::SQS::Queue"), name
        assert on_failure["Type"] == "SQS", name
        assert any(
            each["Action"] == "sqs:SendMessage" and each["Resource"] == on_failure["Destination"]
            for each in rights(name)
        ), name


def test_a_rule_may_put_what_it_could_not_deliver_into_its_queue() -> None:
    kept_in = {target(rule["DeadLetterConfig"]["Arn"]) for _, rule in rules()}

    sending = {
        target(statement["Resource"]): statement["Condition"]["ArnLike"]["aws:SourceArn"]
        for policy in resources("AWS::SQS::QueuePolicy").values()
        for statement in allowing(policy)
        if statement["Principal"] == {"Service": "events.amazonaws.com"}
    }
    assert sending.keys() == kept_in
    for on_the_bus, *elsewhere in sending.values():
        assert on_the_bus["Fn::Sub"].endswith(":rule/${EventBus}/*")
        assert elsewhere == [
            arn(f"{name}{event}")
            for name, properties in functions().items()
            for event, each in properties.get("Events", {}).items()
            if each["Type"] == "Schedule"
            or (each["Type"] == "EventBridgeRule" and "EventBusName" not in each["Properties"])
        ]


def test_an_object_under_imports_starts_its_import() -> None:
    ((name, bucket),) = resources("AWS::S3::Bucket").items()

    (rule,) = events("ImportLinesFunction", "EventBridgeRule")

    assert "EventBusName" not in rule
    assert rule["Pattern"] == {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": [ref(name)]}, "object": {"key": [{"prefix": IMPORTS}]}},
    }
    assert bucket["NotificationConfiguration"] == {
        "EventBridgeConfiguration": {"EventBridgeEnabled": True}
    }


def test_sweeps_reconciliations_and_reasoning_are_started_by_the_operators_schedules() -> None:
    ((group, _),) = resources("AWS::Scheduler::ScheduleGroup").items()

    assert {name: schedule["ScheduleExpression"] for name, schedule in schedules()} == {
        "DecayFunction": ref("DecaySchedule"),
        "IndexFunction": ref("ReconcileSchedule"),
        "ReasonFunction": ref("ReasonSchedule"),
    }
    for name, schedule in schedules():
        assert (schedule["GroupName"], schedule["OmitName"]) == (ref(group), True), name
        assert not {"FlexibleTimeWindow", "State"} & schedule.keys(), name


def test_the_schedule_of_a_function_with_other_events_says_what_is_to_be_done() -> None:
    inputs = {name: schedule.get("Input") for name, schedule in schedules()}

    assert inputs == {
        "DecayFunction": None,
        "IndexFunction": f'{{"{stream.RECONCILE}": {{}}}}',
        "ReasonFunction": f'{{"{reasoning.RUN}": {{}}}}',
    }


def test_a_schedule_may_start_its_function_and_keep_what_it_could_not_and_nothing_else() -> None:
    for name, schedule in schedules():
        role = resources("AWS::IAM::Role")[target(schedule["RoleArn"])]
        (trusting,) = allowing(role["AssumeRolePolicyDocument"])
        assert trusting["Principal"] == {"Service": "scheduler.amazonaws.com"}
        assert trusting["Condition"] == {
            "StringEquals": {"aws:SourceAccount": ref("AWS::AccountId")},
            "ArnEquals": {"aws:SourceArn": arn(target(schedule["GroupName"]))},
        }
        assert [(each["Action"], each["Resource"]) for each in allowing(role["Policies"])] == [
            ("lambda:InvokeFunction", own_arns(name)),
            ("sqs:SendMessage", schedule["DeadLetterConfig"]["Arn"]),
        ]


def test_a_function_with_work_left_may_start_itself_again_and_nothing_else() -> None:
    invoking = {
        name: statement["Resource"]
        for name in functions()
        for statement in rights(name)
        if uses("lambda", statement)
    }

    reserves_ms = {
        "DecayFunction": sweeps.RESERVE_MS,
        "ImportLinesFunction": imports.RESERVE_MS,
        "IndexFunction": stream.RESERVE_MS,
        "ReasonFunction": reasoning.RESERVE_MS,
    }
    assert invoking == {name: own_arns(name) for name in reserves_ms}
    for name, reserve_ms in reserves_ms.items():
        assert functions()[name]["RecursiveLoop"] == "Allow", name
        assert timeout_s(name) * 1000 > 2 * reserve_ms, name


def test_a_sweep_hands_over_until_the_schedule_starts_the_next_one() -> None:
    runs = 1 + sweeps.MAX_HOPS
    assert runs * timeout_s("DecayFunction") == sweeping_every_s()


@pytest.mark.parametrize("schedule", ["ReconcileSchedule", "ReasonSchedule"])
@pytest.mark.parametrize("rate", ["rate(1 hour)", "rate(1 day)", "rate(7 days)"])
def test_what_may_take_long_may_be_asked_for_at_most_once_an_hour(rate: str, schedule: str) -> None:
    pattern = parameters()[schedule]["AllowedPattern"]

    assert re.fullmatch(pattern, rate)
    assert interval_s(rate)
    assert not re.fullmatch(pattern, "rate(59 minutes)")


def test_a_reconciliation_hands_over_for_less_than_its_schedule_waits() -> None:
    default = interval_s(parameters()["ReconcileSchedule"]["Default"])

    assert default is not None
    assert (1 + stream.MAX_HOPS) * timeout_s("IndexFunction") < default


def test_reasoning_hands_over_until_the_schedule_starts_the_next_one() -> None:
    runs = 1 + reasoning.MAX_HOPS

    assert runs * timeout_s("ReasonFunction") == interval_s(
        parameters()["ReasonSchedule"]["Default"]
    )


@pytest.mark.parametrize("rate", ["rate(1 minute)", "rate(5 minutes)", "rate(1 hour)"])
def test_a_sweep_may_be_asked_for_at_any_rate(rate: str) -> None:
    pattern = parameters()["DecaySchedule"]["AllowedPattern"]

    assert re.fullmatch(pattern, rate)
    assert interval_s(rate)


@pytest.mark.parametrize("schedule", ["DecaySchedule", "ReconcileSchedule", "ReasonSchedule"])
@pytest.mark.parametrize("rate", ["rate(0 hours)", "rate(1.5 hours)", "cron(0 * * * ? *)", ""])
def test_none_may_be_asked_for_otherwise(rate: str, schedule: str) -> None:
    pattern = parameters()[schedule]["AllowedPattern"]

    assert re.fullmatch(pattern, rate) is None
    assert interval_s(rate) is None


def test_whatever_is_given_up_raises_an_alarm() -> None:
    given_up = {
        target(node[key])
        for node in nodes(document()["Resources"])
        if isinstance(node, dict)
        for key in ("deadLetterTargetArn", "Destination")
        if key in node
    } | {target(each["DeadLetterConfig"]["Arn"]) for _, each in (*rules(), *schedules())}

    assert given_up == alarmed("ApproximateNumberOfMessagesVisible", "QueueName")


def test_every_function_that_fails_raises_an_alarm() -> None:
    assert alarmed("Errors", "FunctionName") == set(functions())


def test_a_queue_that_is_not_read_raises_an_alarm() -> None:
    (alarm,) = alarms_on("ApproximateAgeOfOldestMessage")
    sources = {target(source["Queue"]) for name in functions() for source in events(name, "SQS")}

    watched = {
        target(each["Value"])
        for metric in _watched(alarm)
        for each in metric["MetricStat"]["Metric"]["Dimensions"]
    }

    assert watched == sources
    for name in sources:
        queue = resources("AWS::SQS::Queue")[name]
        tried_for_s = queue["VisibilityTimeout"] * queue["RedrivePolicy"]["maxReceiveCount"]
        assert alarm["Threshold"] > tried_for_s, name


def test_a_rule_that_cannot_reach_its_function_raises_an_alarm() -> None:
    (alarm,) = alarms_on("FailedInvocations")

    watched = [metric["MetricStat"]["Metric"]["Dimensions"] for metric in _watched(alarm)]

    expected = []
    for name, properties in functions().items():
        for event, each in properties.get("Events", {}).items():
            rule = f"{name}{event}"
            if "EventBusName" in each["Properties"]:
                bus = {"Name": "EventBusName", "Value": each["Properties"]["EventBusName"]}
                own = {"Fn::Select": [2, {"Fn::Split": ["/", arn(rule)]}]}
                expected.append([bus, {"Name": "RuleName", "Value": own}])
            elif each["Type"] in ("EventBridgeRule", "Schedule"):
                expected.append([{"Name": "RuleName", "Value": ref(rule)}])
    assert sorted(map(repr, watched)) == sorted(map(repr, expected))


def test_a_schedule_that_cannot_reach_its_function_raises_an_alarm() -> None:
    alarm = alarm_on("AWS/Scheduler", "InvocationDroppedCount", "Sum")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    for name, schedule in schedules():
        group = {"Name": "ScheduleGroup", "Value": schedule["GroupName"]}
        assert alarm["Dimensions"] == [group], name


def test_changes_that_wait_for_minutes_to_be_indexed_raise_an_alarm() -> None:
    alarm = alarm_on("AWS/Lambda", "IteratorAge", "Maximum")

    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": ref("IndexFunction")}]
    assert alarm["Threshold"] == 5 * 60 * 1_000
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"


def test_a_change_is_tried_until_it_is_old_and_its_place_is_then_kept() -> None:
    (source,) = events("IndexFunction", "DynamoDB")

    assert source["MaximumRetryAttempts"] == -1
    assert 0 < source["MaximumRecordAgeInSeconds"] < DAY_S
    assert target(source["DestinationConfig"]["OnFailure"]["Destination"]) == "UnindexedChanges"
    assert source["BisectBatchOnFunctionError"] is True


def test_what_stays_due_for_longer_than_two_sweeps_raises_an_alarm() -> None:
    metrics = Metrics()
    Swept.of([]).tell(make_services(measure=metrics))

    alarm = alarm_on(telemetry.NAMESPACE, "OldestDueAge", "Maximum")

    assert ("OldestDueAge", 0.0, {}) in metrics.told
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
    assert "Dimensions" not in alarm
    assert alarm["Threshold"] > 2 * sweeping_every_s()


def test_a_sweep_that_never_ends_raises_an_alarm() -> None:
    alarm = alarm_on(telemetry.NAMESPACE, "OldestDueAge", "SampleCount")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert alarm["TreatMissingData"] == "breaching"
    assert alarm["Period"] >= sweeping_every_s()


def test_an_event_that_is_given_up_and_not_kept_raises_an_alarm() -> None:
    keeping = {name for name, each in functions().items() if "EventInvokeConfig" in each}

    assert alarmed("DestinationDeliveryFailures", "FunctionName") == keeping


def test_counters_that_had_drifted_raise_an_alarm() -> None:
    alarm = alarm_on(telemetry.NAMESPACE, reconcile.DRIFT, "Maximum")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert "Dimensions" not in alarm


def test_refusals_that_callers_can_do_nothing_about_raise_an_alarm_where_they_go_on() -> None:
    alarm = resources("AWS::CloudWatch::Alarm")["RefusalsAlarm"]

    codes = {
        dimension["Value"]
        for metric in _watched(alarm)
        for dimension in metric["MetricStat"]["Metric"]["Dimensions"]
    }

    refused_for_now = (Aborted("m"), ResourceExhausted("m"), Unavailable("m"))
    assert codes == {kind_of(error).code for error in refused_for_now}
    assert alarm["EvaluationPeriods"] > 1


def test_an_error_of_the_api_raises_an_alarm() -> None:
    (alarm,) = (
        alarm
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "5xx"
    )

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert alarm["Dimensions"] == [{"Name": "ApiId", "Value": ref("HttpApi")}]


def test_every_throttled_call_of_the_table_raises_an_alarm() -> None:
    called = {
        action.removeprefix("dynamodb:")
        for name in functions()
        for statement in rights(name)
        if uses("dynamodb", statement) and not uses_stream(statement)
        for action in listed(statement["Action"])
    }

    throttled = called - {"ConditionCheckItem"} | {"TransactGetItems", "TransactWriteItems"}
    assert alarmed("ThrottledRequests", "Operation") == throttled
    assert alarmed("ThrottledRequests", "TableName") == {"Table"}


def test_the_operator_hears_of_every_alarm() -> None:
    (subscription,) = resources("AWS::SNS::Subscription").values()

    assert subscription["Endpoint"] == ref("AlarmEmail")
    for name, alarm in resources("AWS::CloudWatch::Alarm").items():
        assert alarm["AlarmActions"] == [subscription["TopicArn"]], name
        assert len(_watched(alarm)) <= MAX_ALARM_METRICS, name


def test_bus_and_queues_name_their_senders_by_default_this_account() -> None:
    bus, queue = (
        [each for each in allowing(resource) if "AWS" in each["Principal"]]
        for resource in (
            document()["Resources"]["EventBusPolicy"],
            document()["Resources"]["QueuePolicy"],
        )
    )

    for statements, parameter in ((bus, "BusSenders"), (queue, "QueueSenders")):
        (principal,) = (each["Principal"]["AWS"] for each in statements)
        assert principal == {"Fn::If": [f"{parameter}Named", ref(parameter), ref("AWS::AccountId")]}
        assert parameters()[parameter]["Default"] == ""


def test_queues_and_bucket_are_reached_over_tls_alone() -> None:
    tls_only = {
        target(guarded)
        for kind, place in (
            ("AWS::SQS::QueuePolicy", "Queues"),
            ("AWS::S3::BucketPolicy", "Bucket"),
        )
        for policy in resources(kind).values()
        for guarded in listed(policy[place])
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
        and statement["Principal"] == "*"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }

    assert tls_only == {*resources("AWS::SQS::Queue"), *resources("AWS::S3::Bucket")}


# --- Storage ----------------------------------------------------------------------------------


def test_the_table_survives_mistakes() -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()

    assert table["DeletionProtectionEnabled"] is True
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["SSESpecification"]["SSEEnabled"] is True
    assert table["SSESpecification"]["SSEType"] == "KMS"
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_what_holds_memory_outlives_the_stack() -> None:
    for name in ("Table", "Bucket", "BucketPolicy", "Key"):
        resource = document()["Resources"][name]
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain", name


def test_the_bucket_is_private_and_encrypted() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]


def test_what_was_imported_is_removed_after_as_many_days_as_the_operator_says() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    rules = bucket["LifecycleConfiguration"]["Rules"]

    kept = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules}
    assert kept == {UPLOADS: 2, IMPORTS: ref("ImportDays"), RESULTS: ref("ImportDays")}
    assert all(rule["Status"] == "Enabled" for rule in rules)
    assert parameters()["ImportDays"]["MinValue"] * DAY_S > imports.MAX_HOPS * timeout_s(
        "ImportLinesFunction"
    )


def test_parts_of_a_file_that_was_never_sent_whole_are_removed() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    (rule,) = [
        rule
        for rule in bucket["LifecycleConfiguration"]["Rules"]
        if "AbortIncompleteMultipartUpload" in rule
    ]
    assert rule["Prefix"] == IMPORTS


def test_queues_are_encrypted() -> None:
    for name, queue in resources("AWS::SQS::Queue").items():
        assert queue["SqsManagedSseEnabled"] is True, name


def test_the_keys_of_table_and_indexes_are_those_that_the_codec_writes(cloud: "Cloud") -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    cloud.report("observation")

    (item,) = cloud.items()

    defined = read_template(TEMPLATE).table["AttributeDefinitions"]
    typed = {each["AttributeName"]: each["AttributeType"] for each in defined}
    schemas = [table["KeySchema"], *(each["KeySchema"] for each in table["GlobalSecondaryIndexes"])]
    items = {**entry_item(AN_ENTRY, Standing(1, b""), "embedder", shards=1), **item}
    assert typed == {
        name: kind
        for name, value in items.items()
        if name.endswith(("pk", "sk")) or name in ("type", "sensitivity")
        for kind in value
    }
    assert [[(key["AttributeName"], key["KeyType"]) for key in schema] for schema in schemas] == [
        [(f"{index}pk", "HASH"), (f"{index}sk", "RANGE")]
        for index in ("", "rank_", "due_", "natural_", "thread_")
    ]


def test_the_vector_index_is_what_entries_are_written_for() -> None:
    for parameter in map(str, parameters()["EmbeddingDimensions"]["AllowedValues"]):
        overrides = {"EmbeddingDimensions": parameter}
        (index,) = read_template(TEMPLATE, overrides).table["VectorIndexes"]
        size = int(parameter) + SKETCH_DIMENSIONS
        assert index["IndexName"] == f"vectors_{size}"
        assert index["VectorAttribute"] == {"AttributeName": f"vector_{size}"}
        assert index["Dimensions"] == size
        assert {*index["Projection"]["NonKeyAttributes"]} < {*ATTRIBUTES}
        assert [each["AttributeName"] for each in index["SearchSchema"]] == [
            "pk",
            "type",
            "sensitivity",
        ]


def test_without_the_vector_index_nothing_of_it_is_left() -> None:
    table = read_template(TEMPLATE, {"VectorIndex": "false"}).table

    assert "VectorIndexes" not in table
    assert {"type", "sensitivity"}.isdisjoint(
        each["AttributeName"] for each in table["AttributeDefinitions"]
    )


def test_a_tombstone_expires_by_the_attribute_that_ttl_looks_at(cloud: "Cloud") -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    cloud.http("DELETE /v1/records/{id}", record_id=cloud.report("observation"))

    (item,) = cloud.items()

    ttl = table["TimeToLiveSpecification"]
    assert ttl["Enabled"] is True
    assert item[ttl["AttributeName"]].keys() == {"N"}


# --- Settings ---------------------------------------------------------------------------------


def test_the_template_sets_every_setting_and_no_other_variable() -> None:
    environment = Environment({"MEMBRANE_TABLE": "table", "MEMBRANE_BUCKET": "bucket"})

    read_settings(environment)
    read_search_settings(environment)
    read_topic_settings(environment)

    own = {
        name: each["Environment"]["Variables"]
        for name, each in functions().items()
        if "Environment" in each
    }
    queues = {INDEX_QUEUE, TOPIC_QUEUE}
    assert set(shared()["Environment"]["Variables"]) == environment.asked - queues
    assert own == {
        "IndexFunction": {INDEX_QUEUE: ref("IndexQueue"), TOPIC_QUEUE: ref("TopicQueue")},
        "QueryFunction": {TOPIC_QUEUE: ref("TopicQueue")},
        "ReasonFunction": {TOPIC_QUEUE: ref("TopicQueue")},
    }


def test_a_function_that_is_told_of_a_queue_may_send_to_it() -> None:
    for name, properties in functions().items():
        sending = [
            each["Resource"] for each in rights(name) if "sqs:SendMessage" in listed(each["Action"])
        ]
        for queue in properties.get("Environment", {}).get("Variables", {}).values():
            assert arn(target(queue)) in sending, name


def test_the_defaults_of_the_template_are_those_of_the_code() -> None:
    of_the_code = read_settings({"MEMBRANE_TABLE": "Table", "MEMBRANE_BUCKET": "Bucket"})

    of_the_template = read_settings(default_environment())

    assert replace(of_the_template, sources=SourcePrincipals()) == of_the_code
    assert read_search_settings(default_environment()) == read_search_settings({})
    assert read_topic_settings(default_environment()) == read_topic_settings({})


def test_events_may_only_ingest_into_one_scope_up_to_low_and_direct_invoke_is_closed() -> None:
    def principal(actor_id: str) -> Principal:
        return Principal(actor_id, frozenset({Permission.INGEST}), ("events",), Sensitivity.LOW)

    assert read_settings(default_environment()).sources == SourcePrincipals(
        bus=principal("event-bus"),
        queue=principal("queue"),
        direct=None,
        imports=principal("import"),
    )


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("DefaultSensitivity", Sensitivity),
        ("DefaultDeletionPolicy", DeletionPolicy),
        ("DecayCurve", DecayCurve),
        ("Embedder", EmbedderKind),
    ],
)
def test_a_parameter_offers_the_words_that_the_code_knows(
    parameter: str, words: type[StrEnum]
) -> None:
    assert parameters()[parameter]["AllowedValues"] == [str(word) for word in words]


def test_dimensions_that_bedrock_does_not_make_are_refused_before_anything_is_deployed() -> None:
    rule = document()["Rules"]["DimensionsOfBedrock"]

    ((allowed, parameter),) = [each["Assert"]["Fn::Contains"] for each in rule["Assertions"]]
    assert rule["RuleCondition"] == {"Fn::Equals": [ref("Embedder"), "bedrock"]}
    assert tuple(map(int, allowed)) == BEDROCK_DIMENSIONS
    assert parameter == ref("EmbeddingDimensions")


def test_every_parameter_is_used() -> None:
    used = {node["Ref"] for node in nodes(document()) if isinstance(node, dict) and "Ref" in node}

    assert set(parameters()) <= used


# --- Operation --------------------------------------------------------------------------------


def test_every_log_is_kept_as_long_as_the_operator_says() -> None:
    groups = resources("AWS::Logs::LogGroup")
    (api,) = resources("AWS::Serverless::HttpApi").values()

    used = [target(properties["LoggingConfig"]["LogGroup"]) for properties in functions().values()]

    assert sorted([*used, target(api["AccessLogSettings"]["DestinationArn"])]) == sorted(groups)
    for name, group in groups.items():
        assert group["RetentionInDays"] == ref("LogRetentionDays"), name


def test_the_access_log_is_json_and_holds_no_path_for_paths_hold_record_ids() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()

    line = json.loads(api["AccessLogSettings"]["Format"])

    assert line["route"] == "$context.routeKey"
    assert not {"$context.path", "$context.authorizer.scopes"} & set(line.values())


def test_the_deployment_says_where_it_can_be_reached() -> None:
    assert {name: each["Value"] for name, each in document()["Outputs"].items()} == {
        "ApiUrl": {"Fn::GetAtt": ["HttpApi", "ApiEndpoint"]},
        "TableName": ref("Table"),
        "BucketName": ref("Bucket"),
        "EventBusName": ref("EventBus"),
    }


# --- The template, read ------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms spelt out."""


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix == "Ref" else f"Fn::{suffix}"
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.ScalarNode)
    value = str(loader.construct_scalar(node))
    return {name: value.split(".") if suffix == "GetAtt" else value}


_Loader.add_multi_constructor("!", _short_form)


@cache
def document() -> dict[str, Any]:
    """The template with `!Ref X` as `{"Ref": "X"}` and so on."""
    read: dict[str, Any] = yaml.load(TEMPLATE.read_text("utf-8"), _Loader)  # noqa: S506 - a SafeLoader
    return read


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


def timeout_s(function: str) -> int:
    return int(functions()[function].get("Timeout", shared()["Timeout"]))


def served_by(function: str) -> list[Operation]:
    """The operations that the function's handler imports."""
    folder = Path(functions()[function]["CodeUri"]).name
    handler = importlib.import_module(f"functions.{folder}.handler")
    found = [each for value in vars(handler).values() for each in listed(value)]
    return [each for each in found if isinstance(each, Operation)]


def ingest_functions() -> list[tuple[str, Operation]]:
    """The functions of the five reports, which come from four sources."""
    found = [(name, each) for name in functions() for each in served_by(name) if each in REPORTS]
    assert len(found) == len(REPORTS)
    return found


def events(function: str, kind: str) -> list[dict[str, Any]]:
    """Properties of the function's events of a type."""
    found = functions()[function].get("Events", {}).values()
    return [event["Properties"] for event in found if event["Type"] == kind]


def rules() -> list[tuple[str, dict[str, Any]]]:
    """What EventBridge does for which function: on the bus, and on a schedule."""
    kinds = ("EventBridgeRule", "Schedule")
    return [(name, rule) for name in functions() for kind in kinds for rule in events(name, kind)]


def schedules() -> list[tuple[str, dict[str, Any]]]:
    """What EventBridge Scheduler does for which function."""
    return [(name, each) for name in functions() for each in events(name, "ScheduleV2")]


def sweeping_every_s() -> int:
    """The seconds between two sweeps where the operator sets nothing."""
    seconds = interval_s(parameters()["DecaySchedule"]["Default"])
    assert seconds is not None
    return seconds


def alarm_on(namespace: str, metric: str, statistic: str) -> dict[str, Any]:
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


def alarms_on(metric: str) -> list[dict[str, Any]]:
    """The alarms that add up a metric."""
    return [
        alarm
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if metric in {each["MetricStat"]["Metric"]["MetricName"] for each in _watched(alarm)}
    ]


def _watched(alarm: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The metrics that the alarm adds up."""
    return [each for each in alarm.get("Metrics", ()) if "MetricStat" in each]


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


# --- Rights, read ------------------------------------------------------------------------------


def allowing(resource: Any) -> list[dict[str, Any]]:
    """Every statement of a resource that allows something."""
    found = [each for each in nodes(resource) if isinstance(each, dict) and "Effect" in each]
    return [each for each in found if each["Effect"] == "Allow"]


def rights(function: str) -> list[dict[str, Any]]:
    """What the function's role allows it, with and without a key of its own."""
    role = resources("AWS::IAM::Role")[target(functions()[function]["Role"])]
    shared_policies = [
        resources("AWS::IAM::ManagedPolicy")[target(policy)]
        for policy in role.get("ManagedPolicyArns", [])
    ]
    later_policies = [
        policy
        for policy in resources("AWS::IAM::RolePolicy").values()
        if target(policy["RoleName"]) == target(functions()[function]["Role"])
    ]
    return allowing([role.get("Policies", []), *shared_policies, *later_policies])


def uses(service: str, statement: Mapping[str, Any]) -> bool:
    return any(action.startswith(f"{service}:") for action in listed(statement["Action"]))


SOMEWHERE = "somewhere"
"""The place of a scan."""

UNLIMITED = (
    "dynamodb:DescribeStream",
    "dynamodb:ListStreams",
    "dynamodb:Scan",
    "dynamodb:SearchVectors",
)


def is_unlimited(statement: Mapping[str, Any]) -> bool:
    """Whether no partition can limit it: a stream, a scan, a search, an index by digests."""
    of_digests = statement["Resource"] == {"Fn::Sub": "${Table.Arn}/index/natural"}
    return of_digests or any(action in UNLIMITED for action in listed(statement["Action"]))


def is_on_partitions(statement: Mapping[str, Any]) -> bool:
    return uses("dynamodb", statement) and not is_unlimited(statement)


def on_partitions(function: str) -> list[dict[str, Any]]:
    return [each for each in rights(function) if is_on_partitions(each)]


def uses_stream(statement: Mapping[str, Any]) -> bool:
    """Lambda itself reads the stream, in the function's name."""
    return any("Stream" in action for action in listed(statement["Action"]))


USED_WITH_VECTORS = {("RetrieveFunction", "dynamodb:BatchGetItem", "entries#*")}
"""Rights that only a search by the vector index uses. Dynoxide's table has none here."""


def uses_none_here(statement: Mapping[str, Any]) -> bool:
    """Moto knows no vector index, and only a search by that asks the index of threads."""
    of_threads = statement["Resource"] == {"Fn::Sub": "${Table.Arn}/index/thread"}
    searches = "dynamodb:SearchVectors" in listed(statement["Action"])
    return uses_stream(statement) or searches or of_threads


def partitions(statement: Mapping[str, Any]) -> list[str]:
    """The partitions of the table that a statement is limited to."""
    ((operator, keys),) = statement["Condition"].items()
    assert operator in ("ForAllValues:StringEquals", "ForAllValues:StringLike")
    return list(keys["dynamodb:LeadingKeys"])


TELLS_ABSENT = {
    "Effect": "Allow",
    "Action": "s3:ListBucket",
    "Resource": {"Fn::GetAtt": ["Bucket", "Arn"]},
}
"""Without it S3 says of an absent object that it is forbidden. Who erases lists by it, too."""


SIGNS = {
    "Effect": "Allow",
    "Action": "s3:PutObject",
    "Resource": {"Fn::Sub": "${Bucket.Arn}/uploads/*"},
}
"""Used by whoever holds an address that the function signed: S3 asks for the signer's rights."""


def allows(statement: Mapping[str, Any], action: str, place: str) -> bool:
    """Whether a statement allows an action on a partition, an object or a prefix of objects."""
    if action not in listed(statement["Action"]):
        return False
    if action == "s3:ListBucket":
        prefix = {"StringEquals": {"s3:prefix": place}}
        return statement == TELLS_ABSENT or bool(statement["Condition"] == prefix)
    if action.startswith("s3:"):
        return fnmatchcase(f"${{Bucket.Arn}}/{place}", statement["Resource"]["Fn::Sub"])
    if is_unlimited(statement):
        return place in (SOMEWHERE, statement["Resource"].get("Fn::Sub"))
    return any(fnmatchcase(place, pattern) for pattern in partitions(statement))


def allows_all(statement: Mapping[str, Any], action: str, places: Iterable[str]) -> bool:
    """Whether one statement allows an action on all places that one request names."""
    return all(allows(statement, action, place) for place in places)


# --- Settings, read ----------------------------------------------------------------------------


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


# --- The functions, run ------------------------------------------------------------------------

LARGE = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(1_500))
"""Text of over 32 KB when compressed, so that the document that holds it lies in the bucket."""

BODIES: dict[str, dict[str, Any]] = {
    "event": {"event_kind": "build", "ref": "1", "summary": LARGE},
    "tool-output": {"tool_name": "bash", "result": LARGE},
    "observation": {"subject": "user", "predicate": "likes", "object": LARGE},
    "working-state": {"thread_id": "1", "state": "planning", "context_summary": LARGE},
}

SINGLE_ACTIONS = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "ListObjectsV2": "ListBucket",
    "HeadObject": "GetObject",
}
"""What IAM calls the parts of a transaction, a listing, and a look at an object."""


CONTESTED = "is said to be"
"""The predicate of facts that contest each other."""


@dataclass(slots=True)
class Cloud:
    """The template's functions offline, and the actions that each has called on which places.

    Places are partitions and objects. IAM compares the places of one action in one request with a
    statement together, so they stay together here.
    """

    store: Store
    functions: Functions
    earlier: Functions
    """The same, when no predicate had a policy."""
    calls: dict[str, set[tuple[str, frozenset[str]]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    made: set[tuple[str, str]] = field(default_factory=set)
    """Service and operation of every call."""
    sent: list[tuple[str, str, int]] = field(default_factory=list)
    """Messages to queues."""
    running: str = ""

    def invoke(self, function: str, event: Any) -> Any:
        self.running = function
        try:
            return self.functions.invoke(function, event)
        finally:
            self.running = ""

    def http(
        self,
        route: str,
        body: Any = None,
        record_id: str = "",
        actor_id: str = "agent",
        *,
        name: str = "",
        query: str = "",
    ) -> Any:
        """The body of the reply to somebody who may do everything."""
        everything = {
            "actor_id": actor_id,
            "permissions": [str(permission) for permission in Permission],
            "scopes": ["*"],
            "max_sensitivity": "hyper",
        }
        event = {
            "routeKey": route,
            "headers": {"idempotency-key": key_of(body)} if route.startswith("POST") else {},
            "pathParameters": {"id": record_id, "thread_id": record_id, "name": name},
            "rawQueryString": query,
            "body": None if body is None else json.dumps(body),
            "requestContext": {"http": {}, "authorizer": {"lambda": everything}},
        }
        function = next(
            name for name in functions() if route in {each.route for each in served_by(name)}
        )
        reply = self.invoke(function, event)
        assert reply["statusCode"] < 300, reply
        return json.loads(reply.get("body", "null"))

    def report(self, kind: str) -> str:
        """The id of a record, the same one however often it is reported."""
        body = {"source": "agent", **BODIES[kind]}
        return str(self.http(f"POST /v1/ingest/{kind}", body)["record"]["id"])

    def upload(self, value: Any, actor_id: str = "agent") -> dict[str, str]:
        """A claim of that value, uploaded."""
        content = json.dumps(value).encode()
        declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        opened = self.http("POST /v1/uploads", declared, actor_id=actor_id)
        name = urlsplit(opened["url"]).path.partition(f"/{BUCKET}/")[2]
        self.store.blobs.put(name, content)
        return {"$upload": opened["upload_id"]}

    def items(self) -> list[Mapping[str, Any]]:
        """The own items of all records."""
        found = self.store.dynamodb.scan(TableName=TABLE)["Items"]
        return [item for item in found if item["sk"] == {"S": RECORD}]

    def cells(self) -> list[Mapping[str, Any]]:
        """What is counted."""
        found = self.store.dynamodb.scan(TableName=TABLE)["Items"]
        return [item for item in found if item["pk"]["S"].startswith(f"{table_keys.COUNTERS}#")]

    def spoil(self, cell: Mapping[str, Any]) -> None:
        """Count one record too many, of each sensitivity that the cell has."""
        for name in (each for each in cell if each.endswith(RECORDS)):
            self.store.dynamodb.update_item(
                TableName=TABLE,
                Key={key: cell[key] for key in ("pk", "sk")},
                UpdateExpression="ADD #name :one",
                ExpressionAttributeNames={"#name": name},
                ExpressionAttributeValues={":one": {"N": "1"}},
            )

    def note(self, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        """Remember a call that a function makes."""
        if not self.running:
            return
        service = model.service_model.service_name
        self.made.add((service, model.name))
        parts = [(model.name, params)]
        if model.name in ("TransactGetItems", "TransactWriteItems"):
            parts = [
                (action, request)
                for item in params["TransactItems"]
                for action, request in item.items()
            ]
        together = defaultdict(set)
        for action, request in parts:
            places = [_place_in_bucket(request)] if service == "s3" else _partitions(request)
            together[f"{service}:{SINGLE_ACTIONS.get(action, action)}"].update(places)
        self.calls[self.running] |= {
            (action, frozenset(places)) for action, places in together.items()
        }

    def places(self, function: str, action: str) -> set[str]:
        """All places on which a function has called an action."""
        return {
            place for called, places in self.calls[function] if called == action for place in places
        }


def _partitions(request: Mapping[str, Any]) -> list[str]:
    for asked in request.get("RequestItems", {}).values():
        return [str(key["pk"]["S"]) for key in asked["Keys"]]
    if "KeyConditionExpression" not in request and "FilterExpression" in request:
        return [SOMEWHERE]
    if request.get("IndexName") == "natural":
        return ["${Table.Arn}/index/natural"]
    return [_partition(request)]


def _partition(request: Mapping[str, Any]) -> str:
    key = request.get("Key") or request.get("Item")
    if key:
        return str(key["pk"]["S"])
    _, _, compared, *_ = request["KeyConditionExpression"].split()
    return str(request["ExpressionAttributeValues"][compared]["S"])


def _place_in_bucket(request: Mapping[str, Any]) -> str:
    return str(request.get("Key") or request["Prefix"])


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    """The functions as the template's defaults deploy them, over an empty table and bucket.

    The table is dynoxide's: moto copies all of a table for each part of a transaction.
    """
    small = {
        "Embedder": "lexical",
        "VectorIndex": "false",
        "TopicMaxHistory": "3",
        "TopicSummaryHistory": "2",
        "TopicFeeds": "true",
    }
    policies = {"ConflictPolicies": json.dumps({CONTESTED: "contest"})}
    template, former = (
        read_template(TEMPLATE, {**small, **policies}),
        read_template(TEMPLATE, small),
    )
    with running(tmp_path / "memory.db") as endpoint, mock_aws():
        dynamodb, s3 = wiring.dynamodb_client(endpoint), boto3.client("s3", region_name="us-east-1")
        one_at_a_time(s3)
        ensure_table(dynamodb, TABLE, template.table)
        s3.create_bucket(Bucket=BUCKET)
        blobs = S3Blobs(lambda: s3, BUCKET)
        imports = BucketImports(lambda: s3, BUCKET)
        stream = TableStream(stream_client(endpoint), stream_of(dynamodb, TABLE, template.table))
        store = Store(dynamodb, blobs, lambda: None, imports, BucketDoor(blobs, BUCKET), stream)
        clock = DevClock()
        made = Cloud(
            store, Functions.of(template, store, clock), Functions.of(former, store, clock)
        )
        made.functions.send = lambda *message: made.sent.append(message)
        dynamodb.meta.events.register("provide-client-params.dynamodb", made.note)
        s3.meta.events.register("provide-client-params.s3", made.note)
        yield made


def key_of(body: Any) -> str:
    """The same for the same request."""
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()


def claim_everywhere(cloud: Cloud) -> None:
    """Put an upload in every place that takes one."""
    bodies = {
        "tool-output": {"tool_name": "cat", "result": cloud.upload("result")},
        "observation": {"subject": "user", "predicate": "has", "object": cloud.upload("object")},
        "working-state": {
            "thread_id": "2",
            "state": "planning",
            "active_constraints": cloud.upload([{"type": "budget"}]),
        },
    }
    for kind, body in bodies.items():
        cloud.http(f"POST /v1/ingest/{kind}", {"source": "agent", **body})
    fact: dict[str, Any] = {
        "id": "claims",
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": "has",
            "object": cloud.upload("record"),
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    many = {
        "items": [
            {
                "rpc": "IngestRecord",
                "record": fact
                | {
                    "id": "batched",
                    "payload": {**fact["payload"], "object": cloud.upload("batch" + LARGE)},
                    "relations": [{"predicate": "about", "target_id": "claims"}],
                    "lifecycle": {"decay": {"half_life_seconds": 79}},
                },
            },
            *(
                {
                    "rpc": "IngestOutcome",
                    "source": str(n),
                    "target_record_id": cloud.report("event"),
                    "outcome_status": "success",
                }
                for n in range(20)
            ),
        ]
    }
    results = cloud.http("POST /v1/ingest/batch", many)["results"]
    assert {entry["status"] for entry in results} == {200, 201}


def import_everything(cloud: Cloud) -> None:
    """Import lines that do all that a line can do."""
    lines = [
        {
            "rpc": "IngestRecord",
            "record": {
                "id": "imported",
                "type": "episodic",
                "sensitivity": "low",
                "payload": {
                    "kind": "episodic",
                    "timeline": [
                        {
                            "t": "2026-01-01T00:00:00Z",
                            "event_kind": "build",
                            "ref": "1",
                            "summary": LARGE,
                        }
                    ],
                },
            },
        }
    ]
    lines += [
        {
            "rpc": "IngestOutcome",
            "source": str(n),
            "target_record_id": "imported",
            "outcome_status": "success",
        }
        for n in range(20)
    ]
    lines += [
        {
            "rpc": "IngestRecord",
            "record": {
                "type": "competence",
                "sensitivity": "low",
                "lifecycle": {"decay": {"half_life_seconds": 78}},
                "relations": [{"predicate": "about", "target_id": "imported"}],
                "payload": {
                    "kind": "competence",
                    "skill_name": "deploy",
                    "triggers": [],
                    "recipe": [],
                },
            },
        }
    ]
    lines += [
        {
            "rpc": "IngestObservation",
            "source": "file",
            "subject": "user",
            "predicate": "has",
            "object": cloud.upload("import", actor_id="import"),
        }
    ]
    reply = import_lines(cloud, "all", lines)
    assert (reply["created"], reply["refused"]) == (len(lines), 0)


def import_lines(cloud: Cloud, name: str, lines: list[Any]) -> Any:
    """What the import of a file of these lines comes to."""
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    cloud.store.imports.receive(f"{IMPORTS}{name}.ndjson", BytesIO(content))
    found = cloud.store.imports.find(f"{IMPORTS}{name}.ndjson")
    assert found is not None
    put = {"key": found.key, "etag": found.etag, "sequencer": "1"}
    happened = {"time": "2026-01-01T00:00:00Z", "detail": {"object": put}}
    return cloud.invoke("ImportLinesFunction", happened)


def a_fact(subject: str, **fields: Any) -> dict[str, Any]:
    """A full record with evidence, of what others may contest."""
    evidence = {
        "source_type": "observation",
        "source_id": "agent",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    payload = {
        "kind": "semantic",
        "subject": subject,
        "predicate": CONTESTED,
        "object": LARGE + subject,
        "validity": {"mode": "global"},
        "evidence": [evidence],
        **fields,
    }
    return {"type": "semantic", "sensitivity": "low", "payload": payload}


def say(cloud: Cloud, subject: str, scope: str = "", said: str = LARGE) -> str:
    """The id of a fact that no head knows: nobody looked for conflicts when it was ingested."""
    report = {"source": "agent", "subject": subject, "predicate": CONTESTED, "object": said}
    earlier = replace(cloud, functions=cloud.earlier)
    record = earlier.http("POST /v1/ingest/observation", {**report, "scope": scope})["record"]
    return str(record["id"])


def contest_everywhere(cloud: Cloud) -> None:
    """By whatever makes a fact active, contest two that no head knows."""
    report = {"source": "agent", "predicate": CONTESTED, "object": "other"}
    for subject, scope in (("one", ""), ("two", ""), ("three", ""), ("four", "events")):
        say(cloud, subject, scope)
        say(cloud, subject, scope, "also")
    cloud.http("POST /v1/ingest/observation", {**report, "subject": "one"})
    cloud.http("POST /v1/records", {"record": a_fact("two")})
    item = {"rpc": "IngestObservation", **report, "subject": "three"}
    (result,) = cloud.http("POST /v1/ingest/batch", {"items": [item]})["results"]
    assert result["status"] == 201
    line = {"rpc": "IngestObservation", **report, "subject": "four"}
    assert import_lines(cloud, "contesting", [line])["created"] == 1


def revise_everything(cloud: Cloud, target_id: str) -> None:
    """By every revision; one brings an upload, an edge and a decay profile of its own."""
    rich = {
        **a_fact("five", object=cloud.upload("revision" + LARGE)),
        "relations": [{"predicate": "about", "target_id": target_id}],
        "lifecycle": {"decay": {"half_life_seconds": 74}},
    }
    old, other, doubted, moved = (say(cloud, each) for each in ("five", "six", "seven", "eight"))
    say(cloud, "five", said="also")
    say(cloud, "five", said="or so")
    new = cloud.http("POST /v1/records/{id}/supersede", {"new_record": rich}, old)["record"]["id"]
    fork = {"forked_record": a_fact("nine")}
    variant = cloud.http("POST /v1/records/{id}/fork", fork, new)["record"]["id"]
    merge = {"ids": [new, variant, other], "merged_record": a_fact("five and six")}
    cloud.http("POST /v1/records/merge", merge)
    cloud.http("POST /v1/records/{id}/contest", {"contesting_ref": target_id}, doubted)
    cloud.http("POST /v1/records/{id}/resolve", {"resolution": "keep"}, doubted)
    cloud.http("PATCH /v1/records/{id}", {"scope": "elsewhere"}, moved)
    cloud.http("POST /v1/records/{id}/retract", {}, moved)
    cloud.http("PATCH /v1/records/{id}", {"retracted": False}, moved)
    versions = cloud.http("GET /v1/records/{id}/versions", record_id=moved)["versions"]
    assert len(versions) == 4


def count_everything(cloud: Cloud) -> None:
    """Again, of counters that are wrong; and ask how many there are."""
    for cell in cloud.cells():
        cloud.spoil(cell)
    while not (counted := cloud.invoke("IndexFunction", {stream.RECONCILE: {"once": True}}))[
        "done"
    ]:
        pass
    assert counted["drift"] > 0
    assert cloud.http("GET /v1/metrics")["snapshot"]["total_records"] > 0


def record_with_a_past(cloud: Cloud, record_id: str, target_id: str) -> None:
    """A record with an edge, document and audit in the bucket, and 16 entries: the next spills."""
    fact: dict[str, Any] = {
        "id": record_id,
        "type": "semantic",
        "sensitivity": "low",
        "lifecycle": {"decay": {"half_life_seconds": 76}},
        "relations": [{"predicate": "about", "target_id": target_id}],
        "payload": {
            "kind": "semantic",
            "subject": record_id,
            "predicate": "says",
            "object": LARGE,
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    for n in range(15):
        penalty = {"amount": 0, "rationale": f"{n}" if n < 14 else LARGE}
        cloud.http("POST /v1/records/{id}/penalize", penalty, record_id)


def change_everything(cloud: Cloud, target_id: str) -> None:
    """Make every change of a record, the last of which erases it; delete one, let one fade."""
    record_with_a_past(cloud, "erased", target_id)
    for change in ("reinforce", "pin", "unpin"):
        cloud.http(f"POST /v1/records/{{id}}/{change}", {}, "erased")
    other = {"decay": {"half_life_seconds": 75}}
    cloud.http("PATCH /v1/records/{id}/lifecycle", other, "erased")
    cloud.http("DELETE /v1/records/{id}", record_id="erased")
    cloud.http("POST /v1/records/{id}/restore", {}, "erased")
    cloud.http("DELETE /v1/records/{id}", record_id="erased", query="erase=true")
    record_with_a_past(cloud, "deleted", target_id)
    cloud.http("DELETE /v1/records/{id}", record_id="deleted")
    record_with_a_past(cloud, "fading", target_id)


def sweep_everything(cloud: Cloud) -> None:
    """Prune what has faded, forget what was deleted, and discard what was not forgotten in time."""
    pruned = cloud.invoke("DecayFunction", {})
    cloud.functions.clock.advance(timedelta(days=31))
    forgotten = cloud.invoke("DecayFunction", {})
    cloud.functions.clock.advance(timedelta(days=401))
    discarded = cloud.invoke("DecayFunction", {})
    assert pruned["pruned"]
    assert forgotten["forgotten"]
    assert [each["failed"] for each in (pruned, forgotten, discarded)] == [0, 0, 0]


def index_anew(cloud: Cloud) -> None:
    """Records and topics, in as many runs as that takes."""
    while not cloud.invoke("IndexFunction", {"membrane-reindex": {"again": True}})["done"]:
        pass


def index_everything(cloud: Cloud) -> None:
    """By a message for each record, and then anew."""
    ids = [table_keys.record_id_of(item) for item in cloud.items()]
    bodies = [{"record_id": each, "scopes": [""]} for each in ids]
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": json.dumps(body)}
        for number, body in enumerate(bodies)
    ]
    assert cloud.invoke("IndexFunction", {"Records": messages}) == {"batchItemFailures": []}
    index_anew(cloud)


def retrieve_everything(cloud: Cloud) -> None:
    """By task, by salience, by fact, by thread; and what was told of one of these answers."""
    task = {"task_descriptor": "what does the user like", "limit": 2}
    found = cloud.http("POST /v1/retrieve", task)
    assert found["records"]
    cloud.http("POST /v1/retrieve", {**task, "cursor": found["next_cursor"]})
    fact = {"subject": "user", "predicate": "likes", "memory_types": ["semantic"]}
    assert cloud.http("POST /v1/retrieve", fact)["records"]
    assert cloud.http("GET /v1/records", query="type=episodic")["records"]
    assert cloud.http("GET /v1/threads/{thread_id}/state", record_id="1")["record"]
    cloud.http("GET /v1/receipts/{id}", record_id=found["receipt_id"])


def leave_a_change_open(cloud: Cloud) -> None:
    """As a function leaves a change of topics that is killed before the first of its parts."""
    change: dict[str, Any] = {
        "pk": {"S": f"topic-change#{'0' * 32}"},
        "sk": {"S": "change"},
        "state": {"S": "open"},
        "places": {"B": zlib.compress(b"[]")},
        "due_pk": {"S": "topic-changes-due"},
        "due_sk": {"N": "0"},
    }
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=change)


def write_topics(cloud: Cloud) -> None:
    """By every route that writes; some histories leave the table, some changes are long."""
    for topic_id in ("service", "team", "twin", "twin-too"):
        title = topic_id.removesuffix("-too")
        cloud.http("POST /v1/topics", {"topic_id": topic_id, "title": title, "summary": LARGE})
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    whole = {"name": "manual", "value": LARGE + LARGE}
    ends = [{"to_topic_id": "team", "kind": "owned_by"}]
    told = {"title": "service", "fields": [*many, whole], "edges": ends, "suggest_similar": True}
    assert cloud.http("POST /v1/ingest", told) == cloud.http("POST /v1/ingest", told)
    for n in range(6):
        cloud.http("POST /v1/topics/{id}/fields", {"field_name": "n", "value": n}, "service")
    named = {"name": "n"}
    link = {"to_topic_id": "team", "kind": "runs"}
    cloud.http(
        "PUT /v1/topics/{id}/fields/{name}/ref", {"ref_topic_id": "team"}, "service", **named
    )
    cloud.http("POST /v1/topics/{id}/relationships", link, "service")
    cloud.http("PATCH /v1/topics/{id}", {"summary": "changed"}, "team")
    cloud.http(
        "POST /v1/topics/{id}/nest-fields", {"field_names": ["n"], "nest_key": "g"}, "service"
    )
    cloud.http("POST /v1/topics/{id}/unnest-fields", {"nest_key": "g"}, "service")
    child = {"field_names": ["n"], "child_title": "child", "child_topic_id": "child"}
    cloud.http("POST /v1/topics/{id}/promote-nested", child, "service")
    cloud.http("POST /v1/topics/{id}/undo-nested", {"child_topic_id": "child"}, "service")
    end = "to_topic_id=team&kind=owned_by"
    cloud.http("DELETE /v1/topics/{id}/relationships", record_id="service", query=end)
    cloud.http("DELETE /v1/topics/{id}/fields/{name}", record_id="service", name="field 1")
    cloud.http("DELETE /v1/topics/{id}", record_id="team")
    cloud.http("POST /v1/topics/{id}/restore", {}, "team")
    context = {"system_role": "helper", "runtime_context": "laptop"}
    cloud.http("PUT /v1/system-context", context)


def read_topics(cloud: Cloud) -> None:
    """By every route that reads, and by queries; of a topic that was just changed at length."""
    many = [{"name": f"field {n}", "value": -n} for n in range(2, 120)]
    told = {"placement": "extend_topic", "topic_id": "service", "fields": many}
    cloud.http("POST /v1/ingest", told)
    cloud.http("GET /v1/topics/{id}", record_id="service")
    every = cloud.http(
        "GET /v1/topics/{id}/fields/{name}", record_id="service", name="n", query="archived=true"
    )
    assert len(every["history"]) == 6
    key_of_cursors = {"pk": {"S": table_keys.CURSORS}, "sk": {"S": table_keys.CURSOR_KEY}}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key_of_cursors)
    page = cloud.http("GET /v1/topics", query="limit=1")
    cloud.http("GET /v1/topics", query=f"limit=1&cursor={page['next_cursor']}")
    assert cloud.http("GET /v1/graph")["nodes"]
    assert cloud.http("GET /v1/system-context")["configured"]
    now = rfc3339(cloud.functions.clock.now())
    for each in ({"q": ""}, {"q": "the service", "explain": True}, {"q": "twin", "as_of": now}):
        assert cloud.http("POST /v1/query", each)["candidates"]
    found = cloud.http("POST /v1/query", {"q": "n", "topic_ids": ["service"]})
    assert [each["topic_id"] for each in found["candidates"]] == ["service"]


def index_topics(cloud: Cloud) -> None:
    """By a message for each topic, and an observation that is to become one."""
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    fields = [*many, {"name": "likes", "value": "long changes"}]
    cloud.http("POST /v1/ingest", {"title": "user", "fields": fields, "scope": ""})
    fact = {"source": "agent", "subject": "user", "predicate": "likes"}
    facts = [
        cloud.http("POST /v1/ingest/observation", {**fact, "object": f"{n}{LARGE}"})["record"]["id"]
        for n in range(6)
    ]
    news = {**fact, "subject": "somebody new", "object": "tea"}
    first = cloud.http("POST /v1/ingest/observation", news)["record"]["id"]
    waiting = [
        *({"topic_id": each, "scopes": [""]} for each in ("service", "team", "twin", "twin-too")),
        *({"fed_record_id": each, "scopes": [""]} for each in [*facts, first]),
    ]
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": json.dumps(body)}
        for number, body in enumerate(waiting)
    ]
    assert cloud.invoke("IndexFunction", {"Records": messages}) == {"batchItemFailures": []}
    topics = {each["title"]: each["id"] for each in cloud.http("GET /v1/topics")["topics"]}
    fed = cloud.http("GET /v1/topics/{id}", record_id=topics["somebody new"])
    assert fed["fields"]["likes"]["history"][0]["evidence"] == first


def reason_about_topics(cloud: Cloud) -> None:
    """Because somebody asks, because messages say so, and because time has passed."""
    assert cloud.http("POST /v1/reason", {"dry_run": True})["planned"] > 0
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": body}
        for number, (_, body, _) in enumerate(cloud.sent)
    ]
    assert cloud.invoke("ReasonFunction", {"Records": messages}) == {"batchItemFailures": []}
    cloud.http("POST /v1/topics/{id}/unmerge", {}, "twin-too")
    assert cloud.http("POST /v1/reason", {"dry_run": False})["planned"] > 0
    leave_a_change_open(cloud)
    assert cloud.http("GET /v1/reason/actions")["actions"]
    for _ in range(2):
        cloud.functions.clock.advance(timedelta(days=400))
        cloud.invoke("ReasonFunction", {reasoning.RUN: {}})
    assert cloud.http("GET /v1/topics/{id}", record_id="service")["archived"]


def live_through_everything(cloud: Cloud) -> None:
    """Make every function do all that it can do."""
    cloud.invoke("HealthFunction", {})
    cloud.invoke("AuthorizerFunction", {"identitySource": ["Bearer nobody's"]})
    for kind in BODIES:
        assert cloud.report(kind) == cloud.report(kind)
    event_id = cloud.report("event")
    for n in range(20):  # more audit entries than an item holds
        outcome = {"target_record_id": event_id, "outcome_status": "success"}
        cloud.http(
            "POST /v1/ingest/outcome",
            {"source": "judge", **outcome, "idempotency_key": str(n)},
        )
    fact: dict[str, Any] = {
        "id": "chosen",
        "type": "semantic",
        "sensitivity": "low",
        "lifecycle": {"decay": {"half_life_seconds": 77}},
        "relations": [{"predicate": "about", "target_id": event_id}],
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": "likes",
            "object": LARGE,
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    cloud.http("GET /v1/records/{id}", record_id="chosen")
    cloud.http("GET /v1/records/{id}/audit", record_id="chosen")
    assert cloud.http("POST /v1/decay/preview", {"trust": {"scopes": ["any"]}})["candidates"]
    index_everything(cloud)
    retrieve_everything(cloud)
    count_everything(cloud)
    cloud.http("DELETE /v1/records/{id}", record_id="chosen")
    contest_everywhere(cloud)
    revise_everything(cloud, event_id)
    change_everything(cloud, event_id)
    claim_everywhere(cloud)
    import_everything(cloud)
    write_topics(cloud)
    index_topics(cloud)
    index_anew(cloud)
    read_topics(cloud)
    reason_about_topics(cloud)
    cloud.functions.clock.advance(timedelta(days=2))  # the blobs of older versions are orphans now
    assert cloud.invoke("CollectBlobsFunction", {})["removed"] > 0
    sweep_everything(cloud)
