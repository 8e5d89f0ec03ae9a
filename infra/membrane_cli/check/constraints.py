"""Refusals of parameters: by CloudFormation before a deployment, and by a function at start."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from membrane.wiring.environment import SettingError
from membrane.wiring.settings import TABLE, TUNING, read_settings
from membrane_local.template import reason_against, suggestion

Parameters = Mapping[str, str]
"""Values of the template's parameters, by name."""
Document = Mapping[str, Any]
"""The template, with short forms spelt out."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A parameter that cannot be deployed with the given value, and the reason."""

    parameter: str
    reason: str

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"


def unknown_names(document: Document, given: Parameters) -> list[Finding]:
    """A finding for every parameter that the template lacks."""
    declared = document["Parameters"]
    return [
        Finding(name, f"the template has no such parameter{suggestion(name, declared)}")
        for name in sorted(given.keys() - declared.keys())
    ]


def refused_values(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for every value that the template's declaration of the parameter forbids."""
    return [
        Finding(name, reason)
        for name, declared in document["Parameters"].items()
        if (reason := reason_against(parameters[name], declared))
    ]


def broken_rules(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for every assertion of the template's rules that does not hold."""
    return [
        Finding(next(references(assertion["Assert"]), "Rules"), assertion["AssertDescription"])
        for rule in document.get("Rules", {}).values()
        if _holds(rule.get("RuleCondition", True), parameters)
        for assertion in rule["Assertions"]
        if not _holds(assertion["Assert"], parameters)
    ]


def mismatched_stream(parameters: Parameters) -> list[Finding]:
    """A finding for a stream of another table than TableName; CloudFormation cannot compare."""
    table, stream = parameters["TableName"], parameters["TableStreamArn"]
    if not (table and stream) or f":table/{table}/stream/" in stream:
        return []
    return [Finding("TableStreamArn", f"is not a stream of the table {table}")]


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
RESOURCE_BYTES = 100
"""The assumed length of a resource's name or address, which only a deployment knows."""


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
    """The tuning without the setting that the reason begins with; as it is without such a key."""
    try:
        given = json.loads(tuning)
        del given[reason.partition(" ")[0].removesuffix(":")]
    except (ValueError, KeyError, TypeError):
        return tuning
    return json.dumps(given)


def oversized_environment(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for the longest parameter of a function whose variables exceed Lambda's limit."""
    for sources in _variables_of_functions(document):
        lengths = dict.fromkeys(sources, RESOURCE_BYTES)
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
    """Of each function the parameter or resource behind each variable, or a variable's text."""
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    for resource in document["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            own = resource["Properties"].get("Environment", {}).get("Variables", {})
            sources = {
                name: value if isinstance(value, str) else next(references(value), None)
                for name, value in {**shared, **own}.items()
            }
            yield {name: each for name, each in sources.items() if each is not None}
