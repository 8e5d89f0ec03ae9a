"""The conditions of SearchVectors: equality, or IN, on attributes of an index's search schema."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r"[#:]?[\w.\[\]-]+|<>|<=|>=|\S")


class ConditionError(Exception):
    """The expression is refused, with DynamoDB's message."""

    def __init__(self, reason: str, expression: str = "SearchConditionExpression") -> None:
        super().__init__(f"Invalid {expression}: {reason}")


@dataclass(frozen=True, slots=True)
class Condition:
    """An attribute and the allowed values, as named in the expression."""

    name: str
    """An attribute's name, or a placeholder `#name`."""
    values: tuple[str, ...]
    """Placeholders `:value`; a single placeholder for an equality."""


def conditions_of(expression: str) -> list[Condition]:
    """The conditions, joined by AND; raises ConditionError."""
    tokens = _TOKEN.findall(expression)
    if not tokens:
        raise ConditionError("The expression can not be empty;")
    parsed = _Parser(tokens)
    found = list(parsed.conjunction())
    if parsed.tokens:
        raise _not_by_equality()
    return found


@dataclass(slots=True)
class _Parser:
    tokens: list[str] = field(default_factory=list)
    """The rest of the expression."""

    def conjunction(self) -> Iterator[Condition]:
        """Conditions joined by AND."""
        yield from self._part()
        while self.tokens and self.tokens[0].upper() == "AND":
            self._next()
            yield from self._part()

    def _part(self) -> Iterator[Condition]:
        first = self._next()
        if first == "(":
            yield from self.conjunction()
            self._require(")")
            return
        match self._next().upper():
            case "=":
                name, value = sorted((first, self._next()), key=_is_value)
                yield _condition(name, value)
            case "IN":
                self._require("(")
                yield _condition(first, *self._values())
            case _:
                raise _not_by_equality()

    def _values(self) -> Iterator[str]:
        yield self._next()
        while (following := self._next()) != ")":
            if following != ",":
                raise _not_by_equality()
            yield self._next()

    def _require(self, token: str) -> None:
        if self._next() != token:
            raise _not_by_equality()

    def _next(self) -> str:
        if not self.tokens:
            raise ConditionError("Expected operand, got end of expression")
        return self.tokens.pop(0)


def _condition(name: str, *values: str) -> Condition:
    if _is_value(name) or not all(map(_is_value, values)):
        raise _not_by_equality()
    return Condition(name, values)


def _is_value(token: str) -> bool:
    return token.startswith(":")


def _not_by_equality() -> ConditionError:
    return ConditionError("Invalid comparator used in SearchConditionExpression")
