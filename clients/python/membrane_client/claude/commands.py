"""The commands of the memory tool: steps to the answer for Claude, or to a ToolError."""

import random
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import NamedTuple

from anthropic.lib.tools import ToolError

from membrane_client.claude import files as memory
from membrane_client.claude.files import Files, MemoryPath
from membrane_client.core.adapters import refusal_of
from membrane_client.core.protocol import Pause, Steps
from membrane_client.errors import Conflict, is_absent
from membrane_client.value import JsonObject
from membrane_client.values.documents import ShownDocument

ATTEMPTS = 24  # To edit or to delete a file against parallel edits
ATTEMPTS_TO_MOVE = 16  # To copy a file again after a parallel edit
FIRST_PAUSE_S, MAX_PAUSE_S = 0.02, 0.5
"""Bounds of the random pause after a lost attempt; the upper bound doubles each time."""


def view(files: Files, given: str, view_range: Sequence[int] | None) -> Steps[str]:
    path = memory.parse_path(given)
    document = yield from files.look(path)
    if document is not None:
        return memory.show_file(given, memory.text_of(document, path), view_range)
    within = yield from files.all_within(path)
    if path.names and not within:
        raise _absent(path)
    depth = len(path.names)
    sizes = [(files.path_to(each).names[depth:], memory.size_of(each)) for each in within]
    return memory.show_directory(given, sizes)


def create(files: Files, given: str, text: str) -> Steps[str]:
    path = memory.parse_path(given)
    if (yield from files.is_directory(path)):
        raise ToolError(f"File {given} already exists")
    yield from _require_directories_above(files, path)
    try:
        yield from files.put(path, text, expected_version=memory.NO_DOCUMENT)
    except Conflict as error:
        if error.code != memory.HIDDEN and (yield from files.look(path)) is None:
            raise
        raise ToolError(f"File {given} already exists") from error
    return f"File created successfully at: {given}"


def str_replace(files: Files, given: str, old: str, new: str) -> Steps[str]:
    return _edit(files, given, lambda text: memory.replace_once(given, text, old, new))


def insert(files: Files, given: str, line: int, insertion: str) -> Steps[str]:
    return _edit(files, given, lambda text: memory.insert_behind(given, text, line, insertion))


def delete(files: Files, given: str) -> Steps[str]:
    path = memory.parse_path(given)
    if not path.names:
        raise ToolError("Cannot delete the /memories directory itself")
    if not (yield from _delete_all(files, path)):
        raise ToolError(f"The path {given} does not exist")
    return f"Successfully deleted {given}"


def rename(files: Files, old_path: str, new_path: str) -> Steps[str]:
    old, new = memory.parse_path(old_path), memory.parse_path(new_path)
    if not old.names:
        raise ToolError("Cannot rename the /memories directory itself")
    if (yield from files.is_directory(new)) or (yield from files.look(new)):
        raise ToolError(f"The destination {new_path} already exists")
    yield from _require_directories_above(files, new)
    if new.names[: len(old.names)] == old.names:
        raise ToolError(f"Cannot move {old_path} into itself")
    if not (yield from _move(files, old, new)):
        raise ToolError(f"The path {old_path} does not exist")
    return f"Successfully renamed {old_path} to {new_path}"


def clear(files: Files) -> Steps[str]:
    yield from _delete_all(files, memory.path_of(()))
    return "All memory cleared"


def _edit(files: Files, given: str, change: Callable[[str], tuple[str, str]]) -> Steps[str]:
    """Change the file as of a version; start over after a parallel edit of the file."""
    path = memory.parse_path(given)
    document = yield from _require_file(files, path)
    for lost in range(ATTEMPTS):
        text, answer = change(memory.text_of(document, path))
        try:
            yield from files.put(path, text, expected_version=document.version)
        except Conflict as error:
            yield Pause(random.uniform(0.0, min(MAX_PAUSE_S, FIRST_PAUSE_S * 2**lost)))
            latest = yield from _require_file(files, path)
            if latest.version == document.version and error.code != "ABORTED":
                raise
            document = latest
        else:
            return answer
    raise ToolError(
        f"No edit was made: other writers keep changing {given}. "
        "Please view the file and try again."
    )


def _delete_all(files: Files, path: MemoryPath) -> Steps[int]:
    """The number of files deleted; before any, ToolError for another program's document."""
    why = f"deleted {path.given}"[: memory.MAX_RATIONALE_CHARACTERS]
    left = found = yield from files.all_at(path)
    for _ in range(ATTEMPTS):
        seen = [(files.path_to(each), each) for each in left]
        for each, document in seen:
            memory.text_of(document, each)
        deletions = [
            files.deletion(each, document.version, why, erase=files.erase)
            for each, document in seen
        ]
        results = yield from files.perform(deletions, check_first=True)
        memory.require_done_or_edited(results)
        edited = [each for (each, _), done in zip(seen, results, strict=True) if done.error]
        left = yield from files.look_at_each(edited)
        if not left:
            return len(found)
    raise ToolError(f"Other writers keep changing {path.given}. Please try again.")


