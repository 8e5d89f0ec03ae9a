"""The files of agents as documents: where a file lies, and the value of the document.

`a/b/c.md` is the key `c.md` below the labels `a` and `b`. A label has 128 characters at most, a
segment of a path 200: the first label of a longer segment ends in `+`, and the next label goes on.
The value is {"content": ..., "operation": {"id": ..., "fingerprint": ...}, "metadata": {...}}.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic_ai_harness.memory import MemoryOperation

from membrane_client.core.adapters import MAX_LABELS, Place

MAX_LABEL_CHARACTERS = 128
_CONTINUED = "+"  # No segment has the character
_SEGMENT = re.compile(r"(?!\.$)(?!.*\.\.)[A-Za-z0-9_.-]{1,200}")


def place_of(path: str, root: tuple[str, ...]) -> Place:
    """Raises ValueError for a path that the harness refuses, and for too many folders."""
    _require_segments(path)
    *folders, name = path.split("/")
    return Place(_namespace_of(folders, root, path), name)


def folder_of(prefix: str, root: tuple[str, ...]) -> tuple[str, ...]:
    """The namespace of all files whose paths begin with the prefix, as "", "a", or "a/"."""
    if prefix:
        _require_segments(prefix.removesuffix("/"))
    return _namespace_of(prefix.split("/")[:-1], root, prefix)


def path_of(namespace: Sequence[str], key: str, root: tuple[str, ...]) -> str | None:
    """The inverse of `place_of`; None for the place of no path."""
    labels = "/".join((*namespace[len(root) :], key))
    path = labels.replace(f"{_CONTINUED}/", "")
    try:
        is_found_again = place_of(path, root) == Place(tuple(namespace), key)
    except ValueError:
        return None
    return path if is_found_again else None


def _require_segments(path: str) -> None:
    if not all(map(_SEGMENT.fullmatch, path.split("/"))):
        raise ValueError(f"invalid memory path: {path!r}")


def _namespace_of(folders: Iterable[str], root: tuple[str, ...], path: str) -> tuple[str, ...]:
    namespace = (*root, *(label for folder in folders for label in _labels(folder)))
    if len(namespace) > MAX_LABELS:
        raise ValueError(
            f"invalid memory path: {path!r} has {len(namespace) - len(root)} folders, "
            f"expected at most {MAX_LABELS - len(root)}"
        )
    return namespace


def _labels(folder: str) -> list[str]:
    if len(folder) <= MAX_LABEL_CHARACTERS:
        return [folder]
    first = MAX_LABEL_CHARACTERS - len(_CONTINUED)
    return [folder[:first] + _CONTINUED, folder[first:]]


def is_file(value: Any) -> bool:
    match value:
        case {"content": str(), **others}:
            parts = (others.get(name, {}) for name in ("operation", "metadata"))
            return all(isinstance(part, dict) for part in parts)
        case _:
            return False


def content_of(value: Any) -> str:
    """Raises TypeError for the document of a different program."""
    if not is_file(value):
        raise TypeError("the document is no file")
    return str(value["content"])


def identity_of(operation: MemoryOperation) -> dict[str, str]:
    return {"id": operation.id, "fingerprint": operation.fingerprint}
