"""The API's domain and the web pages that may call, in template.yaml and as SAM translates them."""

import re
from typing import Any

import pytest

from membrane_cli.check.command import findings
from membrane_local.template import read_document
from tests.integration.template.test_service_limits import EVERYTHING, deployed, of_type
from tests.worlds.template import TEMPLATE, parameters, ref, resources

CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2"
DOMAIN = {"DomainName": "memory.example.com", "CertificateArn": CERTIFICATE}


def cors(name: str) -> tuple[Any, Any]:
    """The CORS of the API and of the function URL in a deployment."""
    resources = deployed(name)
    (api,) = (each for _, each in of_type(resources, "ApiGatewayV2::Api"))
    urls = [each.get("Cors") for _, each in of_type(resources, "Lambda::Url")]
    return api["Body"].get("x-amazon-apigateway-cors"), urls


@pytest.mark.parametrize("missing", DOMAIN)
def test_domain_and_certificate_are_set_together(missing: str) -> None:
    given = {name: value for name, value in DOMAIN.items() if name != missing}

    assert [each.parameter for each in findings(read_document(TEMPLATE), given)] == [missing]
    assert findings(read_document(TEMPLATE), DOMAIN) == []


def test_the_domain_leads_to_the_stage_of_the_api() -> None:
    (domain,) = resources("AWS::ApiGatewayV2::DomainName").values()
    (mapping,) = resources("AWS::ApiGatewayV2::ApiMapping").values()

    assert domain["DomainNameConfigurations"][0]["CertificateArn"] == ref("CertificateArn")
    assert mapping == {
        "ApiId": ref("HttpApi"),
        "DomainName": ref("ApiDomain"),
        "Stage": ref("HttpApi.Stage"),
    }


def test_without_origins_no_deployment_has_cors() -> None:
    assert cors("defaults") == (None, [])


def test_the_api_and_the_function_url_take_the_same_origins_and_no_credentials() -> None:
    api, (url,) = cors("everything")

    assert api["allowOrigins"] == url["AllowOrigins"] == [EVERYTHING["CorsOrigins"]]
    assert "allowCredentials" not in api
    assert "AllowCredentials" not in url
    assert set(url["AllowHeaders"]) <= set(api["allowHeaders"])


@pytest.mark.parametrize(
    ("origins", "fits"),
    [
        ("", True),
        ("https://app.example.com", True),
        ("https://app.example.com:8443,http://localhost:3000,http://127.0.0.1", True),
        ("*", False),
        ("https://*.example.com", False),
        ("https://app.example.com/", False),
        ("https://app.example.com,", False),
        ("https://app.example.com, https://b.example", False),
        ("http://app.example.com", False),
        ("http://localhost.evil.example", False),
        ("https://a.examplehttps://b.example", False),
    ],
)
def test_an_origin_is_exact_and_of_https_except_on_this_machine(
    origins: str, *, fits: bool
) -> None:
    pattern = parameters()["CorsOrigins"]["AllowedPattern"]

    assert (re.fullmatch(pattern, origins) is not None) is fits
