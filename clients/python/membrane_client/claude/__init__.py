"""Claude's memory tool over keyed documents: the files under `/memories`, with versions and rights.

Needs the package `anthropic`: `pip install membrane-serverless-client[claude]`.
"""

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types import beta

from membrane_client.claude import commands
from membrane_client.claude.files import Files
from membrane_client.client import AsyncMembrane, Membrane
from membrane_client.core.adapters import require_client
from membrane_client.core.protocol import Steps, require_scope
from membrane_client.errors import BadRequest, InvalidCall, PayloadTooLarge

C = TypeVar("C", Membrane, AsyncMembrane)
R = TypeVar("R", str, Coroutine[Any, Any, str])

_TEXT = "a string"
_LINE = "an integer"
_RANGE = "a list of two integers, the first and the last line"

_FIELDS: Mapping[str, Mapping[str, str]] = {
    "view": {"path": _TEXT, "view_range": _RANGE},
    "create": {"path": _TEXT, "file_text": _TEXT},
    "str_replace": {"path": _TEXT, "old_str": _TEXT, "new_str": _TEXT},
    "insert": {"path": _TEXT, "insert_line": _LINE, "insert_text": _TEXT},
    "delete": {"path": _TEXT},
    "rename": {"old_path": _TEXT, "new_path": _TEXT},
}
"""The fields of each command; the package anthropic passes on what Claude sends, unchecked."""


class _MemoryTool(Generic[C, R]):
    """The commands of both tools: the answer, or the coroutine of the answer."""

    _client_class: ClassVar[type]

    def __init__(
        self,
        client: C,
        *,
        namespace: Sequence[str] = ("memories",),
        scope: str | None = None,
        sensitivity: str | None = None,
        index: bool = False,
        ttl_seconds: float | None = None,
        erase: bool = False,
        cache_control: beta.BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        require_client(client, self._client_class)
        super().__init__(cache_control=cache_control)  # type: ignore[call-arg]  # of anthropic's tool
        if isinstance(namespace, str) or not namespace:
            raise InvalidCall(
                f"namespace is {namespace!r}: expected a sequence of 1 or more labels"
            )
        require_scope(scope)
        self._client: Any = client
        properties = {"index": index, "sensitivity": sensitivity, "ttl_seconds": ttl_seconds}
        self._files = Files(
            client._api,  # noqa: SLF001 - of the same package
            tuple(namespace),
            {} if scope is None else {"scope": scope},
            {name: value for name, value in properties.items() if value is not None},
            erase,
        )

    def execute(self, command: beta.BetaMemoryTool20250818Command) -> R:
        """Do the command; ToolError for a field that is missing or of another type."""
        _require_fields(command)
        answer: R = getattr(self, command.command)(command)
        return answer

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> R:
        """The lines of a file with numbers, or the files of a directory with sizes."""
        return self._run(commands.view(self._files, command.path, command.view_range))

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> R:
        """Make a file; ToolError for an existing path, and for a file that is too large."""
        return self._run(commands.create(self._files, command.path, command.file_text))

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> R:
        """Replace the only occurrence of a text; never overwrites a parallel edit."""
        path, old, new = command.path, command.old_str, command.new_str
        return self._run(commands.str_replace(self._files, path, old, new))

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> R:
        """Insert a text behind a line; never overwrites a parallel edit."""
        path, line, text = command.path, command.insert_line, command.insert_text
        return self._run(commands.insert(self._files, path, line, text))

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> R:
        """Delete a file, or a directory with all files; ToolError for other programs' documents."""
        return self._run(commands.delete(self._files, command.path))

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> R:
        """Move a file or a directory: copy all files, then delete all at the old path."""
        return self._run(commands.rename(self._files, command.old_path, command.new_path))

    def clear_all_memory(self) -> R:
        """Delete every file."""
        return self._run(commands.clear(self._files))

    def _run(self, command: Steps[str]) -> R:
        answer: R = self._client._run(_for_claude(command))  # noqa: SLF001 - the same
        return answer


class MembraneMemoryTool(_MemoryTool[Membrane, str], BetaAbstractMemoryTool):
    """Claude's memory tool `memory_20250818`, for synchronous code.

    `/memories/notes/tea.md` is the document `tea.md` in the namespace `memories, notes`, with the
    value `{"text": ...}`. `namespace` is that of /memories. Without `scope`, files are in the scope
    or the user of the client. `index` makes texts searchable; `ttl_seconds` is the time from the
    last write of a file until the file expires; `sensitivity` is that of new files. With `erase`,
    a deletion removes former versions for good, and needs admin. Errors for Claude are
    `anthropic.lib.tools.ToolError`; all others are MembraneError. Raises TypeError for a client
    other than `Membrane`, and InvalidCall for a namespace that is a text or empty.
    """

    _client_class = Membrane


class AsyncMembraneMemoryTool(
    _MemoryTool[AsyncMembrane, Coroutine[Any, Any, str]], BetaAsyncAbstractMemoryTool
):
    """`MembraneMemoryTool` for asynchronous code, with an `AsyncMembrane`."""

    _client_class = AsyncMembrane


def _for_claude(command: Steps[str]) -> Steps[str]:
    """Turn refusals for Claude to mend, as of a name beyond the limits, into ToolError."""
    try:
        return (yield from command)
    except (BadRequest, InvalidCall, PayloadTooLarge) as error:
        raise ToolError(f"The memory refuses this: {error}") from error


def _require_fields(command: object) -> None:
    """Raises ToolError for an unknown command, and for a field that is None or of another type."""
    name = getattr(command, "command", None)
    if not isinstance(name, str) or name not in _FIELDS:
        raise ToolError(f"Unknown `command`: {name!r}. It should be one of {', '.join(_FIELDS)}.")
    for field, kind in _FIELDS[name].items():
        value = getattr(command, field, None)
        if _kind_of(value) != kind:
            fault = "Missing" if value is None else "Invalid"
            raise ToolError(f"{fault} `{field}` parameter of {name}. It should be {kind}.")


def _kind_of(value: object) -> str | None:
    match value:
        case str():
            return _TEXT
        case int():
            return _LINE
        case None | [int(), int()]:
            return _RANGE
        case _:
            return None
