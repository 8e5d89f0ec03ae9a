"""Changes that a deployed stack forbids, and gaps of the account and Region."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.models.bedrock_embedder import HARMLESS, BedrockEmbedder, UnusableReply
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.wiring.environment import BEDROCK_MODEL, EmbedderKind
from membrane.wiring.settings import tuned_settings, usual_tuning

Parameters = Mapping[str, str]
"""Values of the template's parameters, by name."""


class Finding(NamedTuple):
    """A parameter that cannot be deployed with the given value, and the reason."""

    parameter: str
    reason: str

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"


def forbidden_changes(deployed: Parameters, wanted: Parameters) -> Iterator[Finding]:
    """A finding for each change that loses data or that one update cannot make."""
    for name in ("RankShards", "DueShards", "SearchShards"):
        before, after = deployed.get(name, ""), wanted[name]
        if before.isdigit() and after.isdigit() and int(after) < int(before):
            only = f"may only grow: {after} would lose data of removed shards"
            yield Finding(name, f"is {before} in the stack and {only}")
    yield from _index_operations(deployed, wanted)
    yield from _unnamed_model(deployed, wanted)
    if deployed.get("UseCustomerKey") == "true" and wanted["UseCustomerKey"] != "true":
        lost = "functions could not read what is under its key any more"
        yield Finding("UseCustomerKey", f"is true in the stack, and {lost}")
    if deployed.get("TableName") and not wanted["TableName"]:
        yield Finding(
            "TableName",
            f"is {deployed['TableName']} in the stack; without it the stack would make a new, "
            "empty table: to return to an earlier table, name that table and the table's stream",
        )


def _index_operations(deployed: Parameters, wanted: Parameters) -> Iterator[Finding]:
    """A finding where an update changes more than one vector index, DynamoDB's limit."""
    names = ("EmbeddingDimensions", "FormerEmbeddingDimensions")
    before, after = ({each.get(name) for name in names} for each in (deployed, wanted))
    if None not in before and len(before ^ after) > 1:
        yield Finding(
            names[0],
            "an update adds or removes one vector index: first deploy the new EmbeddingDimensions "
            "with the present ones as FormerEmbeddingDimensions, then run `membrane reindex`, then "
            "deploy with both alike",
        )


def _unnamed_model(deployed: Parameters, wanted: Parameters) -> Iterator[Finding]:
    """A finding where FormerEmbeddingModel is not the model of the former index's vectors.

    The former index refuses searches by any model but the maker of the index's vectors.
    """
    name, former = "FormerEmbeddingModel", wanted["FormerEmbeddingDimensions"]
    is_changing = former != wanted["EmbeddingDimensions"]
    if is_changing and wanted["FormerEmbedder"] == EmbedderKind.BEDROCK:
        is_present = deployed.get("EmbeddingDimensions") == former
        made_by = deployed.get("EmbeddingModel" if is_present else name) or BEDROCK_MODEL
        if made_by != (wanted[name] or BEDROCK_MODEL):
            yield Finding(name, f"vectors of {former} dimensions are by {made_by}")


def dropped_tuning(deployed: Parameters, tuning: str) -> list[Finding]:
    """A finding where values of former parameters, which are tuned settings now, would be lost."""
    usual = usual_tuning()
    kept = {
        name: value if isinstance(_as_json(usual[name]), str) else _as_json(value)
        for name, value in deployed.items()
        if name in usual and _as_json(value) != _as_json(usual[name])
    }
    if kept.keys() <= tuned_settings(tuning).keys():
        return []
    whole = compact_json({**kept, **parse_json(tuning)})
    excess = len(whole) - 2_048  # the most that the template takes as Tuning
    shortened = f", once shortened by {excess} characters" if excess > 0 else ""
    said = f"would drop values that the stack has; this keeps them{shortened}: {whole}"
    return [Finding("Tuning", said)]


def _as_json(value: str) -> Any:
    try:
        return parse_json(value)
    except InvalidArgument:
        return value


