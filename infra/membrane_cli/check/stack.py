"""Forbidden changes and lost values of a deployed stack; needless Former... of a new stack."""

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.wiring.choices import BEDROCK_MODEL, EmbedderKind
from membrane.wiring.settings import tuned_settings, usual_tuning
from membrane_cli.check.findings import Finding, Parameters

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

EMBEDDER_PARAMETERS = ("Embedder", "EmbeddingModel", "EmbeddingDimensions")
"""For each parameter, `Former<name>` holds the value before a change of embedder."""

NEVER_LOWERED = ("RankShards", "DueShards", "SearchShards")

MAX_TUNING_CHARACTERS = 2_048
"""The most that the template takes as Tuning."""


def deployed_parameters(stack: str, cloudformation: "CloudFormationClient") -> Parameters | None:
    """The stack's present values; None where no stack has the name."""
    try:
        (described,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return None
    return {
        each["ParameterKey"]: each["ParameterValue"] for each in described.get("Parameters", [])
    }


def forbidden_changes(deployed: Parameters, wanted: Parameters) -> list[Finding]:
    """A finding for each change that loses data or that one update cannot make."""
    return [
        *(found for name in NEVER_LOWERED if (found := _shard_decrease(name, deployed, wanted))),
        *_index_operations(deployed, wanted),
        *_unnamed_model(deployed, wanted),
        *_dropped_key(deployed, wanted),
        *_new_empty_table(deployed, wanted),
    ]


def dropped_tuning(deployed: Parameters, tuning: str) -> list[Finding]:
    """A finding where values of former parameters, which are tuned settings now, would be lost."""
    usual = usual_tuning()
    kept = {
        name: value if isinstance(_as_json(usual[name]), str) else _as_json(value)
        for name, value in deployed.items()
        if name in usual and not _is_usual(value, usual[name])
    }
    if kept.keys() <= tuned_settings(tuning).keys():
        return []
    whole = compact_json({**kept, **parse_json(tuning)})
    excess = len(whole) - MAX_TUNING_CHARACTERS
    shortened = f", once shortened by {excess} characters" if excess > 0 else ""
    said = f"would drop values that the stack has; this keeps them{shortened}: {whole}"
    return [Finding("Tuning", said)]


def _as_json(value: str) -> Any:
    """The value of a former parameter, as the tuning takes the value."""
    try:
        return parse_json(value)
    except InvalidArgument:
        return value


def _is_usual(value: str, usual: str) -> bool:
    return value == usual or _as_json(value) == _as_json(usual)


def needless_former(wanted: Parameters) -> list[Finding]:
    """A finding where a new stack would start in the middle of a change of embedder."""
    other = [name for name in EMBEDDER_PARAMETERS if wanted[f"Former{name}"] != wanted[name]]
    if not other:
        return []
    like = " ".join(f"Former{name}={wanted[name]}" for name in other)
    reason = (
        "a new stack has no former vectors, but would search an index of former vectors "
        f"until `membrane reindex` is done: set {like} (an existing stack is checked with "
        "--stack)"
    )
    return [Finding(f"Former{other[0]}", reason)]


def _shard_decrease(name: str, deployed: Parameters, wanted: Parameters) -> Finding | None:
    before, after = deployed.get(name, ""), wanted[name]
    if not (before.isdigit() and after.isdigit()) or int(after) >= int(before):
        return None
    return Finding(
        name,
        f"is {before} in the stack and may only grow: {after} would lose data of removed shards",
    )


def _index_operations(deployed: Parameters, wanted: Parameters) -> list[Finding]:
    """A finding where an update changes more than one vector index, DynamoDB's limit."""
    names = ("EmbeddingDimensions", "FormerEmbeddingDimensions")
    before, after = ({each.get(name) for name in names} for each in (deployed, wanted))
    if None in before or len(before ^ after) <= 1:
        return []
    reason = (
        "an update adds or removes one vector index: first deploy the new EmbeddingDimensions with "
        "the present ones as FormerEmbeddingDimensions, then run `membrane reindex`, then deploy "
        "with both alike"
    )
    return [Finding(names[0], reason)]


def _unnamed_model(deployed: Parameters, wanted: Parameters) -> list[Finding]:
    """A finding where FormerEmbeddingModel is not the model of the former index's vectors.

    The former index refuses searches by any model but the maker of the index's vectors.
    """
    name, former = "FormerEmbeddingModel", wanted["FormerEmbeddingDimensions"]
    is_changing = former != wanted["EmbeddingDimensions"]
    if not is_changing or wanted["FormerEmbedder"] != EmbedderKind.BEDROCK:
        return []
    made_by = deployed.get(
        "EmbeddingModel" if deployed.get("EmbeddingDimensions") == former else name, ""
    )
    if (made_by or BEDROCK_MODEL) == (wanted[name] or BEDROCK_MODEL):
        return []
    return [Finding(name, f"vectors of {former} dimensions are by {made_by or BEDROCK_MODEL}")]


def _dropped_key(deployed: Parameters, wanted: Parameters) -> list[Finding]:
    name = "UseCustomerKey"
    if deployed.get(name) != "true" or wanted[name] == "true":
        return []
    reason = "is true in the stack, and functions could not read what is under its key any more"
    return [Finding(name, reason)]


def _new_empty_table(deployed: Parameters, wanted: Parameters) -> list[Finding]:
    """A finding where the stack would leave an existing table for a new table without items."""
    name = "TableName"
    if not deployed.get(name) or wanted[name]:
        return []
    reason = (
        f"is {deployed[name]} in the stack; without it the stack would make a new, empty table: to "
        "return to an earlier table, name that table and the table's stream"
    )
    return [Finding(name, reason)]
