"""Events in template.yaml: sources, retries, schedules, and who may send."""

import json
import re

import pytest

from membrane_local.events.queues import MAX_HIDDEN_S
from membrane_local.events.sources import interval_s
from membrane_local.functions import local_world
from membrane_local.template import read_template
from tests.worlds.agreed import (
    CLAIM_S,
    CONSOLIDATE,
    IMPORTS,
    MAX_WAIT_S,
    PATIENCE,
    RESERVE_MS,
    RESTORES,
    WAITS_S,
    WARM_UP,
    jobs,
    queues,
)
from tests.worlds.template import (
    DAY_S,
    TEMPLATE,
    arn,
    document,
    events,
    functions,
    ingest_functions,
    listed,
    own_arns,
    parameters,
    ref,
    resources,
    rules,
    schedules,
    sweeping_every_s,
    target,
    timeout_s,
    tries_of,
)
from tests.worlds.template_rights import allowing, rights, uses

MAX_RETRIES = 10

KEPT_WARM = ("Retrieve", "Mcp", "Authorizer")
"""Functions that parameters keep warm."""


def test_every_ingest_function_takes_its_own_rpc_from_the_services_bus() -> None:
    for name, operation in ingest_functions():
        (rule,) = events(name, "EventBridgeRule")
        assert rule["Pattern"] == {"detail-type": [operation.rpc]}, name
        assert rule["EventBusName"] == ref("EventBus"), name


def test_a_bad_message_fails_alone_and_is_set_aside_after_a_few_tries() -> None:
    queues = resources("AWS::SQS::Queue")

    sources = [(name, source) for name in functions() for source in events(name, "SQS")]
    others = ("IndexFunction", "ReasonFunction", "InterpretFunction")
    assert len(sources) == len(ingest_functions()) + len(others)
    for name, source in sources:
        queue = queues[target(source["Queue"])]
        redrive = queue["RedrivePolicy"]
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"], name
        assert queue["VisibilityTimeout"] >= 6 * timeout_s(name), name
        assert 1 <= tries_of(queue) <= MAX_RETRIES, name
        assert target(redrive["deadLetterTargetArn"]) in queues, name


def test_a_throttled_function_has_several_tries_before_a_message_is_set_aside() -> None:
    (source,) = events("ReasonFunction", "SQS")
    queue = resources("AWS::SQS::Queue")[target(source["Queue"])]

    assert queue["RedrivePolicy"]["maxReceiveCount"] >= 5


def test_the_function_that_interprets_knows_which_try_is_the_last() -> None:
    template = read_template(TEMPLATE, {"Interpreter": "scripted"})
    queue = template.resources["InterpretQueue"]["Properties"]
    (function,) = (each for each in template.functions if each.logical_id == "InterpretFunction")

    settings = local_world(function.environment)

    assert settings.most_tries == int(queue["RedrivePolicy"]["maxReceiveCount"])
    assert settings.most_tries == len(WAITS_S) + 1
    assert settings.most_tries == local_world({}).most_tries


def test_a_message_is_held_back_for_no_longer_than_sqs_can_after_the_longest_run() -> None:
    assert MAX_WAIT_S + timeout_s("InterpretFunction") < MAX_HIDDEN_S


def test_a_capture_may_wait_for_tokens_as_long_as_a_queue_keeps_a_message() -> None:
    queue = resources("AWS::SQS::Queue")["InterpretQueue"]

    assert queue["MessageRetentionPeriod"] == PATIENCE.total_seconds()


def test_a_claim_to_a_capture_outlives_the_function_that_has_the_claim() -> None:
    assert timeout_s("InterpretFunction") < CLAIM_S


def test_every_queue_keeps_its_messages_as_long_as_sqs_can() -> None:
    kept_s = {
        name: queue.get("MessageRetentionPeriod")
        for name, queue in resources("AWS::SQS::Queue").items()
    }

    assert set(kept_s.values()) == {14 * DAY_S}, "a dead letter's age counts from its first sending"


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
            if each["Type"] == "EventBridgeRule" and "EventBusName" not in each["Properties"]
        ]


