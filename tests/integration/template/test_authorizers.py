"""Builds with AUTHORIZER=key, iam and jwt: what guards each route, and what functions are told."""

import json
from typing import Any

import pytest
import yaml

from membrane_cli.check.command import findings
from membrane_local.refusals import TemplateError
from membrane_local.template import _Loader, template_of
from tests.builders.requests import RULE
from tests.integration.template.test_routes import HEALTH, OF_CLIENTS
from tests.integration.template.test_service_limits import deployed, document, of_type
from tests.integration.template.test_variants import variant
from tests.worlds.template import PROJECT

GUARDS = {
    "key": ("everything", "ApiKey", {"type": "request", "authorizerPayloadFormatVersion": "2.0"}),
    "iam": ("iam", "AWS_IAM", {"x-amazon-apigateway-authtype": "awsSigv4"}),
    "jwt": ("jwt", "Jwt", {"type": "jwt", "identitySource": "$request.header.Authorization"}),
}
"""By authorizer, a deployment, and the scheme that guards its routes, with properties."""


def parsed(authorizer: str) -> dict[str, Any]:
    text = variant("arm64", "off", authorizer)
    return dict(yaml.load(text, _Loader))  # noqa: S506 - a SafeLoader


@pytest.mark.parametrize("authorizer", GUARDS)
def test_every_route_is_guarded_except_those_that_need_no_key(authorizer: str) -> None:
    name, scheme, properties = GUARDS[authorizer]
    (api,) = (each["Body"] for _, each in of_type(deployed(name), "ApiGatewayV2::Api"))
    guards = {
        f"{method.upper()} {path}": route["security"]
        for path, routes in api["paths"].items()
        for method, route in routes.items()
    }

    assert {route for route, guard in guards.items() if guard == [{"NONE": []}]} == {
        HEALTH,
        *OF_CLIENTS,
    }
    assert {str(guard) for guard in guards.values()} == {
        str([{"NONE": []}]),
        str([{scheme: []}]),
    }
    found = api["components"]["securitySchemes"][scheme]
    assert properties.items() <= found.get("x-amazon-apigateway-authorizer", found).items()


def test_the_issuer_of_the_api_is_the_issuer_of_the_functions() -> None:
    (api,) = (each["Body"] for _, each in of_type(deployed("jwt"), "ApiGatewayV2::Api"))
    authorizer = api["components"]["securitySchemes"]["Jwt"]["x-amazon-apigateway-authorizer"]

    for _, function in of_type(deployed("jwt"), "Lambda::Function"):
        variables = function["Environment"]["Variables"]
        assert authorizer["jwtConfiguration"] == {
            "issuer": variables["MEMBRANE_OIDC_ISSUER"],
            "audience": [variables["MEMBRANE_OIDC_AUDIENCE"]],
        }


@pytest.mark.parametrize("authorizer", GUARDS)
def test_every_function_is_told_its_authorizer_by_the_build(authorizer: str) -> None:
    for name, function in of_type(deployed(GUARDS[authorizer][0]), "Lambda::Function"):
        told = function["Environment"]["Variables"].get("MEMBRANE_AUTHORIZER", "key")
        assert told == authorizer, name


def test_only_a_build_with_rights_of_roles_has_the_parameter() -> None:
    groups = document("iam")["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]

    assert "IamRights" not in {
        **document("defaults")["Parameters"],
        **document("jwt")["Parameters"],
    }
    assert [name for each in groups for name in each["Parameters"]] == [
        *document("iam")["Parameters"]
    ]


OF_ROLE = {**RULE, "when": {"role": "agents"}, "actor": "{role}", "scopes": ["user:{role}"]}


@pytest.mark.parametrize(
    "change",
    [{"actor": ""}, {"when": {"groups": "agents"}}, {"actor": "{arn}"}, {"scopes": ["user:{sub}"]}],
)
def test_a_check_of_the_build_names_rights_that_no_caller_would_have(
    change: dict[str, Any],
) -> None:
    (refused,) = findings(parsed("iam"), {"IamRights": json.dumps([{**OF_ROLE, **change}])})

    assert (refused.parameter, refused.reason.split(":")[0]) == ("IamRights", "rule 1")


def test_a_check_of_the_build_takes_rights_and_asks_for_an_issuer() -> None:
    assert findings(parsed("iam"), {"IamRights": json.dumps([OF_ROLE])}) == []
    assert [each.parameter for each in findings(parsed("jwt"), {})] == ["OidcIssuer"]


def test_the_local_stack_runs_a_template_with_keys_alone() -> None:
    with pytest.raises(TemplateError, match="AUTHORIZER=key"):
        template_of(parsed("iam"), PROJECT)
