"""Documents: answers whose long parts are cut to a budget, and read on from path and offset.

Everything in a document but `Long`, `Value`, `ByName` and lists stays whole. A cut part ends in a
mark with the number of left-out characters or elements and the offset at which they begin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import count_in
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, up_to_tokens

Document = Mapping[str, Any]

MARKED = "…"
"""The beginning of every mark, and the key of the mark in a map."""

_MARK_CHARACTERS = 40
"""No text is cut by fewer characters than a mark has."""

_CHARACTERS_PER_TOKEN = 8
"""White space has no tokens by the estimate; a text of white space is long all the same."""


class Long(str):
    """A text that may be cut."""

    __slots__ = ()


class Value(NamedTuple):
    """A JSON value, or a LargeValue; a cut value is shown as the beginning of a text.

    The text of a JSON string is the string, the text of any other value is the JSON.
    """

    value: Any


class ByName(dict[str, Any]):
    """A map by name, of which the last entries may be left out."""


class Level(NamedTuple):
    """How much of the long parts is shown."""

    characters: int
    elements: int


LEVELS = (
    Level(8_000, 500),
    Level(4_000, 200),
    Level(2_000, 100),
    Level(1_000, 50),
    Level(600, 30),
    Level(400, 20),
    Level(250, 12),
    Level(150, 8),
    Level(100, 5),
    Level(60, 3),
    Level(30, 2),
    Level(10, 1),
    Level(0, 0),
)

_PAGE_LEVEL = 5
"""The index of the level at which the parts of a page begin."""


@dataclass(slots=True)
class Cutter:
    """Shows parts of documents as JSON, cut to a level."""

    level: Level
    has_cut: bool = False

    def show(self, part: Any) -> Any:
        match part:
            case Value():
                return self._value(part.value)
            case Long():
                return self._text(part)
            case ByName():
                return self._entries(part)
            case dict():
                return {name: self.show(each) for name, each in part.items()}
            case list():
                return self._elements(part)
            case _:
                return part

    def _text(self, text: str) -> str:
        shown = self.level.characters
        if len(text) <= shown + _MARK_CHARACTERS:
            return str(text)
        return f"{text[:shown]}{self._mark(len(text) - shown, shown)}"

    def _value(self, value: Any) -> Any:
        match value:
            case LargeValue():
                return self._mark(value.size, 0, "bytes ")
            case str():
                return self._text(value)
            case _:
                text = compact_json(value)
                cut = self._text(text)
                return value if cut == text else cut

    def _elements(self, elements: Sequence[Any]) -> list[Any]:
        most = self.level.elements
        shown = [self.show(each) for each in elements[:most]]
        left = len(elements) - most
        return [*shown, self._mark(left, most)] if left > 0 else shown

    def _entries(self, entries: Mapping[str, Any]) -> JsonObject:
        most = self.level.elements
        shown = {name: self.show(entries[name]) for name in list(entries)[:most]}
        left = len(entries) - most
        return {**shown, MARKED: self._mark(left, most)} if left > 0 else shown

    def _mark(self, left: int, offset: int, unit: str = "") -> str:
        self.has_cut = True
        return f"{MARKED} {left} {unit}more from offset {offset}"


def cost_of(value: Any) -> int:
    """The tokens of the value as JSON, by an estimate; white space counts, too."""
    text = compact_json(value)
    at_least = len(text) // _CHARACTERS_PER_TOKEN
    return at_least if at_least > MAX_TEXT_TOKENS else max(at_least, tokens_in(text))


def cut_to_fit(document: Document, hint: str) -> JsonObject:
    """The document as JSON within `MAX_TEXT_TOKENS`; a cut document has the hint as `cut`."""
    shown: JsonObject = {}
    for level in LEVELS:
        cutter = Cutter(level)
        shown = cutter.show({**document})
        if cutter.has_cut:
            shown["cut"] = hint
        if cost_of(shown) <= MAX_TEXT_TOKENS:
            break
    return shown


class Filled(NamedTuple):
    """Parts that fit a room."""

    shown: list[Any]
    cost: int
    has_cut: bool


def fill(parts: Sequence[Any], room: int, *, is_begun: bool = False) -> Filled:
    """The first parts that take at most `room` tokens together.

    Long parts are cut to a middle level. The first part is cut further until the part fits, but not
    on a page that `is_begun`.
    """
    filled = Filled([], 0, has_cut=False)
    for part in parts:
        is_further = is_begun or bool(filled.shown)
        levels = LEVELS[_PAGE_LEVEL : _PAGE_LEVEL + 1] if is_further else LEVELS[_PAGE_LEVEL:]
        for level in levels:
            cutter = Cutter(level)
            shown = cutter.show(part)
            cost = filled.cost + cost_of(shown) + 1
            if cost <= room:
                break
        else:
            return filled
        filled = Filled([*filled.shown, shown], cost, filled.has_cut or cutter.has_cut)
    return filled


def part_at(document: Document, path: str) -> Any:
    """The part at a JSON pointer (RFC 6901); InvalidArgument for none, or inside a `Value`."""
    part: Any = document
    for step in path.removeprefix("/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        index = count_in(name)
        if isinstance(part, dict) and name in part:
            part = part[name]
        elif type(part) is list and index is not None and index < len(part):
            part = part[index]
        else:
            raise InvalidArgument("path leads nowhere: begin with / and name keys and positions")
    return part


class Rest(NamedTuple):
    """A part of a document from an offset on, as much as fits."""

    shown: Any
    total: int
    """Characters of the text, or elements of the list or map."""
    next_offset: int | None
    has_cut: bool = False


def rest_of(part: Any, offset: int, room: int) -> Rest:
    """The part from the character or element `offset` on, within `room` tokens."""
    match part:
        case Long():
            return _rest_of_text(part, offset, room)
        case Value():
            value = part.value
            text = value if isinstance(value, str) else compact_json(value)
            return _rest_of_text(text, offset, room)
        case dict():
            named = [{name: each} for name, each in part.items()]
            filled = fill(named[offset:], room)
            entries = {name: each for one in filled.shown for name, each in one.items()}
            return _rest(entries, len(named), offset, filled)
        case list():
            filled = fill(part[offset:], room)
            return _rest(filled.shown, len(part), offset, filled)
        case _:
            return Rest(part, 1, None)


def _rest(shown: Any, total: int, offset: int, filled: Filled) -> Rest:
    end = offset + len(filled.shown)
    return Rest(shown, total, end if end < total else None, filled.has_cut)


def _rest_of_text(text: str, offset: int, room: int) -> Rest:
    shown = up_to_tokens(text[offset : offset + room * _CHARACTERS_PER_TOKEN], room)
    end = offset + len(shown)
    return Rest(shown, len(text), end if end < len(text) else None)
