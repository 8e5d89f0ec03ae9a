"""The paths of memory files."""

from collections.abc import Sequence
from itertools import accumulate
from posixpath import normpath
from typing import NamedTuple

from anthropic.lib.tools import ToolError

from membrane_client.core.adapters import MAX_LABELS

ROOT = "/memories"

MAX_LABEL_BYTES = 128


class MemoryPath(NamedTuple):
    """A path of a command."""

    given: str
    """As in the command, for the answer."""
    names: tuple[str, ...]
    """The directories and the file below /memories; empty for /memories itself."""

    @property
    def directories_above(self) -> Sequence["MemoryPath"]:
        """The directories between /memories and the path, the outermost first."""
        above = accumulate(((name,) for name in self.names[:-1]), tuple.__add__)
        return [path_of(names) for names in above]

    def is_within(self, other: "MemoryPath") -> bool:
        return self.names[: len(other.names)] == other.names


def path_of(names: Sequence[str]) -> MemoryPath:
    return MemoryPath("/".join((ROOT, *names)), tuple(names))


def parse_path(path: str) -> MemoryPath:
    """The path without `.`, `..` and doubled or final slashes.

    Raises ToolError for a path outside of /memories.
    """
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    normal = normpath(path)
    if normal != ROOT and not normal.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    return MemoryPath(path, tuple(normal.split("/")[2:]))


def is_namespace(labels: Sequence[str]) -> bool:
    """Whether the service may have documents in and below a namespace of these labels."""
    sizes = [len(each.encode(errors="surrogatepass")) for each in labels]
    return len(sizes) <= MAX_LABELS and max(sizes) <= MAX_LABEL_BYTES
