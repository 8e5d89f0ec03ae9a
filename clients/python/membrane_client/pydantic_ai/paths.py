"""Where the file of a path lies: `a/b/c.md` is the key `c.md` below the labels `a` and `b`.

A label has 128 characters at most, a segment of a path 200. The first label of a longer segment
ends in `+`, and the next label goes on.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

MAX_LABEL_CHARACTERS: Final = 128

_CONTINUED: Final = "+"
"""No segment has the character."""

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class Place(NamedTuple):
    """Where a document lies."""

    namespace: tuple[str, ...]
    key: str


def place_of(path: str, root: tuple[str, ...]) -> Place:
    """The place of a file; raises ValueError for a path that the harness refuses."""
    require_path(path)
    *folders, name = path.split("/")
    return Place((*root, *labels_of(folders)), name)


def path_of(namespace: Sequence[str], key: str, root: tuple[str, ...]) -> str:
    """The inverse of `place_of`."""
    return "/".join([*_segments(namespace[len(root) :]), key])


def labels_of(folders: Iterable[str]) -> list[str]:
    return [label for folder in folders for label in _labels(folder)]


def require_path(path: str) -> None:
    """Raises ValueError for a segment that is empty, `.`, has `..`, or an unusual character."""
    if not all(map(_is_segment, path.split("/"))):
        raise ValueError(f"invalid memory path: {path!r}")


def require_prefix(prefix: str) -> None:
    """Raises ValueError unless the prefix is empty, or a path that may end in a slash."""
    if prefix:
        require_path(prefix.removesuffix("/"))


def _is_segment(segment: str) -> bool:
    return bool(_SEGMENT.fullmatch(segment)) and segment != "." and ".." not in segment


def _labels(folder: str) -> list[str]:
    if len(folder) <= MAX_LABEL_CHARACTERS:
        return [folder]
    first = MAX_LABEL_CHARACTERS - len(_CONTINUED)
    return [folder[:first] + _CONTINUED, folder[first:]]


def _segments(labels: Iterable[str]) -> Iterator[str]:
    begun = ""
    for label in labels:
        if label.endswith(_CONTINUED):
            begun = label.removesuffix(_CONTINUED)
        else:
            yield begun + label
            begun = ""