def needless_former(wanted: Parameters) -> list[Finding]:
    """A finding where a new stack would start in the middle of a change of embedder."""
    names = ("Embedder", "EmbeddingModel", "EmbeddingDimensions")
    other = [name for name in names if wanted[f"Former{name}"] != wanted[name]]
    like = " ".join(f"Former{name}={wanted[name]}" for name in other)
    reason = (
        "a new stack has no former vectors, but would search an index of former vectors "
        f"until `membrane reindex` is done: set {like} (an existing stack is checked with "
        "--stack)"
    )
    return [Finding(f"Former{name}", reason) for name in other[:1]]


LEAST_EXECUTIONS = 100
"""Below, a few agents at once are throttled, and an authorizer that is throttled answers 500."""
Clients = Callable[[str], Any]
"""The client of a service by name, in the account and Region of a deployment: `boto3.client`."""


def missing_in_account(clients: Clients, parameters: Parameters) -> list[Finding]:
    """A finding for every gap that a deployment with these parameters would meet."""
    return [*_missing_executions(clients, parameters), *_missing_model(clients, parameters)]


def _missing_executions(clients: Clients, parameters: Parameters) -> Iterator[Finding]:
    name = "ConcurrencyLimit"
    try:
        functions = clients("lambda")
        limits = functions.get_account_settings()["AccountLimit"]
    except (BotoCoreError, ClientError) as error:
        yield Finding(name, f"the account's limit of Lambda cannot be read: {error}")
        return
    allowed, region = limits["ConcurrentExecutions"], functions.meta.region_name
    wanted = max(LEAST_EXECUTIONS, int(float(parameters[name])))
    if allowed < wanted:
        or_less = f", or set {allowed}" if allowed >= LEAST_EXECUTIONS else ""
        more = "aws service-quotas request-service-quota-increase --service-code lambda"
        more += f" --quota-code L-B99A9384 --desired-value {max(1_000, wanted)} --region {region}"
        yield Finding(
            name,
            f"Lambda allows the account {allowed} executions at once in {region}; ask for "
            f"more with `{more}`{or_less}",
        )


def _missing_model(clients: Clients, parameters: Parameters) -> Iterator[Finding]:
    if parameters["Embedder"] != EmbedderKind.BEDROCK:
        return
    model, bedrock = parameters["EmbeddingModel"] or BEDROCK_MODEL, clients("bedrock")
    region = bedrock.meta.region_name
    try:
        listed = bedrock.list_foundation_models(byOutputModality="EMBEDDING")
    except (BotoCoreError, ClientError) as error:
        yield Finding("Embedder", f"Bedrock does not answer in {region}: {error}")
        return
    if model not in {each["modelId"] for each in listed["modelSummaries"]}:
        yield Finding("EmbeddingModel", f"Bedrock has no {model} in {region}")
        return
    dimensions = int(parameters["EmbeddingDimensions"])
    embedder = BedrockEmbedder(lambda: clients("bedrock-runtime"), model, dimensions, 1)
    try:
        embedder.embed([HARMLESS])
    except (DomainError, ClientError, UnusableReply) as error:
        because = error.__cause__ or error
        yield Finding("EmbeddingModel", f"{model} makes no vector of one word: {because}")
    if model == BEDROCK_MODEL:
        yield from _zero_quotas(clients)


def _zero_quotas(clients: Clients) -> Iterator[Finding]:
    """A finding for every quota of the default model that is 0, as in some new accounts."""
    try:
        listing = clients("service-quotas").get_paginator("list_service_quotas")
        pages = listing.paginate(ServiceCode="bedrock")
        quotas = [each for page in pages for each in page["Quotas"]]
    except (BotoCoreError, ClientError) as error:
        yield Finding("EmbeddingModel", f"the model's quotas cannot be read: {error}")
        return
    for quota in quotas:
        name = quota["QuotaName"]
        is_of_model = name.startswith("On-demand") and "Titan Text Embeddings V2" in name
        if is_of_model and not quota["Value"]:
            yield Finding("EmbeddingModel", f"the account's quota is 0: {name}")
