"""`membrane check`: refusals of CloudFormation, and of a function at start."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from membrane.domain.language.errors import NotFound
from membrane.wiring.environment import SettingError
from membrane.wiring.settings import TABLE, TUNING, read_settings
from membrane_cli.check import account
from membrane_cli.check.account import Finding, Parameters
from membrane_cli.options import Parser
from membrane_local.dev_options import TEMPLATE
from membrane_local.template import read_document, reason_against, suggestion

Document = Mapping[str, Any]
"""The template, with short forms spelt out."""
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
    clients: account.Clients | None = None,
) -> Sequence[Finding]:
    """All findings about a deployment of the given parameters.

    A parameter without a given value keeps the deployed value, or gets the default. Without
    deployed values the stack is checked as a new stack.
    """
    declared = document["Parameters"]
    defaults = {name: str(each.get("Default", "")) for name, each in declared.items()}
    kept = {name: value for name, value in deployed.items() if name in declared}
    known = {name: value for name, value in given.items() if name in declared}
    wanted = {**defaults, **kept, **known}
    refused = [*refused_values(document, given, wanted)]
    named = {each.parameter for each in refused}
    refused += [each for each in refused_settings(document, wanted) if each.parameter not in named]
    refused += oversized_environment(document, wanted)
    if "Tuning" not in {each.parameter for each in refused}:
        refused += account.dropped_tuning(deployed, wanted["Tuning"])
    if kept:
        refused += account.forbidden_changes(kept, wanted)
    elif not refused:
        refused += account.needless_former(wanted)
    if clients is not None and not refused:
        refused += account.missing_in_account(clients, wanted)
    return refused


def refused_values(document: Document, given: Parameters, wanted: Parameters) -> Iterator[Finding]:
    """CloudFormation's findings: unknown names, forbidden values, and rules that do not hold.

    A stream of another table than TableName is found here; CloudFormation cannot compare.
    """
    declared = document["Parameters"]
    for name in sorted(given.keys() - declared.keys()):
        yield Finding(name, f"the template has no such parameter{suggestion(name, declared)}")
    for name, declaration in declared.items():
        if reason := reason_against(wanted[name], declaration):
            yield Finding(name, reason)
    for rule in document.get("Rules", {}).values():
        if _holds(rule.get("RuleCondition", True), wanted):
            for each in rule["Assertions"]:
                if not _holds(each["Assert"], wanted):
                    first = next(references(each["Assert"]), "Rules")
                    yield Finding(first, each["AssertDescription"])
    table, stream = wanted["TableName"], wanted["TableStreamArn"]
    if table and stream and f":table/{table}/stream/" not in stream:
        yield Finding("TableStreamArn", f"is not a stream of the table {table}")


def _holds(condition: Any, parameters: Parameters) -> bool:
    match condition:
        case {"Fn::Not": [inner]}:
            return not _holds(inner, parameters)
        case {"Fn::Equals": [left, right]}:
            return _value(left, parameters) == _value(right, parameters)
        case {"Fn::Contains": [words, word]}:
            return _value(word, parameters) in words
        case bool():
            return condition
        case _:
            raise ValueError(f"membrane check cannot work out the rule {condition}")


def _value(node: Any, parameters: Parameters) -> str:
    return parameters[node["Ref"]] if isinstance(node, dict) else str(node)


def references(node: Any) -> Iterator[str]:
    """The parameters and resources that a value of the template refers to, in order."""
    if isinstance(node, dict):
        if "Ref" in node:
            yield node["Ref"]
        for each in node.values():
            yield from references(each)
    elif isinstance(node, list):
        for each in node:
            yield from references(each)


MAX_ENVIRONMENT_BYTES = 4_096
"""Lambda's limit for a function's variables, names and values together."""


def refused_settings(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for each parameter with a value that keeps a function from starting."""
    sources: dict[str, str] = {}
    for variables in _variables_of_functions(document):
        sources |= variables
    values = {name: parameters.get(source, source) for name, source in sources.items()}
    declared = document["Parameters"]
    usual = {
        name: str(declared.get(source, {}).get("Default", source))
        for name, source in sources.items()
    }
    refusals = [each for section in TABLE for each in _refusals(section, values, usual)]
    return [
        Finding(sources.get(variable, variable), reason)
        for variable, reason in dict.fromkeys(refusals)
    ]


def _refusals(
    section: str, values: Mapping[str, str], usual: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Every refused variable, with the reason.

    The reading of a section stops at the first refused variable. That variable gets the default
    value, and the section is read again to find the next.
    """
    tried = dict(values)
    while True:
        try:
            read_settings(section, tried)
        except SettingError as error:
            variable, _, reason = str(error).partition(": ")
            yield variable, reason
            before = tried.get(variable)
            tried[variable] = usual[variable]
            if variable == TUNING:
                tried[variable] = _without_refused(before or "", reason)
            if tried[variable] == before:
                return  # even the default is refused: nothing more can be read
        else:
            return


def _without_refused(tuning: str, reason: str) -> str:
    """The tuning without the refused setting, the first word of the reason."""
    try:
        given = json.loads(tuning)
        del given[reason.partition(" ")[0].removesuffix(":")]
    except (ValueError, KeyError, TypeError):
        return tuning
    return json.dumps(given)


def oversized_environment(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for the longest parameter of a function whose variables exceed Lambda's limit."""
    for sources in _variables_of_functions(document):
        lengths = dict.fromkeys(sources, 100)  # only a deployment knows names of resources
        for name, source in sources.items():
            if source in parameters:
                lengths[name] = len(parameters[source].encode())
            lengths[name] += len(name)
        total, longest = sum(lengths.values()), max(lengths, key=lambda name: lengths[name])
        if total > MAX_ENVIRONMENT_BYTES:
            reason = (
                f"a function's variables would have about {total} bytes together, and Lambda takes "
                f"{MAX_ENVIRONMENT_BYTES}; this value is the longest"
            )
            return [Finding(sources[longest], reason)]
    return []


def _variables_of_functions(document: Document) -> Iterator[dict[str, str]]:
    """The variables of every function: the name of a parameter or resource, or a text."""
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    for resource in document["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            own = resource["Properties"].get("Environment", {}).get("Variables", {})
            sources = {
                name: value if isinstance(value, str) else next(references(value), None)
                for name, value in {**shared, **own}.items()
            }
            yield {name: each for name, each in sources.items() if each is not None}
