"""A function's refusals at start: the settings that result from the parameters."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from membrane.wiring.environment import PREFIX, SettingError
from membrane.wiring.settings import TABLE, read_settings
from membrane_cli.check.constraints import Document, references
from membrane_cli.check.findings import Finding, Parameters

MAX_ENVIRONMENT_BYTES = 4_096
"""Lambda's limit for a function's variables, names and values together."""

RESOURCE_BYTES = 100
"""The assumed length of a resource's name or address, which only a deployment knows."""

_VARIABLE = re.compile(rf"{PREFIX}[A-Z_]+")


def refused_settings(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for each parameter with a value that keeps a function from starting."""
    sources = _parameters_of_variables(document)
    values = {name: parameters.get(source, source) for name, source in sources.items()}
    usual = {
        name: str(document["Parameters"].get(source, {}).get("Default", source))
        for name, source in sources.items()
    }
    return [
        Finding(sources.get(variable, variable), _in_parameters(reason, sources))
        for section in TABLE
        for variable, reason in _refusals(section, values, usual)
    ]


def oversized_environment(document: Document, parameters: Parameters) -> list[Finding]:
    """A finding for the longest parameter where the variables exceed Lambda's limit."""
    sources = _parameters_of_variables(document)
    lengths = {name: len(name) + _length_of(source, parameters) for name, source in sources.items()}
    total = sum(lengths.values())
    if total <= MAX_ENVIRONMENT_BYTES:
        return []
    longest = max(lengths, key=lambda name: lengths[name])
    reason = (
        f"the functions' variables would have about {total} bytes together, and Lambda takes "
        f"{MAX_ENVIRONMENT_BYTES}; this value is the longest"
    )
    return [Finding(sources[longest], reason)]


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
            if tried.get(variable) == usual.get(variable):
                return  # even the default is refused: nothing more can be read
            tried[variable] = usual[variable]
        else:
            return


def _parameters_of_variables(document: Document) -> dict[str, str]:
    """The parameter or the resource behind each variable; a plain text stands for itself."""
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    own = [
        resource["Properties"].get("Environment", {}).get("Variables", {})
        for resource in document["Resources"].values()
        if resource["Type"] == "AWS::Serverless::Function"
    ]
    return {
        name: source
        for variables in (shared, *own)
        for name, value in variables.items()
        for source in islice((value,) if isinstance(value, str) else references(value), 1)
    }


def _length_of(source: str, parameters: Parameters) -> int:
    value = parameters.get(source)
    return RESOURCE_BYTES if value is None else len(value.encode())


def _in_parameters(reason: str, sources: Mapping[str, str]) -> str:
    """The reason with the names of parameters in the place of variables."""
    return _VARIABLE.sub(lambda found: sources.get(found[0], found[0]), reason)