def _require_file(files: Files, path: MemoryPath) -> Steps[ShownDocument]:
    document = yield from files.look(path)
    if document is not None and memory.is_text(document):
        return document
    if document is not None or (yield from files.is_directory(path)):
        raise ToolError(f"The path {path.given} is not a file.")
    raise _absent(path)


def _require_directories_above(files: Files, path: MemoryPath) -> Steps[None]:
    above = [memory.path_of(path.names[:depth]) for depth in range(1, len(path.names))]
    gets = [files.operation("get", each) for each in above]
    results = yield from files.perform(gets, check_first=True)
    for refusal in filter(None, map(refusal_of, results)):
        if not is_absent(refusal):
            raise refusal
    for each, found in zip(above, results, strict=True):
        if found.document:
            raise ToolError(f"The path {each.given} is not a directory.")


def _absent(path: MemoryPath) -> ToolError:
    return ToolError(f"The path {path.given} does not exist. Please provide a valid path.")


class _Original(NamedTuple):
    """A file to move, and the operation that makes the copy."""

    path: MemoryPath
    target: MemoryPath
    version: int
    put: JsonObject


def _move(files: Files, old: MemoryPath, new: MemoryPath) -> Steps[int]:
    """The number of moved files, which all are copied before the first deletion at the old path.

    A lost connection, or a 5xx of the service, may leave files at both paths, and never leaves a
    file at neither path. Before raising a refusal, takes the copies back.
    """
    why = f"renamed {old.given} to {new.given}"[: memory.MAX_RATIONALE_CHARACTERS]
    found = yield from files.all_at(old)
    moved = 0
    for _ in range(ATTEMPTS_TO_MOVE):
        originals = [_original(files, each, old, new, why) for each in found]
        copies = yield from _copy(files, originals, new, why)
        changed = yield from _delete(files, originals, copies, why)
        moved += len(originals) - len(changed)
        found = yield from files.look_at_each([each.path for each in changed])
        if not found:
            return moved
    raise ToolError(f"Other writers keep changing {old.given}. Please try again.")


def _original(
    files: Files, document: ShownDocument, old: MemoryPath, new: MemoryPath, why: str
) -> _Original:
    """Raises ToolError for a document without a text, and for a target beyond the limits."""
    path = files.path_to(document)
    target = memory.path_of((*new.names, *path.names[len(old.names) :]))
    if not memory.is_namespace((*files.namespace, *target.names[:-1])):
        raise ToolError(f"The path {target.given} has too many or too long directories.")
    put = files.operation(
        "put",
        target,
        value={memory.TEXT: memory.text_of(document, path)},
        expected_version=memory.NO_DOCUMENT,
        rationale=why,
        **{**files.properties, "sensitivity": document.sensitivity},
    )
    return _Original(path, target, document.version, put)


def _copy(
    files: Files, originals: Sequence[_Original], new: MemoryPath, why: str
) -> Steps[Mapping[MemoryPath, int]]:
    """The versions of the copies by path; before any refusal, all copies are taken back."""
    results, refused = yield from files.attempt([each.put for each in originals])
    done = [*zip(originals, results, strict=False)]
    copies = {each.target: result.version for each, result in done if result.version is not None}
    refusals = [(each.target, error) for each, result in done if (error := refusal_of(result))]
    if refused is None and not refusals:
        return copies
    yield from _take_back(files, copies, why)
    if refused is not None:
        raise refused
    target, refusal = refusals[0]
    if isinstance(refusal, Conflict) and (
        refusal.code == memory.HIDDEN or (yield from files.look(target)) is not None
    ):
        raise ToolError(f"The destination {new.given} already exists")
    raise refusal


def _delete(
    files: Files, originals: Sequence[_Original], copies: Mapping[MemoryPath, int], why: str
) -> Steps[Sequence[_Original]]:
    """The files with edits since the copying; the copies of such files are taken back.

    Before any refusal, the copies of files that are still at the old path are taken back; after a
    5xx, a deletion without result may be under way, and the copy stays. A batch that is refused now
    may have had an effect in an attempt whose reply was lost: the files themselves tell.
    """
    results, refused = yield from files.attempt(
        [files.deletion(each.path, each.version, why, erase=files.erase) for each in originals]
    )
    kept = [each for each, done in zip(originals, results, strict=False) if done.error]
    if refused is not None and refused.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        rest = originals[len(results) :]
        found = yield from files.look_at_each([each.path for each in rest])
        there = {files.path_to(each) for each in found}
        kept += [each for each in rest if each.path in there]
    yield from _take_back(files, {each.target: copies[each.target] for each in kept}, why)
    if refused is not None:
        raise refused
    memory.require_done_or_edited(results)
    return kept


def _take_back(files: Files, copies: Mapping[MemoryPath, int], why: str) -> Steps[None]:
    """Delete the copies, except for a copy with an edit since the copying."""
    deletions = [files.deletion(path, version, why) for path, version in copies.items()]
    results = yield from files.perform(deletions, check_first=False)
    memory.require_done_or_edited(results)
    if files.erase:
        gone = [path for path, done in zip(copies, results, strict=True) if not done.error]
        erasures = [files.deletion(path, memory.NO_DOCUMENT, why, erase=True) for path in gone]
        memory.require_done_or_edited((yield from files.perform(erasures, check_first=False)))
