"""The template as `make build` changes it: processor, SnapStart, authorizer."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from membrane_local.template import _Loader

PROJECT = Path(__file__).resolve().parents[3]
TEMPLATE = (PROJECT / "template.yaml").read_text("utf-8")
PRICE_OF_ARM, PRICE_OF_X86 = '"0.0000133334"', '"0.0000166667"'
"""Dollars for a GB-second of Lambda."""

TRANSLATE = """
import json, sys
from boto3 import Session
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse
translator = Translator({}, Parser(), boto_session=Session(region_name="us-east-1"))
json.dump(translator.translate(yaml_parse(sys.stdin.read()), json.loads(sys.argv[1])), sys.stdout)
"""


SNAPSTART = {
    "AutoPublishAlias": "live",
    "SnapStart": {"ApplyOn": "PublishedVersions"},
    "VersionDeletionPolicy": "Delete",
}
A_CACHED_GIGABYTE_SECOND = 0.0000015046
"""Dollars, of a version that SnapStart keeps."""


def variant(*asked: str) -> str:
    return built(*asked).stdout


def built(*asked: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROJECT / "infra/template_variant.sh"), *asked]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def functions_of(template: str) -> dict[str, Any]:
    """Properties of the functions, by name."""
    document = yaml.load(template, _Loader)  # noqa: S506 - a SafeLoader
    return of_type(document["Resources"], "Serverless::Function")


def restored_by(template: str) -> dict[str, Any]:
    """The functions that SnapStart restores."""
    return {name: each for name, each in functions_of(template).items() if "SnapStart" in each}


def translated(template: str, parameters: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The resources that SAM makes of a template whose code was packaged."""
    packaged = re.sub(r"((?:Code|Content)Uri): \S+", r"\1: s3://bucket/key", template)
    python = str(PROJECT / ".venv-sam/bin/python")
    command = [python, "-c", TRANSLATE, json.dumps(parameters or {})]
    done = subprocess.run(command, input=packaged, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["Resources"])


def of_type(resources: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        name: each["Properties"]
        for name, each in resources.items()
        if each["Type"] == f"AWS::{kind}"
    }


def shared(template: str) -> dict[str, Any]:
    document = yaml.load(template, _Loader)  # noqa: S506 - a SafeLoader
    return dict(document["Globals"]["Function"])


def test_without_a_wish_it_is_the_template() -> None:
    assert variant("arm64", "off") == TEMPLATE


def test_functions_and_layers_change_processor_together() -> None:
    changed = variant("x86_64", "off")

    assert TEMPLATE.count("arm64") == changed.count("x86_64") == 7
    assert changed.replace("x86_64", "arm64").replace(PRICE_OF_X86, PRICE_OF_ARM) == TEMPLATE


def test_a_second_of_a_function_costs_what_its_processor_costs() -> None:
    changed = variant("x86_64", "off")

    assert TEMPLATE.count(PRICE_OF_ARM) == changed.count(PRICE_OF_X86) == 1
    assert PRICE_OF_ARM not in changed


def test_snapstart_restores_what_somebody_with_a_key_waits_for() -> None:
    before, after = functions_of(TEMPLATE), functions_of(variant("arm64", "on"))

    for name, properties in after.items():
        added = {each: properties.pop(each) for each in properties.keys() - before[name].keys()}
        waited_for = [
            each["Properties"].get("Auth")
            for each in properties.get("Events", {}).values()
            if each["Type"] == "HttpApi"
        ]
        is_restored = waited_for == [None] * len(waited_for) != [] and name != "ChatFunction"
        assert added == (SNAPSTART if is_restored else {}), name
    assert after == before
    assert 0 < len(restored_by(variant("arm64", "on"))) < len(before)


