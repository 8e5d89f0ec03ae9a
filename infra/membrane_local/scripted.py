"""The word for a model of the local stack that follows a script."""

from collections.abc import Mapping

SCRIPTED = "scripted"
"""The value of a parameter for a model that only the local stack knows, see LOCAL_VALUES."""


def is_scripted(environment: Mapping[str, str], variable: str) -> bool:
    """Whether the variable names a script in place of a model."""
    return environment.get(variable) == SCRIPTED


def without_script(environment: Mapping[str, str], variable: str) -> Mapping[str, str]:
    """The environment for the settings of AWS, where a script counts as no model."""
    if not is_scripted(environment, variable):
        return environment
    return {name: value for name, value in environment.items() if name != variable}
