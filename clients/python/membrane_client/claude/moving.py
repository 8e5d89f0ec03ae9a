"""Moving files to a new path without the loss of a file by any fault."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import NamedTuple

from anthropic.lib.tools import ToolError

from membrane_client.claude.files import (
    HIDDEN,
    MAX_RATIONALE_CHARACTERS,
    NO_DOCUMENT,
    TEXT,
    Files,
    MemoryPath,
    is_namespace,
    path_of,
    require_done_or_edited,
    text_of,
)
from membrane_client.core.adapters import refusal_of
from membrane_client.core.protocol import Steps
from membrane_client.errors import APIError, Conflict
from membrane_client.value import JsonObject
from membrane_client.values.documents import DocumentResult, ShownDocument

ATTEMPTS = 16
"""How often a file is copied again after a parallel edit."""


class _Original(NamedTuple):
    """A file to move."""

    path: MemoryPath
    target: MemoryPath
    version: int
    put: JsonObject
    """The operation that makes the copy."""


def move(files: Files, old: MemoryPath, new: MemoryPath) -> Steps[int]:
    """The number of moved files.

    All files are copied before the first file is deleted at the old path. A lost connection, or a
    5xx of the service, may leave files at both paths, and never leaves a file at neither path.
    Before raising a refusal, takes the copies back. Raises ToolError for a file at the new path,
    and for a file with too many parallel edits.
    """
    why = f"renamed {old.given} to {new.given}"[:MAX_RATIONALE_CHARACTERS]
    found = yield from files.all_at(old)
    moved = 0
    for _ in range(ATTEMPTS):
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
    target = path_of((*new.names, *path.names[len(old.names) :]))
    if not is_namespace((*files.namespace, *target.names[:-1])):
        raise ToolError(f"The path {target.given} has too many or too long directories.")
    put = files.operation(
        "put",
        target,
        value={TEXT: text_of(document, path)},
        expected_version=NO_DOCUMENT,
        rationale=why,
        **{**files.properties, "sensitivity": document.sensitivity},
    )
    return _Original(path, target, document.version, put)


def _copy(
    files: Files, originals: Sequence[_Original], new: MemoryPath, why: str
) -> Steps[Mapping[MemoryPath, int]]:
    """The versions of the copies by path; before any refusal, all copies are taken back."""
    results: list[DocumentResult] = []
    try:
        yield from files.perform([each.put for each in originals], results)
    except APIError:
        yield from _take_back(files, _versions(originals, results), why)
        raise
    copies = _versions(originals, results)
    for original, refusal in zip(originals, map(refusal_of, results), strict=True):
        if refusal is not None:
            yield from _take_back(files, copies, why)
            is_taken = isinstance(refusal, Conflict) and (
                refusal.code == HIDDEN or (yield from files.look(original.target)) is not None
            )
            raise ToolError(f"The destination {new.given} already exists") if is_taken else refusal
    return copies


def _versions(
    originals: Sequence[_Original], results: Sequence[DocumentResult]
) -> Mapping[MemoryPath, int]:
    """The versions of the copies that were made, by path."""
    made = zip(originals, results, strict=False)
    return {each.target: done.version for each, done in made if done.version is not None}


def _delete(
    files: Files, originals: Sequence[_Original], copies: Mapping[MemoryPath, int], why: str
) -> Steps[Sequence[_Original]]:
    """The files with edits since the copying; the copies of such files are taken back.

    Before any refusal, the copies of files that are still at the old path are taken back; after a
    5xx, a deletion without result may be under way, and the copy stays. A batch that is refused now
    may have had an effect in an attempt whose reply was lost: the files themselves tell.
    """
    results: list[DocumentResult] = []
    refused: APIError | None = None
    try:
        yield from files.perform(
            [files.deletion(each.path, each.version, why, erase=files.erase) for each in originals],
            results,
        )
    except APIError as error:
        refused = error
    kept = [each for each, done in zip(originals, results, strict=False) if done.error]
    if refused is not None and refused.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        rest = originals[len(results) :]
        found = yield from files.look_at_each([each.path for each in rest])
        there = {files.path_to(each) for each in found}
        kept += [each for each in rest if each.path in there]
    yield from _take_back(files, {each.target: copies[each.target] for each in kept}, why)
    if refused is not None:
        raise refused
    require_done_or_edited(results)
    return kept


def _take_back(files: Files, copies: Mapping[MemoryPath, int], why: str) -> Steps[None]:
    """Delete the copies, except for a copy with an edit since the copying."""
    deletions = [files.deletion(path, version, why) for path, version in copies.items()]
    results = yield from files.perform(deletions)
    require_done_or_edited(results)
    if files.erase:
        gone = [path for path, done in zip(copies, results, strict=True) if not done.error]
        erasures = [files.deletion(path, NO_DOCUMENT, why, erase=True) for path in gone]
        require_done_or_edited((yield from files.perform(erasures)))
