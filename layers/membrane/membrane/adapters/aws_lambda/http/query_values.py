"""The values of query parameters, from their texts."""

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import count_in

_FLAGS = {"true": True, "false": False}


def flag(name: str, text: str) -> bool:
    """The value of a parameter that is true or false; raises InvalidArgument, which names it."""
    if text not in _FLAGS:
        raise InvalidArgument(f"{name} must be true or false")
    return _FLAGS[text]


def count(name: str, text: str) -> int:
    """The value of a parameter that is a whole number; raises InvalidArgument, which names it."""
    found = count_in(text)
    if found is None:
        raise InvalidArgument(f"{name} must be a whole number")
    return found
