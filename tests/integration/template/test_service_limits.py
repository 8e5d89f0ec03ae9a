"""Limits of AWS, many of which no validation knows, over the template as CloudFormation gets it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import yaml

from membrane_cli.check.command import MAX_ENVIRONMENT_BYTES
from membrane_local.template import _Loader, _Values, parameter_values
from tests.integration.template.test_variants import translated, variant

EVERYTHING = {
    "UseCustomerKey": "true",
    "Embedder": "bedrock",
    "Interpreter": "openai",
    "InterpreterModel": "m" * 100,
    "InterpreterUrl": f"https://{'u' * 100}",
    "InterpreterSecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:model-AbCdEf",
    "ChatModel": "m" * 100,
    "ChatUrl": f"https://{'u' * 100}",
    "ChatSecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:chat-AbCdEf",
    "ChatStreaming": "true",
    "OidcIssuer": f"https://{'i' * 50}",
    "OidcAudience": f"https://{'a' * 50}",
    "OidcRights": f"[{'r' * 1_000}]",
    "DomainName": "memory.example.com",
    "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/1-2",
    "CorsOrigins": f"https://{'c' * 292}",
    "Dashboard": "true",
    "AlarmEmail": "operator@example.com",
    "MonthlyBudget": "100",
    "Tracing": "Active",
    "KeepRetrieveWarm": "true",
    "KeepMcpWarm": "true",
    "KeepAuthorizerWarm": "true",
}
IAM_RIGHTS = {"OidcRights": f"[{'r' * 700}]", "IamRights": f"[{'r' * 700}]"}
VARIANTS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "defaults": (("off",), {}),
    "everything": (("off",), EVERYTHING),
    "snapstart": (("on",), EVERYTHING),
    "iam": (("off", "iam"), EVERYTHING | IAM_RIGHTS),
    "jwt": (("on", "jwt"), EVERYTHING),
}
"""By name, SnapStart with the authorizer, and the parameters."""

KIB = 1_024
Resources = dict[str, dict[str, Any]]
Amounts = Iterator[tuple[str, int]]
"""What has the limit, and how much it has."""


@cache
def deployed(name: str) -> Resources:
    """The resources that CloudFormation creates, with references spelt out."""
    asked, parameters = VARIANTS[name]
    text = variant("arm64", *asked)
    read = document(name)
    chosen = parameter_values(read["Parameters"], parameters)
    values = _Values(chosen, read["Conditions"], read.get("Mappings", {}))
    made = translated(text, parameters).items()
    found = {
        key: each
        for key, each in made
        if "Condition" not in each or values.holds(each["Condition"])
    }
    return {key: spelt_out(each, values) for key, each in found.items()}


@cache
def document(name: str) -> dict[str, Any]:
    return dict(yaml.load(variant("arm64", *VARIANTS[name][0]), _Loader))  # noqa: S506 - a SafeLoader


def spelt_out(value: Any, values: _Values) -> Any:
    """The value with texts of the length that a deployment gives."""
    match values.resolve(value):
        case {"Fn::Sub": [str(text), dict(own)]}:
            return filled_in(
                text, {name: spelt_out(each, values) for name, each in own.items()}, values
            )
        case {"Fn::Sub": str(text)}:
            return filled_in(text, {}, values)
        case {"Fn::GetAtt": [str(name), str(attribute)]} | {
            "Fn::GetAtt": (str(name), str(attribute))
        }:
            return physical(name, attribute)
        case {"Fn::Join": [str(between), list(parts)]}:
            return between.join(str(spelt_out(each, values)) for each in parts)
        case dict(inner):
            return {name: spelt_out(each, values) for name, each in inner.items()}
        case list(inner):
            return [spelt_out(each, values) for each in inner]
        case other:
            return other


def filled_in(text: str, own: Mapping[str, Any], values: _Values) -> str:
    def value(found: re.Match[str]) -> str:
        name, _, attribute = found[1].partition(".")
        if name in own:
            return str(own[name])
        return physical(name, attribute) if attribute else str(values.resolve({"Ref": name}))

    return re.sub(r"\$\{([^!}]+)\}", value, text)


def physical(name: str, attribute: str) -> str:
    """As CloudFormation names a resource of the stack `membrane`."""
    given = f"membrane-{name}-ABCDEFGHIJKL"
    arn = f"arn:aws:cloudformation:ap-southeast-1:123456789012:function:{given}"
    return arn if attribute.endswith("Arn") else given


def of_type(resources: Resources, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    return (
        (name, each["Properties"])
        for name, each in resources.items()
        if each["Type"] == f"AWS::{kind}"
    )


def size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def metrics(resources: Resources) -> Amounts:
    for name, alarm in of_type(resources, "CloudWatch::Alarm"):
        yield name, sum("MetricStat" in each for each in alarm.get("Metrics", ()))


def everything(resources: Resources) -> Amounts:
    yield "the template", len(resources)


def template_bytes(resources: Resources) -> Amounts:
    yield "the template", size(resources)


def variables(resources: Resources) -> Amounts:
    for name, function in of_type(resources, "Lambda::Function"):
        each = function["Environment"]["Variables"]
        yield name, sum(len(variable) + len(str(value)) for variable, value in each.items())


def layers(resources: Resources) -> Amounts:
    for name, function in of_type(resources, "Lambda::Function"):
        yield name, len(function.get("Layers", ()))


def inline_policies(resources: Resources) -> Amounts:
    added = [each for _, each in of_type(resources, "IAM::RolePolicy")]
    for name, role in of_type(resources, "IAM::Role"):
        own = [*role.get("Policies", ()), *(each for each in added if each["RoleName"] == name)]
        yield name, sum(size(each["PolicyDocument"]) for each in own)


def trust_policies(resources: Resources) -> Amounts:
    for name, role in of_type(resources, "IAM::Role"):
        yield name, size(role["AssumeRolePolicyDocument"])


def managed_policies(resources: Resources) -> Amounts:
    for name, policy in of_type(resources, "IAM::ManagedPolicy"):
        yield name, size(policy["PolicyDocument"])


def managed_policies_of_roles(resources: Resources) -> Amounts:
    for name, role in of_type(resources, "IAM::Role"):
        yield name, len(role.get("ManagedPolicyArns", ()))


def permissions(resources: Resources) -> Amounts:
    """Lambda writes a statement for each permission into the policy of the function or alias."""
    found: dict[str, int] = {}
    for name, each in of_type(resources, "Lambda::Permission"):
        statement = {
            "Sid": physical(name, ""),
            "Effect": "Allow",
            "Principal": {"Service": each["Principal"]},
            "Action": each["Action"],
            "Resource": physical("x" * 30, "Arn"),
            "Condition": {"ArnLike": {"AWS:SourceArn": each.get("SourceArn", "")}},
        }
        key = str(each["FunctionName"])
        found[key] = found.get(key, 0) + size(statement)
    yield from found.items()


def routes(resources: Resources) -> Amounts:
    for name, api in of_type(resources, "ApiGatewayV2::Api"):
        yield name, sum(len(each) for each in api["Body"]["paths"].values())


def filters(resources: Resources) -> Amounts:
    for name, source in of_type(resources, "Lambda::EventSourceMapping"):
        yield name, len(source.get("FilterCriteria", {}).get("Filters", ()))


def targets(resources: Resources) -> Amounts:
    for name, rule in of_type(resources, "Events::Rule"):
        yield name, len(rule["Targets"])


def queue_policies(resources: Resources) -> Amounts:
    for name, policy in of_type(resources, "SQS::QueuePolicy"):
        yield name, size(policy["PolicyDocument"])


def metrics_of_widgets(resources: Resources) -> Amounts:
    for name, dashboard in of_type(resources, "CloudWatch::Dashboard"):
        for widget in json.loads(dashboard["DashboardBody"])["widgets"]:
            yield name, len(widget["properties"].get("metrics", ()))


LIMITS: dict[str, tuple[int, Callable[[Resources], Amounts]]] = {
    "metrics of an alarm, of 10": (8, metrics),
    "resources, of 500": (400, everything),
    "bytes of the template": (1_000_000, template_bytes),
    "bytes of a function's variables": (MAX_ENVIRONMENT_BYTES, variables),
    "layers of a function": (5, layers),
    "characters of a role's inline policies": (10_240, inline_policies),
    "characters of a role's trust policy": (2_048, trust_policies),
    "characters of a managed policy": (6_144, managed_policies),
    "managed policies of a role": (10, managed_policies_of_roles),
    "bytes of a function's policy": (20 * KIB, permissions),
    "routes": (300, routes),
    "filters of an event source": (5, filters),
    "targets of a rule": (5, targets),
    "bytes of a queue's policy": (64 * KIB, queue_policies),
    "metrics of a widget": (500, metrics_of_widgets),
}
"""The most of each; two metrics of an alarm and a fifth of the resources stay free."""


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("limit", LIMITS)
def test_a_deployment_stays_below_a_limit_of_aws(limit: str, name: str) -> None:
    most, measure = LIMITS[limit]

    amounts = list(measure(deployed(name)))

    assert [each for each in amounts if each[1] > most] == []
    is_off = (limit, name) == ("metrics of a widget", "defaults")
    assert is_off or any(amount for _, amount in amounts), "nothing was measured"


def test_a_template_has_at_most_200_parameters_and_200_outputs() -> None:
    template = document("defaults")

    assert len(template["Parameters"]) <= 200
    assert len(template["Outputs"]) <= 200


@pytest.mark.parametrize("name", VARIANTS)
def test_a_message_stays_hidden_for_six_timeouts_of_its_function(name: str) -> None:
    """https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html."""
    resources = deployed(name)
    sources = [
        each
        for _, each in of_type(resources, "Lambda::EventSourceMapping")
        if "Queue" in str(each["EventSourceArn"])
    ]
    functions = dict(of_type(resources, "Lambda::Function"))
    queues = dict(of_type(resources, "SQS::Queue"))

    assert sources
    for source in sources:
        queue = queues[str(source["EventSourceArn"]).split("-")[-2]]
        function = next(each for each in functions if each in str(source["FunctionName"]))
        assert queue["VisibilityTimeout"] >= 6 * functions[function]["Timeout"], function
