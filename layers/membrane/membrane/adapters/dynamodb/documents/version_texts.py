"""The versions of an item as one text: a line of JSON with the entries, then the values' texts.

A value's JSON text is in no JSON string, which would escape every quotation mark.
"""

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.documents.document_keys import VERSIONS
from membrane.domain.documents.model import DocumentAction, Entry, Text, Version
from membrane.domain.documents.places import life_of, owner_of_values
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.table.items import (
    WRITE_UNIT_BYTES,
    CorruptItem,
    Item,
    Value,
    binary,
    parse_text,
    read_binary,
    read_text,
    size_of,
    text,
)

_LETTERS = {
    DocumentAction.PUT: "p",
    DocumentAction.DELETE: "d",
    DocumentAction.ERASE: "e",
}
_ACTIONS = {letter: action for action, letter in _LETTERS.items()}


def with_text(item: Mapping[str, Value], name: str, content: str) -> dict[str, Value]:
    """The item with a text as attribute, compressed if compression saves a write unit."""
    plain = {**item, name: text(content)}
    squeezed = {**item, name: binary(zlib.compress(content.encode()))}
    return squeezed if _units(squeezed) < _units(plain) else plain


def text_in(item: Item, name: str) -> str:
    """The inverse of `with_text`; raises CorruptItem."""
    if "B" not in item.get(name, {}):
        return read_text(item, name)
    try:
        return zlib.decompress(read_binary(item, name)).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise CorruptItem(item, f"{name} cannot be decompressed") from error


def versions_text(versions: Sequence[Version]) -> str:
    """The inverse of `versions_in`; `versions` are consecutive, oldest first."""
    previous = ""
    entries = []
    for version in versions:
        entries.append(_as_json(version, previous))
        previous = version.entry.hash
    texts = [each.text for each in versions if isinstance(each.text, str)]
    return "".join((compact_json(entries), "\n", *texts))


def versions_in(item: Item, place_id: str) -> tuple[Version, ...]:
    """The versions of an item, oldest first, at least one; raises CorruptItem."""
    header, _, texts = text_in(item, VERSIONS).partition("\n")
    entries = parse_text(item, VERSIONS, header, list)
    reading = _Reading(place_id, texts)
    try:
        versions = tuple(reading.version(*each) for each in entries)
    except (TypeError, ValueError, KeyError, binascii.Error) as error:
        raise CorruptItem(item, f"{VERSIONS} has an entry of an unknown form") from error
    if not versions or reading.position != len(texts):
        raise CorruptItem(item, f"the texts of {VERSIONS} do not fit the entries")
    return versions


class _Reading:
    """Reads version after version; the texts follow each other without a separator."""

    def __init__(self, place_id: str, texts: str) -> None:
        self._place_id = place_id
        self._texts = texts
        self._previous = ""
        self.position = 0

    def version(  # noqa: PLR0917 - the order in the item
        self,
        number: int,
        letter: str,
        at: str,
        principal: str,
        previous: str | None,
        own: str,
        text_hash: str,
        salt: str,
        rationale: str,
        value: Any,
    ) -> Version:
        before = self._previous if previous is None else _hex(previous)
        entry = Entry(
            int(number),
            _ACTIONS[letter],
            at,
            principal,
            before,
            _hex(own),
            _hex(text_hash),
            _hex(salt),
            rationale,
        )
        self._previous = entry.hash
        return Version(entry, self._text(value))

    def _text(self, value: Any) -> Text:
        match value:
            case None:
                return None
            case int():
                start = self.position
                self.position += value
                return self._texts[start : self.position]
            case [str(sha256), int(size), *life]:
                return LargeValue(owner_of_values(self._place_id, *life), _hex(sha256), size)
            case _:
                raise ValueError("a value of an unknown form")


def _as_json(version: Version, previous: str) -> list[Any]:
    entry = version.entry
    return [
        entry.version,
        _LETTERS[entry.action],
        entry.at,
        entry.principal,
        None if entry.previous_hash == previous else _short(entry.previous_hash),
        _short(entry.hash),
        _short(entry.text_hash),
        _short(entry.salt),
        entry.rationale,
        _value_json(version.text),
    ]


def _value_json(value: Text) -> Any:
    match value:
        case None:
            return None
        case LargeValue():
            life = life_of(value.record_id)
            return [_short(value.sha256), value.size, *([] if life == 1 else [life])]
        case _:
            return len(value)


def _short(hexadecimal: str) -> str:
    """Hexadecimal text as base64: a third shorter."""
    return b64encode(bytes.fromhex(hexadecimal)).decode()


def _hex(short: str) -> str:
    return b64decode(short, validate=True).hex()


def _units(item: Mapping[str, Value]) -> int:
    return -(-size_of(item) // WRITE_UNIT_BYTES)
