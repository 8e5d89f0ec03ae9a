"""The commands of the memory tool."""

import random
from collections.abc import Callable
from typing import NamedTuple

from anthropic.lib.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from membrane_client.claude.moving import Move
from membrane_client.claude.paths import MemoryPath, parse_path, path_of
from membrane_client.claude.store import HIDDEN, NO_DOCUMENT, MemoryStore, is_text, size_of, text_of
from membrane_client.claude.texts import (
    Edit,
    insert_behind,
    replace_once,
    show_directory,
    show_file,
)
from membrane_client.core.protocol import Pause, Steps
from membrane_client.errors import BadRequest, Conflict, InvalidCall, PayloadTooLarge
from membrane_client.values.documents import ShownDocument

ATTEMPTS = 24
"""How often an edit or a deletion is tried against parallel edits of the file."""

FIRST_PAUSE_S = 0.02
MAX_PAUSE_S = 0.5
"""Bounds of the random pause after a lost attempt; the upper bound doubles each time."""

LOST_RACE = "ABORTED"


class MemoryCommands(NamedTuple):
    """The commands as steps, which return the answer for Claude or raise ToolError."""

    store: MemoryStore

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> Steps[str]:
        path = parse_path(command.path)
        document = yield from self.store.look(path)
        if document is not None:
            return show_file(path.given, text_of(document, path), command.view_range)
        within = yield from self.store.all_within(path)
        if path.names and not within:
            raise _absent(path)
        depth = len(path.names)
        files = [(self.store.path_to(each).names[depth:], size_of(each)) for each in within]
        return show_directory(path.given, files)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Steps[str]:
        path = parse_path(command.path)
        if (yield from self.store.is_directory(path)):
            raise ToolError(f"File {path.given} already exists")
        yield from self._require_directories_above(path)
        try:
            yield from self.store.put(path, command.file_text, expected_version=NO_DOCUMENT)
        except Conflict as error:
            if error.code != HIDDEN and (yield from self.store.look(path)) is None:
                raise
            raise ToolError(f"File {path.given} already exists") from error
        return f"File created successfully at: {path.given}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Steps[str]:
        path, old, new = parse_path(command.path), command.old_str, command.new_str
        return (yield from self._edit(path, lambda text: replace_once(path.given, text, old, new)))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Steps[str]:
        path, line, text = parse_path(command.path), command.insert_line, command.insert_text
        return (
            yield from self._edit(
                path, lambda before: insert_behind(path.given, before, line, text)
            )
        )

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Steps[str]:
        path = parse_path(command.path)
        if not path.names:
            raise ToolError("Cannot delete the /memories directory itself")
        if not (yield from self._delete_all(path)):
            raise ToolError(f"The path {path.given} does not exist")
        return f"Successfully deleted {path.given}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Steps[str]:
        old, new = parse_path(command.old_path), parse_path(command.new_path)
        if not old.names:
            raise ToolError("Cannot rename the /memories directory itself")
        if (yield from self.store.is_directory(new)) or (yield from self.store.look(new)):
            raise ToolError(f"The destination {new.given} already exists")
        yield from self._require_directories_above(new)
        if new.is_within(old):
            raise ToolError(f"Cannot move {old.given} into itself")
        if not (yield from Move(self.store, old, new).run()):
            raise ToolError(f"The path {old.given} does not exist")
        return f"Successfully renamed {old.given} to {new.given}"

    def clear(self) -> Steps[str]:
        yield from self._delete_all(path_of(()))
        return "All memory cleared"

    def _edit(self, path: MemoryPath, change: Callable[[str], Edit]) -> Steps[str]:
        """Change the file as of a version; start over after a parallel edit of the file."""
        document = yield from self._require_file(path)
        for lost in range(ATTEMPTS):
            edit = change(text_of(document, path))
            try:
                yield from self.store.put(path, edit.text, expected_version=document.version)
            except Conflict as error:
                yield Pause(random.uniform(0.0, min(MAX_PAUSE_S, FIRST_PAUSE_S * 2**lost)))
                latest = yield from self._require_file(path)
                if latest.version == document.version and error.code != LOST_RACE:
                    raise
                document = latest
            else:
                return edit.answer
        raise ToolError(
            f"No edit was made: other writers keep changing {path.given}. "
            "Please view the file and try again."
        )

    def _delete_all(self, path: MemoryPath) -> Steps[int]:
        """The number of files at the path or within the directory, which all are deleted.

        Raises ToolError for a document that another program made, before any deletion.
        """
        left = found = yield from self.store.all_at(path)
        for _ in range(ATTEMPTS):
            for each in left:
                text_of(each, self.store.path_to(each))
            left = yield from self.store.delete(left, f"deleted {path.given}")
            if not left:
                return len(found)
        raise ToolError(f"Other writers keep changing {path.given}. Please try again.")

    def _require_file(self, path: MemoryPath) -> Steps[ShownDocument]:
        document = yield from self.store.look(path)
        if document is not None and is_text(document):
            return document
        if document is not None or (yield from self.store.is_directory(path)):
            raise ToolError(f"The path {path.given} is not a file.")
        raise _absent(path)

    def _require_directories_above(self, path: MemoryPath) -> Steps[None]:
        for each in (yield from self.store.files_above(path)):
            raise ToolError(f"The path {each.given} is not a directory.")


def for_claude(command: Steps[str]) -> Steps[str]:
    """Turn refusals for Claude to mend, as of a name beyond the limits, into ToolError."""
    try:
        return (yield from command)
    except (BadRequest, InvalidCall, PayloadTooLarge) as error:
        raise ToolError(f"The memory refuses this: {error}") from error


def _absent(path: MemoryPath) -> ToolError:
    return ToolError(f"The path {path.given} does not exist. Please provide a valid path.")
