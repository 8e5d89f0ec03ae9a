"""`membrane check`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from membrane_cli.check.account import Account, account_here, missing_in_account
from membrane_cli.check.constraints import (
    Document,
    broken_rules,
    mismatched_stream,
    refused_values,
    unknown_names,
)
from membrane_cli.check.findings import Finding, Parameters
from membrane_cli.check.settings import oversized_environment, refused_settings
from membrane_cli.check.stack import (
    deployed_parameters,
    dropped_tuning,
    forbidden_changes,
    needless_former,
)
from membrane_cli.options import Parser, add_parameters
from membrane_local.dev_options import TEMPLATE
from membrane_local.template import read_document


def add_options(parser: Parser) -> None:
    add_parameters(parser, "a parameter to deploy; parameters not given keep their values")
    parser.add_argument("--stack", help="the CloudFormation stack to deploy")
    parser.add_argument(
        "--template", type=Path, default=TEMPLATE, help="the SAM template to deploy"
    )
    parser.show(
        """membrane check --parameter 'Tuning={"EpisodicHalfLifeSeconds": 86400}'""",
        "membrane check --stack membrane --parameter Embedder=bedrock",
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    """Print the findings; 0 without findings, else 1."""
    document = read_document(options.template)
    given = dict(options.parameter)
    if options.stack is None:
        found = findings(document, given)
    else:
        import boto3  # noqa: PLC0415 - a check without a stack needs no client

        deployed = deployed_parameters(options.stack, boto3.client("cloudformation"))
        if deployed is None:
            print(f"no stack {options.stack} exists here: checking the parameters of a new stack")
        found = findings(document, given, deployed or {}, account_here())
    for each in found:
        print(each)
    if not found:
        print("every parameter can be deployed")
    return int(bool(found))


def findings(
    document: Document,
    given: Parameters,
    deployed: Parameters | None = None,
    account: Account | None = None,
) -> Sequence[Finding]:
    """Everything that is wrong with a deployment of the given parameters.

    A parameter that is not given keeps the deployed value, or gets the default. Without deployed
    values the stack is checked as a new one.
    """
    declared = document["Parameters"]
    defaults = {name: str(each.get("Default", "")) for name, each in declared.items()}
    kept = {name: value for name, value in (deployed or {}).items() if name in declared}
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
        refused += dropped_tuning(deployed or {}, wanted["Tuning"])
    if kept:
        refused += forbidden_changes(kept, wanted)
    elif not refused:
        refused += needless_former(wanted)
    if account is not None and not refused:
        refused += missing_in_account(account, wanted)
    return refused
