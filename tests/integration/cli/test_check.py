"""`membrane check` without a stack: what CloudFormation or a function would refuse."""

import json
import tomllib
from collections.abc import Mapping

import pytest

from membrane_cli.check.command import findings
from membrane_cli.check.findings import Finding
from membrane_cli.cli import main
from tests.worlds.template import TEMPLATE, document

DOCUMENT = document()

FREE_TEXTS = {"CustomCurve"}
"""Parameters of functions in which any text is right, at least beside the defaults."""


def found(**given: str) -> Mapping[str, str]:
    """The reasons of all findings, by parameter."""
    return {each.parameter: each.reason for each in findings(DOCUMENT, given)}


def read_by_functions() -> list[str]:
    """The parameters that a function reads when it starts."""
    variables = DOCUMENT["Globals"]["Function"]["Environment"]["Variables"].values()
    names = {each["Ref"] for each in variables}
    return sorted(names & DOCUMENT["Parameters"].keys())


def test_the_templates_own_defaults_can_be_deployed() -> None:
    assert findings(DOCUMENT, {}) == []


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_parameters_of_a_stage_can_be_deployed(stage: str) -> None:
    stages = tomllib.loads((TEMPLATE.parent / "infra/samconfig.toml").read_text())
    overrides = stages[stage]["deploy"]["parameters"]["parameter_overrides"]

    assert findings(DOCUMENT, dict(each.split("=") for each in overrides.split())) == []


@pytest.mark.parametrize("name", [each for each in read_by_functions() if each not in FREE_TEXTS])
def test_what_a_function_would_refuse_is_named_by_its_parameter(name: str) -> None:
    reasons = found(**{name: "{no"})

    assert set(reasons) == {name}
    assert "MEMBRANE_" not in reasons[name]


def test_a_reason_names_the_other_parameter_and_not_its_variable() -> None:
    reasons = found(PruneThreshold="2")

    assert reasons == {"PruneThreshold": "must be less than DefaultInitialSalience"}


def test_everything_wrong_is_told_at_once() -> None:
    reasons = found(
        CustomCurves='{"flat": 1}',
        ConflictPolicies='{"likes": "fight"}',
        RankingWeights='{"dense": -1}',
        QueuePrincipal='{"actor_id": "queue"}',
        TopicArchiveBelow="0.9",
        DueShards="0",
    )

    assert set(reasons) == {
        "ConflictPolicies",
        "CustomCurves",
        "DueShards",
        "QueuePrincipal",
        "RankingWeights",
        "TopicArchiveBelow",
    }


def test_an_unknown_parameter_gets_the_nearest_name() -> None:
    reasons = found(EpisodicHalfLife="60")

    assert reasons["EpisodicHalfLife"].endswith("did you mean EpisodicHalfLifeSeconds?")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"UseCustomerKey": "yes"}, "UseCustomerKey"),
        ({"DecaySchedule": "cron(0 0 * * ? *)"}, "DecaySchedule"),
        ({"ImportDays": "1"}, "ImportDays"),
        ({"EmbeddingConcurrency": "65"}, "EmbeddingConcurrency"),
        ({"ThrottleRate": "many"}, "ThrottleRate"),
        ({"Embedder": "bedrock", "EmbeddingDimensions": "384"}, "EmbeddingDimensions"),
        ({"EmbeddingDimensions": "256"}, "EmbeddingDimensions"),
    ],
)
def test_what_cloudformation_would_refuse_is_found(given: Mapping[str, str], name: str) -> None:
    assert set(found(**given)) == {name}


def test_a_new_stack_has_no_former_embedder() -> None:
    bedrock = {"Embedder": "bedrock", "EmbeddingDimensions": "256"}
    former = {"FormerEmbedder": "bedrock", "FormerEmbeddingDimensions": "256"}
    own = {**bedrock, **former, "EmbeddingModel": "amazon.another:0"}

    reasons = found(**bedrock)

    assert set(reasons) == {"FormerEmbedder"}
    assert "set FormerEmbedder=bedrock FormerEmbeddingDimensions=256 (" in reasons["FormerEmbedder"]
    assert found(**bedrock, **former) == {}
    assert set(found(**own)) == {"FormerEmbeddingModel"}
    assert found(**own, FormerEmbeddingModel="amazon.another:0") == {}


def test_variables_longer_than_lambda_takes_are_found() -> None:
    curves = {f"curve-{n}": [[0, 1], [1, 0.5], [2, 0]] for n in range(120)}

    reasons = found(CustomCurves=json.dumps(curves))

    assert "Lambda takes 4096" in reasons["CustomCurves"]


def test_the_command_prints_each_finding_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", "--parameter", "RankShards=0", "--parameter", "PruneThreshold=2"])

    assert code == 1
    assert sorted(capsys.readouterr().out.splitlines()) == [
        str(Finding("PruneThreshold", "must be less than DefaultInitialSalience")),
        str(Finding("RankShards", "must be a whole number from 1 to 1024")),
    ]


def test_the_command_succeeds_where_nothing_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "every parameter can be deployed\n"
