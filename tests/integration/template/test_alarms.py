"""Alarms of template.yaml: whatever goes wrong raises one, and the operator hears of it."""

from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.usecases.lifecycle.sweep_tally import Swept
from membrane.usecases.metrics import reconcile
from tests.fakes.operators import Metrics
from tests.fakes.world import make_services
from tests.worlds.template import (
    OWN_METRICS,
    _watched,
    alarm_on,
    alarmed,
    alarms_on,
    arn,
    document,
    events,
    functions,
    listed,
    metrics_of,
    nodes,
    ref,
    resources,
    rules,
    schedules,
    sweeping_every_s,
    target,
)
from tests.worlds.template_rights import rights, uses, uses_stream

MAX_ALARM_METRICS = 10


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
    sources = {target(source["Queue"]) for name in functions() for source in events(name, "SQS")}

    thresholds_s = {
        target(dimension["Value"]): alarm["Threshold"]
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        for metric in metrics_of(alarm)
        if metric["MetricName"] == "ApproximateAgeOfOldestMessage"
        for dimension in metric["Dimensions"]
    }

    assert thresholds_s.keys() == sources
    for name, threshold_s in thresholds_s.items():
        queue = resources("AWS::SQS::Queue")[name]
        tried_for_s = queue["VisibilityTimeout"] * queue["RedrivePolicy"]["maxReceiveCount"]
        assert threshold_s > tried_for_s, name


def test_executions_at_once_raise_an_alarm_before_lambda_allows_no_more() -> None:
    (alarm,) = alarms_on("ConcurrentExecutions")
    formula, used = alarm["Metrics"]

    assert formula["Expression"] == {
        "Fn::Sub": ["100 * used / ${Limit}", {"Limit": ref("ConcurrencyLimit")}]
    }
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 80)
    assert used["MetricStat"]["Metric"] == {
        "Namespace": "AWS/Lambda",
        "MetricName": "ConcurrentExecutions",
    }, "of the whole account: the limit is the account's"


def test_an_authorizer_that_is_throttled_raises_an_alarm() -> None:
    alarm = alarm_on("AWS/Lambda", "Throttles", "Sum")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": ref("AuthorizerFunction")}]


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
            elif each["Type"] == "EventBridgeRule":
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


def test_what_stays_due_for_longer_than_two_sweeps_raises_an_alarm() -> None:
    metrics = Metrics()
    Swept.of([]).tell(make_services(measure=metrics))

    alarm = alarm_on(OWN_METRICS, "OldestDueAge", "Maximum")

    assert ("OldestDueAge", 0.0, {}) in metrics.told
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
    assert "Dimensions" not in alarm
    assert alarm["Threshold"] > 2 * sweeping_every_s()


def test_a_sweep_that_never_ends_raises_an_alarm() -> None:
    alarm = alarm_on(OWN_METRICS, "OldestDueAge", "SampleCount")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert alarm["TreatMissingData"] == "breaching"
    assert alarm["Period"] >= sweeping_every_s()


def test_an_event_that_is_given_up_and_not_kept_raises_an_alarm() -> None:
    keeping = {name for name, each in functions().items() if "EventInvokeConfig" in each}

    assert alarmed("DestinationDeliveryFailures", "FunctionName") == keeping


def test_counters_that_had_drifted_raise_an_alarm() -> None:
    alarm = alarm_on(OWN_METRICS, reconcile.DRIFT, "Maximum")

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
