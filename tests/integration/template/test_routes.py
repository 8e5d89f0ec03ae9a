"""Functions, routes and layers of template.yaml: each folder, each operation, each key."""

import json
from pathlib import Path

import pytest

from membrane_local.dev import local_stack
from membrane_local.dev_options import DevOptions
from membrane_local.http.gateway import routes_of
from membrane_local.refusals import TemplateError
from membrane_local.template import read_document, read_template
from tests.integration.template.test_rights import OF_TOPICS
from tests.worlds.agreed import HTTP_API_S, ROWS, TIME_LIMIT_S, surveying
from tests.worlds.template import (
    PROJECT,
    TEMPLATE,
    arn,
    events,
    functions,
    ref,
    resources,
    routes,
    served_by,
    shared,
    timeout_s,
)

HEALTH = "GET /health"

METADATA = (
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/mcp",
)

OF_CLIENTS = ("POST /mcp", "GET /mcp", "DELETE /mcp", *METADATA)
"""The routes of MCP: without a key, their function says how a client gets one."""


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
    routed = {(name, route) for name in functions() for route in routes(name)}

    served = {(name, operation.route) for name in functions() for operation in served_by(name)}
    without_keys = {("HealthFunction", HEALTH), *(("McpFunction", each) for each in OF_CLIENTS)}
    assert routed == served | without_keys | {("ChatFunction", "POST /v1/chat/stream")}
    assert {route for _, route in served} == {operation.route for operation in ROWS}


def test_the_local_stack_has_the_routes_of_the_template() -> None:
    local = {(each.function, each.key, each.is_open) for each in routes_of(read_template(TEMPLATE))}

    assert local == {(name, *each) for name in functions() for each in routes(name).items()}


def test_a_route_without_a_row_is_refused_before_the_local_stack_opens_a_store(
    tmp_path: Path,
) -> None:
    document = read_document(TEMPLATE)
    extra = {"Type": "HttpApi", "Properties": {"Method": "get", "Path": "/extra"}}
    document["Resources"]["HealthFunction"]["Properties"]["Events"]["Extra"] = extra
    template, store = tmp_path / "template.yaml", tmp_path / "memory.db"
    template.write_text(json.dumps(document))

    with (
        pytest.raises(TemplateError, match="GET /extra has no row"),
        local_stack(DevOptions(template=template, store=str(store))),
    ):
        pass

    assert not store.exists()


def test_health_needs_no_key_and_the_function_of_mcp_looks_the_key_up_itself() -> None:
    open_routes = {
        f"{event['Method']} {event['Path']}": event["Auth"]
        for name in functions()
        for event in events(name, "HttpApi")
        if "Auth" in event
    }

    assert open_routes == {each: {"Authorizer": "NONE"} for each in (HEALTH, *OF_CLIENTS)}


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


def test_what_needs_no_key_is_throttled_by_itself() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()

    slow = {"ThrottlingRateLimit": 2, "ThrottlingBurstLimit": 10}
    chosen = {
        "ThrottlingRateLimit": ref("McpThrottleRate"),
        "ThrottlingBurstLimit": ref("McpThrottleBurst"),
    }
    assert api["RouteSettings"] == {
        **dict.fromkeys((HEALTH, *METADATA, "GET /mcp", "DELETE /mcp"), slow),
        "POST /mcp": chosen,
    }


def test_a_function_gives_up_before_the_api_does() -> None:
    by_request = {name for name in functions() if events(name, "HttpApi")}

    longer = {name for name in by_request if timeout_s(name) >= 30}
    assert longer == {"ChatFunction", "ConsolidateFunction"}
    assert TIME_LIMIT_S <= 20  # of a consolidation by request; the schedule has 15 minutes
    assert HTTP_API_S <= 27  # of a conversation through the API; a function URL gives 15 minutes
    assert timeout_s("AuthorizerFunction") <= 10


def test_a_preview_gives_up_in_time_to_say_so_even_after_a_slow_request() -> None:
    slow_s = 1 + 5  # to connect and to read, as the client is told

    assert surveying.PATIENCE_S + slow_s < timeout_s("PreviewDecayFunction")


def test_every_layer_is_what_its_makefile_builds() -> None:
    for name, layer in resources("AWS::Serverless::LayerVersion").items():
        makefile = PROJECT / layer["ContentUri"] / "Makefile"
        assert f"build-{name}:" in makefile.read_text("utf-8").splitlines()


def test_every_function_has_the_package_what_ranks_numpy_and_what_embeds_the_encoder() -> None:
    own = {name: each["Layers"] for name, each in functions().items() if "Layers" in each}

    assert shared()["Layers"] == [ref("MembraneLayer")]
    embedding = {
        *("ChatFunction", "IndexFunction", "McpFunction", "RetrieveFunction"),
        *("DocumentsFunction", "StudiesFunction", "StudyFunction"),
        *OF_TOPICS,
    }
    assert own == {
        "PreviewDecayFunction": [ref("NumericLayer")],
        **{name: [ref("NumericLayer"), ref("EncoderLayer")] for name in embedding},
    }
