"""The memory tool for both clients."""

from collections.abc import Sequence

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    BetaFunctionToolResultType,
)
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818Command,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from membrane_client.claude.commands import MemoryCommands, for_claude
from membrane_client.claude.fields import require_fields
from membrane_client.claude.store import MemoryStore
from membrane_client.client import AsyncMembrane, Membrane
from membrane_client.core.adapters import require_client
from membrane_client.core.api import require_scope
from membrane_client.core.protocol import Steps
from membrane_client.errors import InvalidCall

NAMESPACE = ("memories",)


class MembraneMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool `memory_20250818`, for synchronous code.

    `/memories/notes/tea.md` is the document `tea.md` in the namespace `memories, notes`, with the
    value `{"text": ...}`. `namespace` is that of /memories. Without `scope`, files are in the scope
    or the user of the client. `index` makes texts searchable; `ttl_seconds` is the time from the
    last write of a file until the file expires; `sensitivity` is that of new files. With `erase`,
    a deletion removes former versions for good, and needs admin. Errors for Claude are
    `anthropic.lib.tools.ToolError`; all others are MembraneError. Raises TypeError for a client
    other than `Membrane`, and InvalidCall for a namespace that is a text or empty.
    """

    def __init__(
        self,
        client: Membrane,
        *,
        namespace: Sequence[str] = NAMESPACE,
        scope: str | None = None,
        sensitivity: str | None = None,
        index: bool = False,
        ttl_seconds: float | None = None,
        erase: bool = False,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        require_client(client, Membrane)
        super().__init__(cache_control=cache_control)
        self._client = client
        self._commands = _commands(
            client, namespace, scope, sensitivity, index=index, ttl_seconds=ttl_seconds, erase=erase
        )

    def execute(self, command: BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        """Do the command; ToolError for a field that is missing or of another type."""
        require_fields(command)
        return super().execute(command)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """The lines of a file with numbers, or the files of a directory with sizes."""
        return self._run(self._commands.view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file; ToolError for an existing path, and for a file that is too large."""
        return self._run(self._commands.create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace the only occurrence of a text; never overwrites a parallel edit."""
        return self._run(self._commands.str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text behind a line; never overwrites a parallel edit."""
        return self._run(self._commands.insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all files; ToolError for other programs' documents."""
        return self._run(self._commands.delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory: copy all files, then delete all at the old path."""
        return self._run(self._commands.rename(command))

    def clear_all_memory(self) -> str:
        """Delete every file."""
        return self._run(self._commands.clear())

    def _run(self, command: Steps[str]) -> str:
        return self._client._run(for_claude(command))  # noqa: SLF001 - of the same package


class AsyncMembraneMemoryTool(BetaAsyncAbstractMemoryTool):
    """Claude's memory tool for asynchronous code; all else is as in `MembraneMemoryTool`.

    Raises TypeError for a client other than `AsyncMembrane`.
    """

    def __init__(
        self,
        client: AsyncMembrane,
        *,
        namespace: Sequence[str] = NAMESPACE,
        scope: str | None = None,
        sensitivity: str | None = None,
        index: bool = False,
        ttl_seconds: float | None = None,
        erase: bool = False,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        require_client(client, AsyncMembrane)
        super().__init__(cache_control=cache_control)
        self._client = client
        self._commands = _commands(
            client, namespace, scope, sensitivity, index=index, ttl_seconds=ttl_seconds, erase=erase
        )

    async def execute(self, command: BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        require_fields(command)
        return await super().execute(command)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await self._run(self._commands.view(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await self._run(self._commands.create(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await self._run(self._commands.str_replace(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await self._run(self._commands.insert(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await self._run(self._commands.delete(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await self._run(self._commands.rename(command))

    async def clear_all_memory(self) -> str:
        return await self._run(self._commands.clear())

    async def _run(self, command: Steps[str]) -> str:
        return await self._client._run(for_claude(command))  # noqa: SLF001 - of the same package


def _commands(
    client: Membrane | AsyncMembrane,
    namespace: Sequence[str],
    scope: str | None,
    sensitivity: str | None,
    *,
    index: bool,
    ttl_seconds: float | None,
    erase: bool,
) -> MemoryCommands:
    if isinstance(namespace, str) or not namespace:
        raise InvalidCall(f"namespace is {namespace!r}: expected a sequence of 1 or more labels")
    require_scope(scope)
    properties = {"index": index, "sensitivity": sensitivity, "ttl_seconds": ttl_seconds}
    store = MemoryStore(
        client._api,  # noqa: SLF001 - of the same package
        tuple(namespace),
        {} if scope is None else {"scope": scope},
        {name: value for name, value in properties.items() if value is not None},
        erase,
    )
    return MemoryCommands(store)
