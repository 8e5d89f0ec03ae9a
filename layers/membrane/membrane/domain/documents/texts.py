"""The searchable texts of a value, at the paths of a document's index.

    $                     the whole value as one text
    profile.name          a field within a field
    tags[0]  tags[-1]     an element of a list, counted from the beginning or the end
    tags[*]               each element of a list
    *                     each field of an object, or each element of a list

The text of an object has the names of its fields: `name: Ann; tags: red, blue`.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from pydantic_core import PydanticCustomError

WHOLE = "$"
"""The path of the whole value."""

MAX_TEXTS_OF_PATH = 8
"""Texts at a path; further texts are not searchable."""

MAX_TEXTS = 8
"""Texts of a document, so that a put embeds at most 8 texts."""

MAX_TEXT_CHARACTERS = 8_192
"""Characters of a text: about as many as the encoder reads, 8 windows of 254 word pieces."""

_EVERY = "*"
_STEP = re.compile(r"(?:^|(?<=[\s\S])\.)([^.\[\]]+)|\[(\*|-?[0-9]{1,9})\]")

Step = str | int
"""The name of a field, the position of an element, or `*`."""


def require_path(path: str) -> str:
    """The path; raises PydanticCustomError if it is malformed."""
    if path != WHOLE and (path.startswith(WHOLE) or not _steps(path)):
        raise PydanticCustomError(
            "path", "must be $ or a path such as profile.name, tags[0], tags[*].name or *"
        )
    return path


def texts_of(value: Any, paths: Iterable[str]) -> tuple[str, ...]:
    """The distinct texts at the paths, the first MAX_TEXTS, each cut to MAX_TEXT_CHARACTERS."""
    found = chain.from_iterable(_texts_at(value, path) for path in paths)
    distinct: dict[str, None] = {}
    for text in found:
        distinct[text] = None
        if len(distinct) == MAX_TEXTS:
            break
    return tuple(distinct)


def _texts_at(value: Any, path: str) -> Iterator[str]:
    reached: Iterator[Any] = iter((value,))
    for step in () if path == WHOLE else _steps(path):
        reached = _take_step(reached, step)
    return islice(filter(None, map(_text, reached)), MAX_TEXTS_OF_PATH)


def _steps(path: str) -> tuple[Step, ...]:
    """The steps of a path; none for a malformed path."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return ()
        name, place = found.groups()
        steps.append(name or (_EVERY if place == _EVERY else int(place)))
        position = found.end()
    return tuple(steps)


def _take_step(values: Iterator[Any], step: Step) -> Iterator[Any]:
    for value in values:
        yield from _next_of(value, step)


def _next_of(value: Any, step: Step) -> Iterable[Any]:
    if isinstance(value, dict):
        if step == _EVERY:
            return value.values()
        return (value[step],) if step in value else ()
    if isinstance(value, list):
        if step == _EVERY:
            return value
        if isinstance(step, int) and -len(value) <= step < len(value):
            return (value[step],)
    return ()


def _text(value: Any) -> str:
    """The text of a value; the walk ends with the characters that are kept."""
    pieces: list[str] = []
    room = MAX_TEXT_CHARACTERS
    for piece in _pieces(value):
        pieces.append(piece[:room])
        room -= len(piece)
        if room <= 0:
            break
    return "".join(pieces).strip()


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case None:
            return
        case str():
            yield value
        case bool():
            yield str(value).lower()
        case dict():
            for number, (name, each) in enumerate(value.items()):
                yield f"; {name}: " if number else f"{name}: "
                yield from _pieces(each)
        case list():
            for number, element in enumerate(value):
                yield from chain((", ",) if number else (), _pieces(element))
        case _:
            yield str(value)
