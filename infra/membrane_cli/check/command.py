"""`membrane check`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from membrane.domain.language.errors import NotFound
from membrane_cli.check.account import (
    Clients,
    dropped_tuning,
    forbidden_changes,
    missing_in_account,
    needless_former,
)
from membrane_cli.check.constraints import (
    Document,
    Finding,
    Parameters,
    broken_rules,
    mismatched_stream,
    oversized_environment,
    refused_settings,
    refused_values,
    unknown_names,
)
from membrane_cli.options import Parser
from membrane_local.dev_options import TEMPLATE
from membrane_local.template import read_document

NEW: Parameters = {}
"""The deployed values of a stack that does not exist."""


def add_options(parser: Parser) -> None:
    parser.add_parameters("a parameter to deploy; parameters not given keep their values")
    parser.option("--stack", "the CloudFormation stack to deploy")
    parser.option("--template", "the SAM template to deploy", type=Path, default=TEMPLATE)
    parser.run_by(
        _check,
        """membrane check --parameter 'Tuning={"EpisodicHalfLifeSeconds": 86400}'""",
        "membrane check --stack membrane --parameter Embedder=bedrock",
    )


def _check(options: argparse.Namespace) -> int:
    """Print the findings; 0 without findings, else 1."""
    document, given = read_document(options.template), dict(options.parameter)
    if options.stack is None:
        found = findings(document, given)
    else:
        import boto3  # noqa: PLC0415 - a check without a stack needs no client

        from membrane_cli.stacks import stack_here  # noqa: PLC0415

        deployed = NEW
        try:
            deployed = stack_here(options.stack).parameters
        except NotFound:
            print(f"no stack {options.stack} exists here: checking the parameters of a new stack")
        found = findings(document, given, deployed, boto3.client)
    for each in found:
        print(each)
    if not found:
        print("every parameter can be deployed")
    return int(bool(found))


def findings(
    document: Document,
    given: Parameters,
    deployed: Parameters = NEW,
    clients: Clients | None = None,
) -> Sequence[Finding]:
    """Everything that is wrong with a deployment of the given parameters.

    A parameter that is not given keeps the deployed value, or gets the default. Without deployed
    values the stack is checked as a new one.
    """
    declared = document["Parameters"]
    defaults = {name: str(each.get("Default", "")) for name, each in declared.items()}
    kept = {name: value for name, value in deployed.items() if name in declared}
    known = {name: value for name, value in given.items() if name in declared}
    wanted = {**defaults, **kept, **known}
    refused = [
        *unknown_names(document, given),
        *refused_values(document, wanted),
        *broken_rules(document, wanted),
        *mismatched_stream(wanted),
    ]
    named = {each.parameter for each in refused}
    refused += [each for each in refused_settings(document, wanted) if each.parameter not in named]
    refused += oversized_environment(document, wanted)
    if "Tuning" not in {each.parameter for each in refused}:
        refused += dropped_tuning(deployed, wanted["Tuning"])
    if kept:
        refused += forbidden_changes(kept, wanted)
    elif not refused:
        refused += needless_former(wanted)
    if clients is not None and not refused:
        refused += missing_in_account(clients, wanted)
    return refused