@pytest.mark.parametrize(
    ("function", "prefix"), [("ImportLinesFunction", IMPORTS), ("RestoreFunction", RESTORES)]
)
def test_an_object_under_a_prefix_starts_the_function_of_the_prefix(
    function: str, prefix: str
) -> None:
    ((name, bucket),) = resources("AWS::S3::Bucket").items()

    (rule,) = events(function, "EventBridgeRule")

    assert "EventBusName" not in rule
    assert rule["Pattern"] == {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": [ref(name)]}, "object": {"key": [{"prefix": prefix}]}},
    }
    assert bucket["NotificationConfiguration"] == {
        "EventBridgeConfiguration": {"EventBridgeEnabled": True}
    }


def test_scheduled_functions_are_started_by_the_operators_schedules_erasures_go_on_hourly() -> None:
    ((group, _),) = resources("AWS::Scheduler::ScheduleGroup").items()

    assert {name: schedule["ScheduleExpression"] for name, schedule in schedules()} == {
        "DecayFunction": ref("DecaySchedule"),
        "ConsolidateFunction": ref("ConsolidateSchedule"),
        "AnchorFunction": ref("AnchorSchedule"),
        "CollectBlobsFunction": "rate(1 day)",
        "ReasonFunction": ref("ReasonSchedule"),
        "EraseFunction": "rate(1 hour)",
    }
    for name, schedule in schedules():
        assert (schedule["GroupName"], schedule["OmitName"]) == (ref(group), True), name
        assert not {"FlexibleTimeWindow", "State"} & schedule.keys(), name


def test_the_schedule_of_a_function_with_other_events_says_what_is_to_be_done() -> None:
    inputs = {name: schedule.get("Input") for name, schedule in schedules()}

    assert inputs == {
        "DecayFunction": None,
        "ConsolidateFunction": f'{{"{CONSOLIDATE}": {{}}}}',
        "AnchorFunction": None,
        "CollectBlobsFunction": None,
        "ReasonFunction": f'{{"{queues.RUN}": {{}}}}',
        "EraseFunction": f'{{"{jobs.ERASE}": {{}}}}',
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


def test_a_function_starts_itself_for_the_rest_of_its_work_and_a_request_starts_a_job() -> None:
    invoking = {
        name: statement["Resource"]
        for name in functions()
        for statement in rights(name)
        if uses("lambda", statement)
    }

    going_on = (
        "AnchorFunction",
        "ConsolidateFunction",
        "DecayFunction",
        "EraseFunction",
        "ExportFunction",
        "ImportLinesFunction",
        "ReasonFunction",
        "RestoreFunction",
    )
    assert invoking == {
        **{name: own_arns(name) for name in going_on},
        "ErasuresFunction": own_arns("EraseFunction"),
        "ExportsFunction": arn("ExportFunction"),
        "IndexFunction": arn("ConsolidateFunction"),
    }
    for name in going_on:
        assert functions()[name]["RecursiveLoop"] == "Allow", name
        assert timeout_s(name) * 1000 > 2 * RESERVE_MS, name


def test_a_sweep_hands_over_until_the_schedule_starts_the_next_one() -> None:
    runs = 1 + jobs.MAX_SWEEP_HOPS
    assert runs * timeout_s("DecayFunction") == sweeping_every_s()


@pytest.mark.parametrize("rate", ["rate(1 hour)", "rate(1 day)", "rate(7 days)"])
def test_reasoning_may_be_asked_for_at_most_once_an_hour(rate: str) -> None:
    pattern = parameters()["ReasonSchedule"]["AllowedPattern"]

    assert re.fullmatch(pattern, rate)
    assert interval_s(rate)
    assert not re.fullmatch(pattern, "rate(59 minutes)")


def test_a_consolidation_hands_over_until_the_schedule_starts_the_next_one() -> None:
    runs = 1 + jobs.MAX_CONSOLIDATION_HOPS

    assert runs * timeout_s("ConsolidateFunction") == interval_s(
        parameters()["ConsolidateSchedule"]["Default"]
    )


def test_reasoning_hands_over_until_the_schedule_starts_the_next_one() -> None:
    runs = 1 + queues.MAX_HOPS

    assert runs * timeout_s("ReasonFunction") == interval_s(
        parameters()["ReasonSchedule"]["Default"]
    )


@pytest.mark.parametrize("schedule", ["ConsolidateSchedule", "DecaySchedule"])
@pytest.mark.parametrize("rate", ["rate(1 minute)", "rate(5 minutes)", "rate(1 hour)"])
def test_sweeps_and_consolidations_may_be_asked_for_at_any_rate(rate: str, schedule: str) -> None:
    pattern = parameters()[schedule]["AllowedPattern"]

    assert re.fullmatch(pattern, rate)
    assert interval_s(rate)


@pytest.mark.parametrize(
    "schedule", ["AnchorSchedule", "ConsolidateSchedule", "DecaySchedule", "ReasonSchedule"]
)
@pytest.mark.parametrize("rate", ["rate(0 hours)", "rate(1.5 hours)", "cron(0 * * * ? *)", ""])
def test_none_may_be_asked_for_otherwise(rate: str, schedule: str) -> None:
    pattern = parameters()[schedule]["AllowedPattern"]

    assert re.fullmatch(pattern, rate) is None
    assert interval_s(rate) is None


def test_a_change_is_tried_until_it_is_old_and_its_place_is_then_kept() -> None:
    (source,) = events("IndexFunction", "DynamoDB")

    assert source["MaximumRetryAttempts"] == -1
    assert 0 < source["MaximumRecordAgeInSeconds"] < DAY_S
    assert target(source["DestinationConfig"]["OnFailure"]["Destination"]) == "UnindexedChanges"
    assert source["BisectBatchOnFunctionError"] is True


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
        target(guarded["Fn::If"][1] if "Fn::If" in guarded else guarded)
        for kind, place in (
            ("AWS::SQS::QueuePolicy", "Queues"),
            ("AWS::S3::BucketPolicy", "Bucket"),
        )
        for policy in resources(kind).values()
        for guarded in listed(policy[place])
        for statement in policy["PolicyDocument"]["Statement"]
        if statement.get("Effect") == "Deny"
        and statement["Principal"] == "*"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }

    assert tls_only == {*resources("AWS::SQS::Queue"), *resources("AWS::S3::Bucket")}


