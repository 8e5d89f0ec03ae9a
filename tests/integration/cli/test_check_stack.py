"""`membrane check --stack`: what the stack, the account and the Region do not allow."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from membrane_cli.check.account import Clients, Finding
from membrane_cli.check.command import findings
from membrane_cli.doctor import Diagnosis
from membrane_cli.doctor.cloud import diagnose_account
from tests.worlds.template import document

DOCUMENT = document()
BEDROCK = {"Embedder": "bedrock", "EmbeddingDimensions": "256"}
FORMER_BEDROCK = {"FormerEmbedder": "bedrock", "FormerEmbeddingDimensions": "256"}
TITAN = "amazon.titan-embed-text-v2:0"
TOKENS = "On-demand InvokeModel tokens per minute for Amazon Titan Text Embeddings V2"


@dataclass(frozen=True, slots=True)
class Stubs:
    """An account, and what its services will answer."""

    clients: Clients
    services: Mapping[str, Stubber]

    def allow(self, executions: int) -> None:
        """Let Lambda allow so many executions at once."""
        limit = {"AccountLimit": {"ConcurrentExecutions": executions}}
        self.services["lambda"].add_response("get_account_settings", limit)

    def have_models(self, *models: str) -> None:
        """Let Bedrock list these models."""
        listed = [{"modelId": each, "modelArn": f"arn:aws:bedrock:::{each}"} for each in models]
        self.services["bedrock"].add_response(
            "list_foundation_models", {"modelSummaries": listed}, {"byOutputModality": "EMBEDDING"}
        )

    def embed(self, dimensions: int) -> None:
        """Let the model answer a vector."""
        content = json.dumps({"embedding": [0.5] * dimensions}).encode()
        body = StreamingBody(BytesIO(content), len(content))
        self.services["bedrock-runtime"].add_response(
            "invoke_model", {"body": body, "contentType": "application/json"}
        )

    def have_quotas(self, **values: float) -> None:
        """Let the account have these quotas, and one of another model's that is 0."""
        quotas = [{"QuotaName": name, "Value": value} for name, value in values.items()]
        other = {"QuotaName": "On-demand InvokeModel requests per minute for Other", "Value": 0.0}
        self.services["service-quotas"].add_response(
            "list_service_quotas", {"Quotas": [*quotas, other]}, {"ServiceCode": "bedrock"}
        )

    def found(self, **given: str) -> Sequence[Finding]:
        """The findings for a stack of its own with these parameters."""
        return findings(DOCUMENT, {**BEDROCK, **FORMER_BEDROCK, **given}, {}, self.clients)


@pytest.fixture
def stubs() -> Iterator[Stubs]:
    """An account of which every expected request must be made."""
    names = ("lambda", "bedrock", "bedrock-runtime", "service-quotas")
    clients: dict[str, Any] = {name: client(name) for name in names}
    services = {name: Stubber(each) for name, each in clients.items()}
    for each in services.values():
        each.activate()
    yield Stubs(clients.__getitem__, services)
    for each in services.values():
        each.assert_no_pending_responses()


def client(name: Any) -> Any:
    return boto3.client(
        name,
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )


# --- the account and Region ----------------------------------------------------------------------


