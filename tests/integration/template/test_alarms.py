"""Alarms of template.yaml: whatever goes wrong raises one, and the operator hears of it."""

import re

from tests.fakes.chat_models import Metrics
from tests.worlds.agreed import FAULT, SPREAD_S, THROTTLED, WAITS_S, SweepResult
from tests.worlds.memory import make_world
from tests.worlds.template import (
    DAY_S,
    OWN_METRICS,
    alarm_on,
    alarmed,
    alarms_on,
    document,
    events,
    functions,
    metrics_of,
    nodes,
    parameters,
    ref,
    resources,
    rules,
    schedules,
    shared,
    sweeping_every_s,
    target,
    timeout_s,
    tries_of,
)

MAX_ALARM_METRICS = 37
"""Of all alarms together; CloudWatch bills each, also those that a formula adds up."""

OF_INTERPRETER = 2
"""Metrics that alarms look at only where a model interprets captures."""


def test_whatever_is_given_up_raises_an_alarm() -> None:
    given_up = {
        target(node[key])
        for node in nodes(document()["Resources"])
        if isinstance(node, dict)
        for key in ("deadLetterTargetArn", "Destination")
        if key in node
    } | {target(each["DeadLetterConfig"]["Arn"]) for _, each in (*rules(), *schedules())}

    assert given_up == alarmed("ApproximateNumberOfMessagesVisible", "QueueName")


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
        tried_for_s = queue["VisibilityTimeout"] * tries_of(queue)
        assert threshold_s > tried_for_s, name


def test_a_capture_that_waits_a_day_for_tokens_and_then_fails_raises_no_alarm_before_its_end() -> (
    None
):
    alarm = resources("AWS::CloudWatch::Alarm")["WaitingInterpretationsAlarm"]
    tries_s = (len(WAITS_S) + 1) * timeout_s("InterpretFunction")
    longest_s = DAY_S + SPREAD_S + sum(WAITS_S) + tries_s

    assert alarm["Threshold"] > longest_s


def test_executions_at_once_raise_an_alarm_before_lambda_allows_no_more() -> None:
    (alarm,) = alarms_on("ConcurrentExecutions")
    formula, used, throttled = alarm["Metrics"]

    assert formula["Expression"] == {
        "Fn::Sub": [
            "IF(FILL(throttled, 0) > 0, 100, 100 * used / ${Limit})",
            {"Limit": ref("ConcurrencyLimit")},
        ]
    }
    assert throttled["MetricStat"]["Metric"] == {
        "Namespace": "AWS/Lambda",
        "MetricName": "Throttles",
    }, "at whatever limit the account has"
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 80)
    assert used["MetricStat"]["Metric"] == {
        "Namespace": "AWS/Lambda",
        "MetricName": "ConcurrentExecutions",
    }, "of the whole account: the limit is the account's"


def test_changes_that_wait_for_minutes_to_be_indexed_raise_an_alarm() -> None:
    alarm = alarm_on("AWS/Lambda", "IteratorAge", "Maximum")

    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": ref("IndexFunction")}]
    assert alarm["Threshold"] == 5 * 60 * 1_000
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"


def test_what_stays_due_for_longer_than_two_sweeps_raises_an_alarm() -> None:
    metrics = Metrics()
    SweepResult.of([]).publish(make_world(measure=metrics))

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


def test_five_errors_of_the_api_in_five_minutes_raise_an_alarm() -> None:
    alarm = alarm_on("AWS/ApiGateway", "5xx", "Sum")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == (
        "GreaterThanOrEqualToThreshold",
        5,
    )
    assert alarm["Period"] == 300
    assert alarm["Dimensions"] == [{"Name": "ApiId", "Value": ref("HttpApi")}]