def test_snapstart_by_name_restores_these_functions_also_the_authorizer_and_mcp() -> None:
    named = {"RetrieveFunction", "McpFunction", "AuthorizerFunction"}
    done = built("arm64", "Retrieve,Mcp,Authorizer")

    resources = translated(done.stdout)

    (api,) = of_type(resources, "ApiGatewayV2::Api").values()
    (scheme,) = api["Body"]["components"]["securitySchemes"].values()
    authorizer = scheme["x-amazon-apigateway-authorizer"]["authorizerUri"]["Fn::Sub"][1]
    aliases = of_type(resources, "Lambda::Alias")
    allowed = [each["FunctionName"] for each in of_type(resources, "Lambda::Permission").values()]
    assert set(restored_by(done.stdout)) == named
    assert {each["FunctionName"]["Ref"] for each in aliases.values()} == named
    assert authorizer["__FunctionArn__"] == {"Ref": "AuthorizerFunctionAliaslive"}
    assert {"Ref": "AuthorizerFunctionAliaslive"} in allowed
    warmed = {reached(each) for name, each in scheduled_by(resources).items() if "WarmUp" in name}
    assert warmed == {f"{name}Aliaslive" for name in named}
    assert done.stderr == ("SnapStart: 3 versions of 4.0 GB in total cost 15 dollars a month\n")


def test_a_version_is_published_with_every_build() -> None:
    before, after = shared(TEMPLATE), shared(variant("arm64", "on"))

    assert after["Environment"]["Variables"].pop("BUILT_AT")
    assert after == before


def test_the_build_tells_what_snapstart_costs_a_month() -> None:
    usual_mb = shared(TEMPLATE)["MemorySize"]
    restored = restored_by(variant("arm64", "on"))
    gigabytes = sum(each.get("MemorySize", usual_mb) for each in restored.values()) / 1_024
    dollars = gigabytes * A_CACHED_GIGABYTE_SECOND * 30 * 24 * 3_600

    told = built("arm64", "on").stderr

    assert told == (
        f"SnapStart: {len(restored)} versions of {gigabytes:.1f} GB in total"
        f" cost {dollars:.0f} dollars a month\n"
    )
    assert built("arm64", "off").stderr == ""


def test_with_snapstart_events_reach_the_alias_that_catches_what_fails() -> None:
    resources = translated(variant("arm64", "on"))

    aliases = of_type(resources, "Lambda::Alias")
    of_function = {alias["FunctionName"]["Ref"]: name for name, alias in aliases.items()}
    catching = of_type(resources, "Lambda::EventInvokeConfig").values()
    targets = [
        target["Arn"]
        for rule in of_type(resources, "Events::Rule").values()
        for target in rule["Targets"]
    ]
    scheduled = scheduled_by(resources)
    warming = [scheduled.pop(name) for name in [*scheduled] if name.endswith("WarmUp")]
    reading = of_type(resources, "Lambda::EventSourceMapping").values()
    caught = {
        each["FunctionName"]["Ref"]
        if each["Qualifier"] == "$LATEST"
        else of_function[each["FunctionName"]["Ref"]]
        for each in catching
    }  # another function starts the export
    assert {alias["Name"] for alias in aliases.values()} == {"live"}
    started = {reached(target) for target in (*targets, *scheduled.values())}
    assert started == caught - {"ExportFunction"}
    uncaught = {reached(each["FunctionName"]) for each in reading} - caught
    assert uncaught == {"IndexFunction", "InterpretFunction"}, "only stream and queue start them"
    mapped = [each["FunctionName"] for each in reading]
    for invoked in (*targets, *scheduled.values(), *warming, *mapped):
        assert reached(invoked) not in of_function, "the alias is meant where there is one"


def scheduled_by(resources: dict[str, Any]) -> dict[str, Any]:
    """What each schedule starts."""
    schedules = of_type(resources, "Scheduler::Schedule")
    return {name: each["Target"]["Arn"] for name, each in schedules.items()}


def reached(reference: dict[str, Any]) -> str:
    """The function or alias that a reference means."""
    (found,) = reference.values()
    return str(found if isinstance(found, str) else found[0])


@pytest.mark.parametrize(
    "asked",
    [
        *((), ("arm",), ("arm64",)),
        *(("arm64", each) for each in ("", "yes", "ON", "true")),
        *(("arm64", each) for each in ("Chat", "Decay", "Retrieve,", "Retrieve Mcp")),
        *(("arm64", "off", each) for each in ("IAM", "none")),
        *(("arm64", "Retrieve,Authorizer", each) for each in ("iam", "jwt")),
    ],
)
def test_a_word_that_names_nothing_builds_nothing(asked: tuple[str, ...]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        variant(*asked)

    assert caught.value.stdout == ""
    assert re.search(" or |Retrieve,Mcp,Authorizer|which nothing calls", caught.value.stderr)
