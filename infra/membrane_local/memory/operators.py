"""What DynamoDB's expressions do with values: tests, sums, and changes at document paths."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import pairwise
from operator import ge, gt, le, lt
from typing import Any

from membrane_local.memory.attributes import (
    ELEMENTS,
    EXACT,
    TYPES,
    Item,
    Refused,
    Value,
    bytes_of,
    invalid,
    is_equal,
    kind_of,
    number,
    number_text,
    sortable,
)

DocumentPath = tuple[str | int, ...]
"""An attribute's name, then names in maps and positions in lists."""


def at(item: Mapping[str, Value], path: DocumentPath) -> Value | None:
    """The value at the path; None where nothing is there."""
    found = item.get(str(path[0]))
    for step in path[1:]:
        if found is None:
            return None
        if isinstance(step, int):
            elements = found.get("L", ())
            found = elements[step] if step < len(elements) else None
        else:
            found = found.get("M", {}).get(step)
    return found


def is_same(one: Value | None, other: Value | None) -> bool:
    return one is not None and other is not None and is_equal(one, other)


def is_ordered(order: Callable[[Any, Any], bool], one: Value | None, other: Value | None) -> bool:
    if one is None or other is None or kind_of(one) != kind_of(other):
        return False
    return kind_of(one) in ("S", "N", "B") and order(sortable(one), sortable(other))


def is_of_type(value: Value | None, wanted: Value | None) -> bool:
    if wanted is None or kind_of(wanted) != "S" or wanted["S"] not in TYPES:
        raise invalid("Invalid expression: attribute_type takes the name of a type")
    return value is not None and kind_of(value) == wanted["S"]


def begins(value: Value | None, beginning: Value | None) -> bool:
    if beginning is not None and kind_of(beginning) not in ("S", "B"):
        raise invalid(
            "Invalid ConditionExpression: Incorrect operand type for operator or function; "
            f"operator or function: begins_with, operand type: {kind_of(beginning)}"
        )
    if value is None or beginning is None or kind_of(value) != kind_of(beginning):
        return False
    return bool(sortable(value).startswith(sortable(beginning)))


def contains(value: Value | None, element: Value | None) -> bool:
    if value is None or element is None:
        return False
    ((kind, content),) = value.items()
    of, wanted = kind_of(element), element[kind_of(element)]
    match kind:
        case "S" | "B":
            return of == kind and sortable(element) in sortable(value)
        case "L":
            return any(is_equal(each, element) for each in content)
        case "SS" | "NS" | "BS":
            return ELEMENTS[kind] == of and wanted in content
        case _:
            return False


def size(value: Value | None) -> Value | None:
    if value is None:
        return None
    ((kind, content),) = value.items()
    if kind in ("N", "BOOL", "NULL"):
        return None
    return {"N": str(len(bytes_of(content)) if kind == "B" else len(content))}


TESTS: Mapping[str, Callable[..., bool]] = {
    "=": is_same,
    "<>": lambda one, other: not is_same(one, other),
    "<": partial(is_ordered, lt),
    "<=": partial(is_ordered, le),
    ">": partial(is_ordered, gt),
    ">=": partial(is_ordered, ge),
    "BETWEEN": lambda value, low, high: is_ordered(le, low, value) and is_ordered(le, value, high),
    "IN": lambda value, *others: any(is_same(value, each) for each in others),
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
    "attribute_type": is_of_type,
    "begins_with": begins,
    "contains": contains,
}
"""The tests of conditions by operator or function; an absent attribute is None."""


def require(value: Value | None) -> Value:
    if value is None:
        raise invalid(
            "The provided expression refers to an attribute that does not exist in the item"
        )
    return value


def _wrong_type() -> Refused:
    return invalid("An operand in the update expression has an incorrect data type")


def number_of(value: Value | None) -> Any:
    if value is None or "N" not in value:
        raise _wrong_type()
    return number(value["N"])


def append(one: Value | None, other: Value | None) -> Value:
    if one is None or other is None or "L" not in one or "L" not in other:
        raise _wrong_type()
    return {"L": [*one["L"], *other["L"]]}


def apply(clause: str, path: DocumentPath, operand: Value | None, item: Item) -> None:
    """Carry out one action of an update on the item; raises Refused."""
    *parents, last = path
    holder: Any = item
    if parents:
        found = at(item, tuple(parents))
        holder = None if found is None else found.get("L" if isinstance(last, int) else "M")
    if holder is None:
        raise invalid("The document path provided in the update expression is invalid for update")
    old = at(item, path)
    new = operand if clause == "SET" else _combine(clause, old, operand)
    if new is None:
        if old is not None:
            del holder[last]
    elif isinstance(last, int) and last >= len(holder):
        holder.append(deepcopy(new))
    else:
        holder[last] = deepcopy(new)


def _combine(clause: str, old: Value | None, operand: Value | None) -> Value | None:
    """What ADD, DELETE or REMOVE leave of the old value; None for nothing."""
    if clause == "REMOVE" or operand is None:
        return None
    ((kind, content),) = operand.items()
    if kind not in ELEMENTS and (clause == "DELETE" or kind != "N"):
        raise invalid(
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            f"operator: {clause}, operand type: {kind}"
        )
    if old is None:
        return None if clause == "DELETE" else operand
    if kind not in old:
        raise _wrong_type()
    if kind == "N":
        return {"N": number_text(EXACT.add(number_of(old), number_of(operand)))}
    if clause == "ADD":
        return {kind: [*old[kind], *(each for each in content if each not in old[kind])]}
    left = [each for each in old[kind] if each not in content]
    return {kind: left} if left else None


def project(item: Item, paths: Sequence[DocumentPath]) -> Item:
    """The parts of the item at the paths, each in its map or list."""
    found: Item = {}
    for path in paths:
        value = at(item, path)
        if value is not None:
            _place(found, path, value)
    return found


def _place(found: Item, path: DocumentPath, value: Value) -> None:
    holder: Any = found
    for step, following in pairwise(path):
        inner = "L" if isinstance(following, int) else "M"
        empty: Any = [] if inner == "L" else {}
        if isinstance(step, int):
            holder.append({inner: empty})
            holder = empty
        else:
            holder = holder.setdefault(step, {inner: empty})[inner]
    if isinstance(path[-1], int):
        holder.append(value)
    else:
        holder[path[-1]] = value
