"""Parameters of the template: the defaults, and CloudFormation's checks of values."""

import re
from collections.abc import Mapping
from typing import Any

from membrane.domain.language.violations import nearest
from membrane_local.refusals import OptionRefused

Declarations = Mapping[str, Mapping[str, Any]]


LOCAL_VALUES: Mapping[str, str] = {
    "ChatUrl": "http://.{1,2000}",
    "Interpreter": "scripted",
    "InterpreterUrl": "http://.{1,2000}",
    "OidcIssuer": "http://.{1,500}",
}
"""Patterns of values that the local stack alone accepts, by parameter.

The settings of the function then refuse HTTP to any other machine.
"""


def parameter_values(declared: Declarations, chosen: Mapping[str, str]) -> Mapping[str, str]:
    """Every parameter's value as text; raises OptionRefused for an unknown name or a bad value."""
    for name, value in chosen.items():
        if name not in declared:
            raise parameter_refusal(
                name, f"the template has no such parameter{suggestion(name, declared)}"
            )
        reason = reason_against(value, declared[name])
        if reason is not None and not _is_local(name, value):
            raise parameter_refusal(name, reason)
    defaults = {name: str(each.get("Default", "")) for name, each in declared.items()}
    return {**defaults, **chosen}


def _is_local(name: str, value: str) -> bool:
    pattern = LOCAL_VALUES.get(name)
    return pattern is not None and re.fullmatch(pattern, value) is not None


def parameter_refusal(name: str, reason: object) -> OptionRefused:
    return OptionRefused(f"--parameter {name}", reason)


def suggestion(name: str, declared: Declarations) -> str:
    """The end of the refusal of an unknown name: the declared name that was probably meant."""
    meant = nearest(name, declared)
    return "" if meant is None else f"; did you mean {meant}?"


def reason_against(value: str, declaration: Mapping[str, Any]) -> str | None:
    """CloudFormation's objection to the value; None for an accepted value."""
    allowed = [str(each) for each in declaration.get("AllowedValues", ())]
    pattern = declaration.get("AllowedPattern")
    if allowed and value not in allowed:
        return f"must be one of: {', '.join(allowed)}"
    if pattern is not None and not re.fullmatch(pattern, value):
        return str(declaration.get("ConstraintDescription", f"must be of the form {pattern}"))
    if declaration.get("Type") == "Number":
        low, high = declaration.get("MinValue"), declaration.get("MaxValue")
        try:
            number = float(value)
        except ValueError:
            return "must be a number"
        if low is not None and not number >= low:
            return f"must be a number from {low}"
        if high is not None and not number <= high:
            return f"must be a number up to {high}"
        return None
    return None