def test_an_account_with_model_quota_and_executions_lacks_nothing(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models(TITAN)
    stubs.embed(256)
    stubs.have_quotas(**{TOKENS: 300000.0})

    assert stubs.found() == []


def test_a_new_accounts_executions_are_too_few(stubs: Stubs) -> None:
    stubs.allow(10)

    (finding,) = findings(DOCUMENT, {}, {}, stubs.clients)

    assert finding.parameter == "ConcurrencyLimit"
    assert "allows the account 10 executions at once in us-east-1" in finding.reason
    assert "request-service-quota-increase" in finding.reason


def test_the_executions_of_a_new_account_are_too_few_whatever_the_parameter_says(
    stubs: Stubs,
) -> None:
    stubs.allow(10)

    (finding,) = findings(DOCUMENT, {"ConcurrencyLimit": "10"}, {}, stubs.clients)

    assert finding.reason.endswith("--desired-value 1000 --region us-east-1`")


def test_an_account_with_fewer_executions_than_the_parameter_says_may_set_the_parameter(
    stubs: Stubs,
) -> None:
    stubs.allow(500)

    (finding,) = findings(DOCUMENT, {"ConcurrencyLimit": "3000"}, {}, stubs.clients)

    assert finding.reason.endswith("--desired-value 3000 --region us-east-1`, or set 500")


def test_a_region_without_the_model_is_found(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models("cohere.embed-v4:0")

    (finding,) = stubs.found()

    assert finding == Finding("EmbeddingModel", f"Bedrock has no {TITAN} in us-east-1")


def test_a_region_without_bedrock_is_found(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.services["bedrock"].add_client_error("list_foundation_models", "UnknownEndpoint")

    (finding,) = stubs.found()

    assert finding.parameter == "Embedder"
    assert "does not answer in us-east-1" in finding.reason


def test_a_model_that_the_account_may_not_use_is_found(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models(TITAN)
    stubs.services["bedrock-runtime"].add_client_error("invoke_model", "AccessDeniedException")
    stubs.have_quotas(**{TOKENS: 300000.0})

    (finding,) = stubs.found()

    assert finding.parameter == "EmbeddingModel"
    assert "AccessDeniedException" in finding.reason


def test_a_quota_of_zero_is_found(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models(TITAN)
    stubs.embed(256)
    stubs.have_quotas(**{TOKENS: 0.0})

    (finding,) = stubs.found()

    assert finding == Finding("EmbeddingModel", f"the account's quota is 0: {TOKENS}")


def told_by_doctor(stubs: Stubs, **parameters: str) -> Sequence[Diagnosis]:
    deployed = {"ConcurrencyLimit": "1000", **parameters}
    return list(diagnose_account("membrane", deployed, stubs.clients))


def test_the_doctor_says_that_a_stack_has_its_model(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models(TITAN)
    stubs.embed(256)
    stubs.have_quotas(**{TOKENS: 300_000.0})

    (found,) = told_by_doctor(stubs, **BEDROCK, EmbeddingModel=TITAN)

    assert not found.advice
    assert TITAN in found.found


def test_the_doctor_says_which_model_a_stack_lacks(stubs: Stubs) -> None:
    stubs.allow(1000)
    stubs.have_models("another")

    (found,) = told_by_doctor(stubs, **BEDROCK, EmbeddingModel=TITAN)

    assert found.name == "EmbeddingModel"
    assert f"Bedrock has no {TITAN}" in found.advice


def test_the_account_is_asked_only_for_parameters_that_can_be_deployed(stubs: Stubs) -> None:
    (finding,) = stubs.found(RankShards="0")

    assert finding.parameter == "RankShards"


# --- the stack -----------------------------------------------------------------------------------


def changed(deployed: Mapping[str, str], **given: str) -> Mapping[str, str]:
    """The findings for a stack that is deployed with some parameters and gets others."""
    return {each.parameter: each.reason for each in findings(DOCUMENT, given, deployed)}


@pytest.mark.parametrize("name", ["RankShards", "DueShards", "SearchShards"])
def test_a_number_of_shards_may_only_grow(name: str) -> None:
    assert set(changed({name: "32"}, **{name: "16"})) == {name}
    assert changed({name: "32"}, **{name: "64"}) == {}


def test_what_is_not_given_keeps_its_deployed_value() -> None:
    assert changed({"RankShards": "4"}) == {}
    kept = {"Tuning": '{"PruneThreshold": 0.7}'}
    assert changed(kept) == {}
    assert set(changed(kept, Tuning='{"PruneThreshold": 0.7, "DefaultInitialSalience": 0.5}')) == {
        "Tuning"
    }


def test_values_of_parameters_that_became_settings_of_the_tuning_are_not_dropped() -> None:
    deployed = {
        "PruneThreshold": "0.01",
        "EpisodicHalfLifeSeconds": "3600",
        "RankingWeights": '{"dense": 2}',
        "DecayCurve": "linear",
        "CustomCurves": "{ }",
        "TopicSummaryHistory": "20",
    }
    kept = '{"PruneThreshold":0.01,"RankingWeights":{"dense":2},"DecayCurve":"linear"}'

    assert changed(deployed) == {
        "Tuning": f"would drop values that the stack has; this keeps them: {kept}"
    }
    assert changed(deployed, Tuning='{"DecayCurve": "exponential"}')["Tuning"].endswith(
        '"DecayCurve":"exponential"}'
    )
    assert changed(deployed, Tuning=kept) == {}
    assert changed({"EpisodicHalfLifeSeconds": "3600", "TraceDays": "90"}) == {}


def test_a_text_that_looks_like_a_number_is_kept_as_a_text() -> None:
    assert changed({"CustomCurve": "1e5"})["Tuning"].endswith('{"CustomCurve":"1e5"}')


def test_kept_values_that_the_tuning_has_no_room_for_are_counted() -> None:
    curve = [[each, 1 / (each + 1)] for each in range(200)]
    kept = json.dumps({"CustomCurves": {"slow": curve}}, separators=(",", ":"))

    finding = changed({"CustomCurves": json.dumps({"slow": curve})})["Tuning"]

    assert f"once shortened by {len(kept) - 2_048} characters: " in finding


def test_a_parameter_of_an_earlier_template_is_no_matter() -> None:
    assert changed({"Former": "value"}) == {}


def test_two_vector_indexes_are_not_changed_in_one_deployment() -> None:
    deployed = {**BEDROCK, **FORMER_BEDROCK}
    beside = {**deployed, "EmbeddingDimensions": "512"}

    assert changed(deployed, EmbeddingDimensions="512") == {}
    assert changed(beside, FormerEmbeddingDimensions="512") == {}
    assert set(changed(deployed, EmbeddingDimensions="512", FormerEmbeddingDimensions="512")) == {
        "EmbeddingDimensions"
    }
    assert set(changed(beside, EmbeddingDimensions="1024")) == {"EmbeddingDimensions"}


def test_a_model_and_its_dimensions_are_changed_together_where_the_former_model_is_named() -> None:
    deployed = {**BEDROCK, **FORMER_BEDROCK, "EmbeddingModel": "amazon.former:0"}
    new = {"EmbeddingDimensions": "512", "EmbeddingModel": "amazon.new:0"}
    named = {**new, "FormerEmbeddingModel": "amazon.former:0"}

    assert changed(deployed, **new) == {
        "FormerEmbeddingModel": "vectors of 256 dimensions are by amazon.former:0"
    }
    assert changed(deployed, **named) == {}
    assert changed({**deployed, **named}) == {}
    assert set(changed({**deployed, **named}, FormerEmbeddingModel="")) == {"FormerEmbeddingModel"}
    assert changed({**deployed, **named}, FormerEmbeddingDimensions="512") == {}
    assert changed({**deployed, "EmbeddingModel": TITAN}, **new) == {}
    assert changed(deployed, EmbeddingModel="amazon.new:0") == {}, "one index, which refuses"


def test_a_key_that_data_is_under_is_not_given_up() -> None:
    assert set(changed({"UseCustomerKey": "true"}, UseCustomerKey="false")) == {"UseCustomerKey"}
    assert changed({"UseCustomerKey": "false"}, UseCustomerKey="true") == {}
