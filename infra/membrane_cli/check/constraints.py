"""CloudFormation's refusals before a deployment begins: unknown names, bad values, broken rules."""

from collections.abc import Iterator, Mapping
from typing import Any

from membrane_cli.check.findings import Finding, Parameters
from membrane_local.template import reason_against, suggestion

Document = Mapping[str, Any]
"""The template, with short forms spelt out."""


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
        Finding(_first_parameter(assertion["Assert"]), assertion["AssertDescription"])
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


def _first_parameter(assertion: Any) -> str:
    """The first parameter named in an assertion."""
    return next(references(assertion), "Rules")


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