def test_a_warm_up_is_scheduled_where_a_parameter_asks_and_does_nothing_else() -> None:
    warm_ups = resources("AWS::Scheduler::Schedule")
    (role,) = {target(each["Target"]["RoleArn"]) for each in warm_ups.values()}
    (trusting,) = allowing(resources("AWS::IAM::Role")[role]["AssumeRolePolicyDocument"])
    (invoking,) = allowing(resources("AWS::IAM::Role")[role]["Policies"])

    started = {name: target(each["Target"]["Arn"]) for name, each in warm_ups.items()}
    assert started == {f"{name}WarmUp": f"{name}Function" for name in KEPT_WARM}
    for each in warm_ups.values():
        assert json.loads(each["Target"]["Input"]) == WARM_UP
        assert trusting["Condition"]["ArnEquals"]["aws:SourceArn"] == arn(target(each["GroupName"]))
    assert invoking["Action"] == "lambda:InvokeFunction"
    assert invoking["Resource"] == [
        {"Fn::If": [f"{name}KeptWarm", each, ref("AWS::NoValue")]}
        for name in KEPT_WARM
        for each in own_arns(f"{name}Function")
    ]


@pytest.mark.parametrize("asked", [(), *((name,) for name in KEPT_WARM), KEPT_WARM])
def test_only_functions_that_are_kept_warm_have_a_warm_up(asked: tuple[str, ...]) -> None:
    template = read_template(TEMPLATE, {f"Keep{name}Warm": "true" for name in asked})

    made = {name for name in template.resources if "WarmUp" in name}

    assert made == {f"{name}WarmUp" for name in asked} | ({"WarmUpRole"} if asked else set())
