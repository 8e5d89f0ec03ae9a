"""Serves AWS from ministack, and closes the gaps that its CloudFormation and Lambda leave.

    GATEWAY_PORT=4566 .venv-rehearsal/bin/python tests/rehearsal/emulator.py

A gap is closed by calls of the emulated service in the handlers of a type of resources. So a
deployment, an update, a rollback and a removal pass the gap as on AWS. Where ministack has closed
a gap itself, `Learned` ends the program or the deployment: the code for the gap is to be removed.
"""

import asyncio
import hashlib
import io
import json
import os
import shlex
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack import app
from ministack.core import iam_actions, lambda_runtime, tls
from ministack.services import apigateway, dynamodb, eventbridge, iam, lambda_svc
from ministack.services.cloudformation import provisioners

Properties = dict[str, Any]
Made = tuple[str, dict[str, Any]]
"""The physical id and the attributes of a resource."""

ADDRESS = f"localhost:{os.environ['GATEWAY_PORT']}"
WRAPPER = "AWS_LAMBDA_EXEC_WRAPPER"
ZONE = "Z"
HANDLERS: dict[str, dict[str, Any]] = provisioners._RESOURCE_HANDLERS
MAX_ALARM_METRICS = 10
"""https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html"""


class Learned(Exception):
    """Ministack has closed a gap."""


def accepted(reply: tuple[int, Any, Any]) -> dict[str, Any]:
    """What a service answered; ValueError, which fails the resource, where the service refused."""
    status, _, body = reply
    if status >= 400:
        raise ValueError(body)
    return dict(json.loads(body)) if body[:1] in (b"{", "{") else {}