def test_retrievals_that_miss_the_objective_raise_an_alarm() -> None:
    alarm = resources("AWS::CloudWatch::Alarm")["RetrievalAlarm"]

    assert (alarm["MetricName"], alarm["ExtendedStatistic"]) == ("Duration", "p99")
    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": ref("RetrieveFunction")}]
    assert alarm["Threshold"] == 1_000
    assert alarm["EvaluationPeriods"] > 1


def test_whatever_a_function_fails_of_raises_an_alarm() -> None:
    alarm = alarm_on(OWN_METRICS, "Failures", "Sum")

    pattern = counted_in_logs("Failures")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert comparisons(pattern) == {
        ("$.level", "ERROR"),  # what the runtime writes of an exception, and we of a fault
        ("$.code", FAULT),
        *(("$.record.status", each) for each in ("error", "failure", "timeout")),
    }


def test_every_function_logs_its_failures_where_they_are_counted() -> None:
    logging = shared()["LoggingConfig"]

    assert logging["LogFormat"] == "JSON"
    assert logging["SystemLogLevel"] == "WARN", "the level of a report of what failed"
    assert not [name for name, each in functions().items() if "LoggingConfig" in each]
    for name, each in resources("AWS::Logs::MetricFilter").items():
        assert each["LogGroupName"] == logging["LogGroup"], name


def test_refusals_that_callers_can_do_nothing_about_raise_an_alarm_where_they_go_on() -> None:
    alarm = alarm_on(OWN_METRICS, "Refusals", "Sum")

    refused_for_now = ("ABORTED", "RESOURCE_EXHAUSTED", "UNAVAILABLE")
    assert comparisons(counted_in_logs("Refusals")) == {
        ("$.code", code) for code in refused_for_now
    }
    assert alarm["EvaluationPeriods"] > 1


def test_every_throttled_attempt_on_the_table_raises_an_alarm() -> None:
    alarm = alarm_on(OWN_METRICS, THROTTLED, "Sum")

    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert "Dimensions" not in alarm


def test_the_operator_hears_of_every_alarm() -> None:
    (subscription,) = resources("AWS::SNS::Subscription").values()

    assert subscription["Endpoint"] == ref("AlarmEmail")
    for name, alarm in resources("AWS::CloudWatch::Alarm").items():
        assert alarm["AlarmActions"] == [subscription["TopicArn"]], name


def test_alarms_look_at_few_metrics_for_each_is_paid_by_the_month() -> None:
    looked_at = sum(len(metrics_of(each)) for each in resources("AWS::CloudWatch::Alarm").values())

    assert looked_at <= MAX_ALARM_METRICS + OF_INTERPRETER


def test_without_a_model_nothing_of_the_interpretation_is_deployed_or_paid_for() -> None:
    of_interpretation = {
        name: each.get("Condition")
        for name, each in document()["Resources"].items()
        if "Interpret" in name
    }

    assert len(of_interpretation) == 5
    assert set(of_interpretation.values()) == {"Interpreting"}
    assert parameters()["Interpreter"]["Default"] == "none"
    conditional = document()["Resources"]["UndeliveredAlarm"]["Properties"]["Metrics"][-1]
    assert conditional["Fn::If"][0] == "Interpreting"
    assert conditional["Fn::If"][2] == ref("AWS::NoValue")


def counted_in_logs(metric: str) -> str:
    """The pattern of the lines of the log that a metric of ours counts."""
    (pattern,) = (
        each["FilterPattern"]
        for each in resources("AWS::Logs::MetricFilter").values()
        if each["MetricTransformations"]
        == [{"MetricNamespace": OWN_METRICS, "MetricName": metric, "MetricValue": "1"}]
    )
    return str(pattern)


def comparisons(pattern: str) -> set[tuple[str, str]]:
    """Fields and values, any of which is enough."""
    found = [
        re.fullmatch(r'\{?\((\S+) = "(\w+)"\)\}?', each.strip()) for each in pattern.split("||")
    ]
    return {(each[1], each[2]) for each in found if each is not None}
