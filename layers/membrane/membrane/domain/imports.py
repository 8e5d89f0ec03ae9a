"""Files of imports: lines of NDJSON, the order of the lines, and the names that a file knows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any

from pydantic import ValidationError

from membrane.domain.language.errors import DomainError
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import LONE_SURROGATE
from membrane.domain.language.vocabulary import MemoryType

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without the line end, which may be CRLF."""

    number: int
    """From 1; blank lines count."""
    end: int
    """The offset of the next line in the whole text, in bytes."""
    content: bytes | None
    """None for a line longer than the limit; nothing of the line is kept."""

    @property
    def is_blank(self) -> bool:
        return self.content is not None and not self.content.strip()


def lines_of(
    pieces: Iterable[bytes], longest: int, *, number: int = 0, start: int = 0
) -> Iterator[Line]:
    """The lines of a text behind the first `number` lines, which end at the byte `start`.

    Holds a piece and a line of at most `longest` bytes in memory.
    """
    held, length = bytearray(), 0
    for piece in pieces:
        *endings, rest = piece.split(b"\n")
        for ending in endings:
            length += len(ending)
            held += ending if length <= longest else b""
            number, start = number + 1, start + length + 1
            yield Line(number, start, _content(held, number) if length <= longest else None)
            held, length = bytearray(), 0
        length += len(rest)
        held += rest if length <= longest else b""
    if length:
        end = start + length
        yield Line(number + 1, end, _content(held, number + 1) if length <= longest else None)


def _content(held: bytearray, number: int) -> bytes:
    content = bytes(held).removesuffix(b"\r")
    return content.removeprefix(BYTE_ORDER_MARK) if number == 1 else content


_TARGET = "target_record_id"
_NAMING = ("id", _TARGET, "thread_id", "session", "ref")
"""Fields of a report, a record or a payload with the id of a record, a thread or an event."""
_LISTS = {"relations": "target_id", "timeline": "ref"}
"""Lists of a record or a payload, with the field of an element that names a record or event."""


def names_in(request: Mapping[str, Any]) -> Iterator[str]:
    """The names in an unvalidated request: records, the thread, an event or a fact."""
    record = _object(request.get("record"))
    for part in (request, record, _object(record.get("payload"))):
        yield from (name for name in _named_in(part) if isinstance(name, str) and name)


def target_of(request: Mapping[str, Any]) -> str | None:
    """The record that the request would change; None for a request that makes a new record."""
    target = request.get(_TARGET)
    return target if isinstance(target, str) else None


def in_waves(names: Iterable[frozenset[str]]) -> list[list[int]]:
    """The positions of steps in waves to run side by side; a shared name keeps the order."""
    waves: list[list[int]] = []
    newest: dict[str, int] = {}
    for position, own in enumerate(names):
        wave = max((newest[name] + 1 for name in own if name in newest), default=0)
        newest |= dict.fromkeys(own, wave)
        if wave == len(waves):
            waves.append([])
        waves[wave].append(position)
    return waves


def _named_in(part: Mapping[str, Any]) -> Iterator[Any]:
    yield from (part.get(field) for field in _NAMING)
    for listed, field in _LISTS.items():
        elements = part.get(listed)
        if isinstance(elements, list):
            yield from (_object(each).get(field) for each in elements)
    match part:
        case {"subject": str(subject), "predicate": str(predicate)}:
            yield f"{subject} {predicate}"
        case _:
            return


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def in_known_names(refusal: DomainError) -> str:
    """The sentence of a refusal, without names of fields that no model has.

    For readers who may learn why a request was refused, but not the content of the request.
    """
    if isinstance(refusal.__cause__, UnicodeEncodeError):
        return f"the request has {LONE_SURROGATE}"
    if not isinstance(refusal.__cause__, ValidationError):
        return str(refusal)
    finding = refusal.__cause__.errors(include_url=False, include_input=False)[0]
    known = list(takewhile(_is_known, finding["loc"]))
    if len(known) == len(finding["loc"]):
        return str(refusal)
    place = ".".join(map(str, known)) or "the request"
    what = (
        "an unknown field" if finding["type"] == "extra_forbidden" else "a value that is not valid"
    )
    return f"{place} has {what}"


def _is_known(step: str | int) -> bool:
    return isinstance(step, int) or step in _field_names() or step in set(MemoryType)


@cache
def _field_names(part: type[Part] = Part) -> frozenset[str]:
    own = (field.alias or name for name, field in part.model_fields.items())
    return frozenset(own).union(*map(_field_names, part.__subclasses__()))