def add_type(
    kind: str,
    create: Callable[[str, Properties, str], Made],
    delete: Callable[[str, Properties], object],
) -> None:
    """Add a type of resources; an update deletes the resource and creates it again."""
    if kind in HANDLERS:
        raise Learned(kind)

    def update(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
        delete(physical_id, old)
        return create(physical_id, new, stack)

    HANDLERS[kind] = {"create": create, "update": update, "delete": delete}


def complete_type(
    kind: str,
    has_learned: Callable[[str], bool],
    complete: Callable[[str, Properties], dict[str, str]],
) -> None:
    """Complete what ministack creates and updates; `complete` gives attributes to correct.

    `has_learned` says of a resource that ministack has just created whether the gap is closed.
    """
    handlers = HANDLERS[kind]

    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        made: Made = handlers["create"](logical_id, properties, stack)
        if has_learned(made[0]):
            raise Learned(kind)
        return made[0], made[1] | complete(made[0], properties)

    def update(physical_id: str, old: Properties, new: Properties, *rest: str) -> Made:
        made: Made = handlers["update"](physical_id, old, new, *rest)
        return made[0], made[1] | complete(made[0], new)

    HANDLERS[kind] = handlers | {"create": create, "update": update}


def put_bus_policy(_: str, properties: Properties, __: str) -> Made:
    """AWS::Events::EventBusPolicy: ministack does not know the type."""
    bus, name, statement = (
        properties[each] for each in ("EventBusName", "StatementId", "Statement")
    )
    allowed = {
        each: statement[each] for each in ("Principal", "Action", "Condition") if each in statement
    }
    accepted(eventbridge._put_permission({"EventBusName": bus, "StatementId": name, **allowed}))
    return f"{bus}|{name}", {}


def remove_bus_policy(_: str, properties: Properties) -> None:
    eventbridge._remove_permission(properties)


def put_role_policy(_: str, properties: Properties, __: str) -> Made:
    """AWS::IAM::RolePolicy: ministack does not know the type."""
    document = json.dumps(properties["PolicyDocument"])
    accepted(iam._put_role_policy({**properties, "PolicyDocument": document}))
    return f"{properties['PolicyName']}|{properties['RoleName']}", {}


def remove_role_policy(_: str, properties: Properties) -> None:
    iam._delete_role_policy(properties)


def import_body(api_id: str, properties: Properties) -> dict[str, str]:
    """AWS::ApiGatewayV2::Api: ministack drops the body, so authorizers and routes."""
    body = properties["Body"]
    for listed in (apigateway._routes, apigateway._integrations, apigateway._authorizers):
        listed[api_id] = {}
    authorizers = {
        name: authorizer(api_id, name, scheme["x-amazon-apigateway-authorizer"])
        for name, scheme in body["components"]["securitySchemes"].items()
    }
    for path, operations in body["paths"].items():
        for method, operation in operations.items():
            (scheme,) = operation["security"][0]
            route = {"routeKey": f"{method.upper()} {path}"}
            if "x-amazon-apigateway-integration" in operation:
                route["target"] = target(api_id, operation["x-amazon-apigateway-integration"])
            if scheme in authorizers:
                route |= {"authorizationType": "CUSTOM", "authorizerId": authorizers[scheme]}
            accepted(apigateway._create_route(api_id, route))
    # No resolver knows the host names that ministack gives to APIs.
    return {"ApiEndpoint": f"https://{ADDRESS}/_aws/execute-api/{api_id}/$default"}


def authorizer(api_id: str, name: str, described: Properties) -> str:
    asked = {**described, "name": name, "authorizerType": described["type"].upper()}
    return str(accepted(apigateway._create_authorizer(api_id, asked))["authorizerId"])


def target(api_id: str, described: Properties) -> str:
    asked = {
        "integrationType": described["type"].upper(),
        "integrationUri": described["uri"],
        "payloadFormatVersion": described["payloadFormatVersion"],
        "timeoutInMillis": described.get("timeoutInMillis", 30_000),
    }
    made = accepted(apigateway._create_integration(api_id, asked))
    return f"integrations/{made['integrationId']}"


async def answer_of_apigateway(method: str, path: str, *request: Any) -> Any:
    """Clear the authorizer's cache, which ministack takes for the deletion of the stage."""
    if method == "DELETE" and path.endswith("/cache/authorizers"):
        apigateway._authorizer_cache.clear()
        return 204, {}, b""
    return await answer_of_ministack(method, path, *request)


def complete_table(name: str, properties: Properties) -> dict[str, str]:
    """AWS::DynamoDB::Table: ministack drops vector indexes, expiry and recovery.

    The label of a stream ends with a zone, as no label of AWS does; the template refuses such ARNs.
    """
    table, wanted = dynamodb._tables[name], properties["VectorIndexes"]
    if "VectorIndexes" not in table:
        table["VectorIndexes"] = [
            dynamodb._vector_index_record(name, each, online=False) for each in wanted
        ]
    before = {each["IndexName"] for each in table["VectorIndexes"]}
    changes = [{"Create": each} for each in wanted if each["IndexName"] not in before]
    after = {each["IndexName"] for each in wanted}
    changes += [{"Delete": {"IndexName": each}} for each in before - after]
    if changes:
        accepted(dynamodb._update_table({"TableName": name, "VectorIndexUpdates": changes}))
    accepted(dynamodb._update_ttl({**properties, "TableName": name}))
    accepted(dynamodb._update_continuous_backups({**properties, "TableName": name}))
    for field in ("LatestStreamArn", "LatestStreamLabel"):
        table[field] = table[field].removesuffix(ZONE)
    return {"StreamArn": table["LatestStreamArn"]}


def has_learned_tables(name: str) -> bool:
    table = dynamodb._tables[name]
    has_label = not table["LatestStreamLabel"].endswith(ZONE)
    return has_label or "VectorIndexes" in table or name in dynamodb._ttl_settings


def alarm_record(name: str, properties: Properties) -> dict[str, Any]:
    """AWS::CloudWatch::Alarm: ministack refuses several metrics, CloudWatch more than ten."""
    metrics = properties.get("Metrics")
    if not metrics:
        return dict(record_of_ministack(name, properties))
    if sum("MetricStat" in each for each in metrics) > MAX_ALARM_METRICS:
        raise ValueError(f"{name}: an alarm reads at most {MAX_ALARM_METRICS} metrics")
    try:
        record_of_ministack(name, properties)
    except ValueError:
        named = {"MetricName": "several", "Namespace": "several", "Metrics": None}
        return {**record_of_ministack(name, properties | named), "Metrics": metrics}
    raise Learned("Metrics of an alarm")


def layer_folder(reference: Any) -> Path:
    """The content of a layer."""
    content: bytes = layer_of_ministack(reference)
    copy = Path(tempfile.gettempdir()) / "layers" / hashlib.sha256(content).hexdigest()
    if not copy.exists():
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            packed.extractall(copy)
    return copy / "python"


def shared_layer(reference: Any) -> bytes:
    """A layer that leads to one copy: ministack extracts all layers for each worker, some 4 GB."""
    leading = io.BytesIO()
    with zipfile.ZipFile(leading, "w") as packed:
        packed.writestr("python/lib/python/site-packages/layer.pth", f"{layer_folder(reference)}\n")
    return leading.getvalue()


def bare_interpreter(runtime: str) -> tuple[str, str]:
    """A function sees its layers and the standard library, and no package of the emulator."""
    _, script = interpreter_of_ministack(runtime)
    return sys._base_executable, script  # type: ignore[attr-defined]


def run_warm(function: dict[str, Any], event: Any, request_id: str) -> dict[str, Any]:
    """A function with AWS_LAMBDA_EXEC_WRAPPER: ministack runs the handler without the wrapper.

    Ministack can run a program that speaks Lambda's runtime API, and streams as functions with the
    runtime `provided` do: the last byte of a reply comes with the first.
    """
    config = function["config"]
    wrapper = config.get("Environment", {}).get("Variables", {}).get(WRAPPER)
    if wrapper is None:
        return dict(warm_of_ministack(function, event, request_id))
    paths = [str(layer_folder(each)) for each in config["Layers"]]
    exported = {"AWS_ENDPOINT_URL": f"https://{ADDRESS}", "PYTHONPATH": ":".join(paths)}
    tls.trust_gateway_cert(exported)
    program = wrapper.replace("/var/task", "$LAMBDA_TASK_ROOT")
    lines = [f"export {name}={shlex.quote(text)}" for name, text in exported.items()]
    lines.append(f'exec "{program}" {shlex.quote(sys._base_executable)}')  # type: ignore[attr-defined]
    code = io.BytesIO(function["code_zip"])
    with zipfile.ZipFile(code, "a") as packed:
        packed.writestr("bootstrap", "\n".join(["#!/bin/sh", *lines, ""]))
    provided = config | {"Runtime": "provided.al2023"}
    wrapped = function | {"config": provided, "code_zip": code.getvalue()}
    return dict(lambda_svc._execute_function_provided_warm(wrapped, event, request_id))


def function_url(name: str, _: Properties) -> dict[str, str]:
    """AWS::Lambda::Url: no resolver knows the host names that ministack gives to functions."""
    host = urlsplit(lambda_svc._function_urls[name]["FunctionUrl"]).hostname or ""
    return {"FunctionUrl": f"https://{ADDRESS}/_aws/lambda-url/{host.partition('.')[0]}/"}


def has_learned_addresses(name: str) -> bool:
    """Whether ministack gives a function an address with the gateway's port, as no URL of AWS."""
    return urlsplit(lambda_svc._function_urls[name]["FunctionUrl"]).port is not None


def right_for(service: str, *request: Any) -> str | None:
    """A conversation needs `bedrock:InvokeModel`; ministack asks for `bedrock:Converse`.

    https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
    """
    right = right_of_ministack(service, *request)
    return "bedrock:InvokeModel" if right == "bedrock:Converse" else right


layer_of_ministack = lambda_svc._resolve_layer_zip
right_of_ministack = iam_actions.extract_iam_action
warm_of_ministack = lambda_svc._execute_function_warm
answer_of_ministack = apigateway.handle_request
record_of_ministack = provisioners._cw_metric_alarm_record
interpreter_of_ministack = lambda_runtime._detect_runtime_binary

if __name__ == "__main__":
    add_type("AWS::Events::EventBusPolicy", put_bus_policy, remove_bus_policy)
    add_type("AWS::IAM::RolePolicy", put_role_policy, remove_role_policy)
    complete_type(
        "AWS::ApiGatewayV2::Api", lambda api_id: bool(apigateway._routes[api_id]), import_body
    )
    complete_type("AWS::DynamoDB::Table", has_learned_tables, complete_table)
    apigateway.handle_request = answer_of_apigateway
    provisioners._cw_metric_alarm_record = alarm_record
    lambda_runtime._detect_runtime_binary = bare_interpreter
    lambda_svc._resolve_layer_zip = shared_layer
    complete_type("AWS::Lambda::Url", has_learned_addresses, function_url)
    conversation = right_of_ministack("bedrock-runtime", "POST", "/model/any/converse", {}, b"", {})
    if conversation != "bedrock:Converse":
        raise Learned("rights of a conversation")
    iam_actions.extract_iam_action = right_for
    if any(WRAPPER in Path(each.__file__).read_text() for each in (lambda_svc, lambda_runtime)):
        raise Learned(WRAPPER)
    lambda_svc._execute_function_warm = run_warm

    config = Config()
    config.bind = [ADDRESS]
    config.certfile, config.keyfile = tls.resolve_tls_material()
    config.keep_alive_timeout = 75  # seconds, as ministack
    asyncio.run(serve(app.app, config))
