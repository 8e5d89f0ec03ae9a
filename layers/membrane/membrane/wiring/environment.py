"""Environment variables, and parsers for the values."""

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeVar

from membrane.domain.language.errors import InvalidArgument

PREFIX = "MEMBRANE_"
MAX_SHARDS = 1_024

Setting = TypeVar("Setting")
Word = TypeVar("Word", bound=StrEnum)


class SettingError(Exception):
    """An unusable setting; the message names the variable and the permitted values."""


class Reader(NamedTuple):
    """Reads variables of an environment by name, without the prefix."""

    environment: Mapping[str, str]

    def read(self, name: str, default: object, parse: Callable[[str], Setting]) -> Setting:
        """A variable, parsed; the ValueError of `parse` names the permitted values.

        Without the variable, the default is parsed as text.
        """
        variable = PREFIX + name
        try:
            return parse(self.environment.get(variable) or str(default))
        except (ValueError, InvalidArgument) as error:
            raise SettingError(f"{variable}: {error}") from error


def present(value: str) -> str:
    if not value:
        raise ValueError("must be set")
    return value


def word(words: type[Word]) -> Callable[[str], Word]:
    def parse(value: str) -> Word:
        try:
            return words(value)
        except ValueError:
            raise ValueError(f"must be one of: {', '.join(words)}") from None

    return parse


def switch(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("must be one of: true, false")
    return value == "true"


def whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not (value.isascii() and value.isdigit() and low <= int(value) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(value)

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        try:
            parsed = float(value)
        except ValueError:
            parsed = math.nan
        if not low <= parsed <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}")
        return parsed

    return parse


shards = whole(1, MAX_SHARDS)
"""The number of partitions of an index."""
