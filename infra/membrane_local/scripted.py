"""The word for a model of the local stack that follows a script."""

from collections.abc import Mapping

from membrane.wiring.environment import PREFIX

SCRIPTED = "scripted"
"""The value of a parameter for a model that only the local stack knows, see LOCAL_VALUES."""

MODELS = ("CHAT_MODEL", "INTERPRETER")
"""The settings that name a model."""


def is_scripted(environment: Mapping[str, str], setting: str) -> bool:
    """Whether the setting names a script in place of a model."""
    return environment.get(f"{PREFIX}{setting}") == SCRIPTED


def without_scripts(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment for the settings of AWS, where a script counts as no model."""
    scripted = {f"{PREFIX}{each}" for each in MODELS if is_scripted(environment, each)}
    return {name: value for name, value in environment.items() if name not in scripted}
