"""`membrane check` without a stack: what CloudFormation or a function would refuse."""

import json
import shlex
import tomllib
from collections.abc import Mapping

import pytest

from membrane_cli.check.account import Finding
from membrane_cli.check.command import findings
from membrane_cli.cli import main
from tests.worlds.template import TEMPLATE, document

DOCUMENT = document()


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

    given = dict(each.split("=", 1) for each in shlex.split(overrides))
    assert findings(DOCUMENT, given) == []


@pytest.mark.parametrize("name", read_by_functions())
def test_what_a_function_would_refuse_is_named_by_its_parameter(name: str) -> None:
    reasons = found(**{name: "{no"})

    assert set(reasons) == {name}
    assert "MEMBRANE_" not in reasons[name]


def test_a_reason_names_both_settings_of_the_tuning() -> None:
    reasons = found(Tuning='{"PruneThreshold": 2}')

    assert reasons == {"Tuning": "PruneThreshold: must be less than DefaultInitialSalience"}


def test_everything_wrong_is_told_at_once() -> None:
    tuning = {
        "CustomCurves": {"flat": 1},
        "ConflictPolicies": {"likes": "fight"},
        "RankingWeights": {"dense": -1},
        "TopicArchiveBelow": 0.9,
        "TopicBmp": 1,
    }
    wrong = {"QueuePrincipal": '{"actor_id": "queue"}', "DueShards": "0"}

    told = findings(DOCUMENT, {**wrong, "Tuning": json.dumps(tuning)})

    names = [each.reason.partition(" ")[0].strip(":") for each in told if "Tuning" in str(each)]
    assert {each.parameter for each in told} == {*wrong, "Tuning"}
    assert sorted(names) == sorted(tuning)


def test_an_unknown_parameter_gets_the_nearest_name() -> None:
    reasons = found(EpisodicHalfLife="60", Embeddr="bedrock")

    assert reasons["Embeddr"].endswith("no such parameter; did you mean Embedder?")
    assert reasons["EpisodicHalfLife"].endswith("; set EpisodicHalfLifeSeconds in Tuning, as JSON")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"UseCustomerKey": "yes"}, "UseCustomerKey"),
        ({"DecaySchedule": "cron(0 0 * * ? *)"}, "DecaySchedule"),
        ({"ImportDays": "1"}, "ImportDays"),
        ({"Tuning": '{"EmbeddingConcurrency": 65}'}, "Tuning"),
        ({"Tuning": "{" + " " * 2_048 + "}"}, "Tuning"),
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
    principal = {"actor_id": "a" * 4_000, "permissions": ["ingest"], "scopes": ["events"]}

    reasons = found(BusPrincipal=json.dumps({**principal, "max_sensitivity": "low"}))

    assert "Lambda takes 4096" in reasons["BusPrincipal"]


def test_variables_fit_with_the_longest_tuning_beside_the_defaults() -> None:
    curves = {f"curve-{n}": [[0, 1], [1, 0.5], [2, 0]] for n in range(49)}
    tuning = json.dumps({"CustomCurves": curves}).ljust(2_047).replace("}}", "} ") + "}"

    assert len(tuning) == 2_048
    assert found(Tuning=tuning) == {}


def test_the_command_prints_each_finding_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        ["check", "--parameter", "RankShards=0", "--parameter", 'Tuning={"PruneThreshold": 2}']
    )

    assert code == 1
    assert sorted(capsys.readouterr().out.splitlines()) == [
        str(Finding("RankShards", "must be a whole number from 1 to 1024")),
        "Tuning: PruneThreshold: must be less than DefaultInitialSalience",
    ]


def test_the_command_succeeds_where_nothing_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "every parameter can be deployed\n"
