"""DynamoDB's expressions: conditions, updates and projections, read once and run on any item."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from membrane_local.memory.attributes import Item, invalid, legal_values
from membrane_local.memory.operators import DocumentPath, apply, project
from membrane_local.memory.parser import Change, Comparison, Condition, Parser

MAX_BYTES = 4_096
_TOKEN = re.compile(r"[#:]?\w+|<>|<=|>=|\S", re.ASCII)


class Expressions:
    """The expressions of a request with their placeholders."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.request = request
        self.values = legal_values(request.get("ExpressionAttributeValues") or {})
        self.used: set[str] = set()
        self.attributes: dict[str, set[str]] = {}

    def condition(self, parameter: str) -> Callable[[Item], bool] | None:
        """The test of an item; None without the parameter."""
        holds: Condition | None = self._read(parameter, Parser.condition)
        return None if holds is None else lambda item: holds(item, self.values)

    def comparisons(self, parameter: str) -> Sequence[Comparison]:
        return self._read(parameter, Parser.comparisons) or ()

    def projection(self) -> Callable[[Item], Item]:
        paths = self._paths()
        return lambda item: item if paths is None else project(item, paths)

    def projected_names(self) -> set[str] | None:
        """The attributes that the projection begins with; None for all."""
        paths = self._paths()
        return None if paths is None else {str(path[0]) for path in paths}

    def _paths(self) -> Sequence[DocumentPath] | None:
        found: Sequence[DocumentPath] | None = self._read("ProjectionExpression", Parser.paths)
        return found

    def changes(self) -> Sequence[Change]:
        return self._read("UpdateExpression", Parser.changes) or ()

    def update(self, item: Item, changes: Sequence[Change]) -> Item:
        """The item after the actions, which all see the item before them; raises Refused."""
        after = {
            change.path[0]: deepcopy(item[str(change.path[0])])
            for change in changes
            if len(change.path) > 1 and change.path[0] in item
        }
        found: Item = {**item, **after}
        for change in sorted(changes, key=_place_in_list):
            operand = None if change.operand is None else change.operand(item, self.values)
            apply(change.clause, change.path, operand, found)
        return found

    def require_used(self) -> None:
        """Raises Refused for placeholders that no expression uses."""
        for kind in ("Names", "Values"):
            parameter = f"ExpressionAttribute{kind}"
            given = self.request.get(parameter) or {}
            if given and not any(name.endswith("Expression") for name in self.request):
                raise invalid(f"{parameter} can only be specified when using expressions")
            if unused := sorted(given.keys() - self.used):
                raise invalid(
                    f"Value provided in {parameter} unused in expressions: "
                    f"keys: {{{', '.join(unused)}}}"
                )

    def _read(self, parameter: str, rule: Callable[["Parser"], Any]) -> Any:
        text = self.request.get(parameter)
        if text is None:
            return None
        names = self.request.get("ExpressionAttributeNames") or {}
        meaning, parser = _read(parameter, text, rule, tuple(names.items()))
        self.used |= parser.used
        self.attributes[parameter] = parser.attributes
        values = {name for name in parser.used if name.startswith(":")}
        for name in sorted(values - self.values.keys()):
            raise invalid(
                f"Invalid {parameter}: An expression attribute value used in expression is not "
                f"defined; attribute value: {name}"
            )
        return meaning


@lru_cache(maxsize=4_096)
def _read(
    parameter: str, text: str, rule: Callable[["Parser"], Any], names: tuple[tuple[str, str], ...]
) -> tuple[Any, Parser]:
    """The meaning of the expression, and the parser, which knows what the expression uses."""
    if not text.strip():
        raise invalid(f"Invalid {parameter}: The expression can not be empty;")
    if len(text.encode()) > MAX_BYTES:
        raise invalid(f"Invalid {parameter}: Expression size has exceeded the maximum allowed size")
    parser = Parser(parameter, _TOKEN.findall(text), dict(names))
    meaning = rule(parser)
    if parser.position < len(parser.tokens):
        raise parser.refusal()
    return meaning, parser


def _place_in_list(change: Change) -> tuple[bool, int]:
    """Orders changes so that every position in a list is a position before the update."""
    *_, last = change.path
    position = last if isinstance(last, int) else 0
    return (True, -position) if change.clause == "REMOVE" else (False, position)
