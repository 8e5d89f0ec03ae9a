"""A function's refusals at start: the settings that result from the parameters."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from membrane.wiring.environment import SettingError
from membrane.wiring.settings import TABLE, TUNING, read_settings
from membrane_cli.check.constraints import Document, references
from membrane_cli.check.findings import Finding, Parameters

MAX_ENVIRONMENT_BYTES = 4_096
"""Lambda's limit for a function's variables, names and values together."""

RESOURCE_BYTES = 100
"""The assumed length of a resource's name or address, which only a deployment knows."""


def refused_settings(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for each parameter with a value that keeps a function from starting."""
    sources = _parameters_of_variables(document)
    values = {name: parameters.get(source, source) for name, source in sources.items()}
    usual = {
        name: str(document["Parameters"].get(source, {}).get("Default", source))
        for name, source in sources.items()
    }
    return [
        Finding(sources.get(variable, variable), reason)
        for variable, reason in dict.fromkeys(
            each for section in TABLE for each in _refusals(section, values, usual)
        )
    ]


def oversized_environment(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for the longest parameter of a function whose variables exceed Lambda's limit."""
    for own in _variables_of_functions(document):
        sources = _sources(own)
        lengths = {name: len(name) + _length_of(sources[name], parameters) for name in sources}
        total, longest = sum(lengths.values()), max(lengths, key=lambda name: lengths[name])
        if total > MAX_ENVIRONMENT_BYTES:
            reason = (
                f"a function's variables would have about {total} bytes together, and Lambda takes "
                f"{MAX_ENVIRONMENT_BYTES}; this value is the longest"
            )
            return [Finding(sources[longest], reason)]
    return []


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


def _parameters_of_variables(document: Document) -> dict[str, str]:
    """The parameter or the resource behind each variable; a plain text stands for itself."""
    return {
        name: source
        for variables in _variables_of_functions(document)
        for name, source in _sources(variables).items()
    }


def _variables_of_functions(document: Document) -> list[dict[str, Any]]:
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    return [
        {**shared, **resource["Properties"].get("Environment", {}).get("Variables", {})}
        for resource in document["Resources"].values()
        if resource["Type"] == "AWS::Serverless::Function"
    ]


def _sources(variables: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: source
        for name, value in variables.items()
        for source in islice((value,) if isinstance(value, str) else references(value), 1)
    }


def _length_of(source: str, parameters: Parameters) -> int:
    value = parameters.get(source)
    return RESOURCE_BYTES if value is None else len(value.encode())
