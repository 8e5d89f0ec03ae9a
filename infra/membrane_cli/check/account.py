"""Gaps of the account and Region: embedding model, quotas of the model, concurrent executions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.models.bedrock_embedder import HARMLESS, BedrockEmbedder, UnusableReply
from membrane.domain.language.errors import DomainError
from membrane.wiring.choices import BEDROCK_MODEL, EmbedderKind
from membrane_cli.check.findings import Finding, Parameters

TITAN = "Titan Text Embeddings V2"
"""The name of the default model in the names of quotas."""

LEAST_EXECUTIONS = 100
"""Below, a few agents at once are throttled, and an authorizer that is throttled answers 500."""

MORE_EXECUTIONS = (
    "aws service-quotas request-service-quota-increase --service-code lambda"
    " --quota-code L-B99A9384 --desired-value"
)


@dataclass(frozen=True, slots=True)
class Account:
    """Clients of the account and Region of a deployment."""

    region: str
    bedrock: Any
    bedrock_runtime: Any
    quotas: Any
    functions: Any


def account_here() -> Account:
    """The account and Region of the environment."""
    import boto3  # noqa: PLC0415 - a check without a stack needs no client

    client = boto3.client
    return Account(
        region=boto3.session.Session().region_name or "",
        bedrock=client("bedrock"),
        bedrock_runtime=client("bedrock-runtime"),
        quotas=client("service-quotas"),
        functions=client("lambda"),
    )


def missing_in_account(account: Account, parameters: Parameters) -> list[Finding]:
    """A finding for every gap that a deployment with these parameters would meet."""
    return [*_missing_executions(account, parameters), *_missing_model(account, parameters)]


def _missing_executions(account: Account, parameters: Parameters) -> Iterator[Finding]:
    name = "ConcurrencyLimit"
    try:
        limits = account.functions.get_account_settings()["AccountLimit"]
    except (BotoCoreError, ClientError) as error:
        yield Finding(name, f"the account's limit of Lambda cannot be read: {error}")
        return
    allowed = limits["ConcurrentExecutions"]
    wanted = max(LEAST_EXECUTIONS, int(float(parameters[name])))
    if allowed < wanted:
        or_less = f", or set {allowed}" if allowed >= LEAST_EXECUTIONS else ""
        more = f"{MORE_EXECUTIONS} {max(1_000, wanted)} --region {account.region}"
        yield Finding(
            name,
            f"Lambda allows the account {allowed} executions at once in {account.region}; ask for "
            f"more with `{more}`{or_less}",
        )


def _missing_model(account: Account, parameters: Parameters) -> Iterator[Finding]:
    if parameters["Embedder"] != EmbedderKind.BEDROCK:
        return
    model = parameters["EmbeddingModel"] or BEDROCK_MODEL
    try:
        listed = account.bedrock.list_foundation_models(byOutputModality="EMBEDDING")
    except (BotoCoreError, ClientError) as error:
        yield Finding("Embedder", f"Bedrock does not answer in {account.region}: {error}")
        return
    if model not in {each["modelId"] for each in listed["modelSummaries"]}:
        yield Finding("EmbeddingModel", f"Bedrock has no {model} in {account.region}")
        return
    yield from _embedding_failure(account, model, int(parameters["EmbeddingDimensions"]))
    if model == BEDROCK_MODEL:
        yield from _zero_quotas(account)


def _embedding_failure(account: Account, model: str, dimensions: int) -> Iterator[Finding]:
    """A finding where the model fails to embed one harmless word."""
    embedder = BedrockEmbedder(lambda: account.bedrock_runtime, model, dimensions, 1)
    try:
        embedder.embed([HARMLESS])
    except (DomainError, ClientError, UnusableReply) as error:
        because = error.__cause__ or error
        yield Finding("EmbeddingModel", f"{model} makes no vector of one word: {because}")


def _zero_quotas(account: Account) -> Iterator[Finding]:
    """A finding for every quota of the default model that is 0, as in some new accounts."""
    try:
        pages = account.quotas.get_paginator("list_service_quotas").paginate(ServiceCode="bedrock")
        quotas = [each for page in pages for each in page["Quotas"]]
    except (BotoCoreError, ClientError) as error:
        yield Finding("EmbeddingModel", f"the model's quotas cannot be read: {error}")
        return
    for quota in quotas:
        name = quota["QuotaName"]
        if TITAN in name and name.startswith("On-demand") and not quota["Value"]:
            yield Finding("EmbeddingModel", f"the account's quota is 0: {name}")
