"""Moving files to a new path without the loss of a file by any fault."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import NamedTuple

from anthropic.lib.tools import ToolError

from membrane_client.claude.paths import MemoryPath, is_namespace, path_of
from membrane_client.claude.store import (
    HIDDEN,
    MAX_RATIONALE_CHARACTERS,
    NO_DOCUMENT,
    TEXT,
    MemoryStore,
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


class Original(NamedTuple):
    """A file to move."""

    path: MemoryPath
    target: MemoryPath
    text: str
    version: int
    sensitivity: str


class Move(NamedTuple):
    """The renaming of a file or a directory.

    All files are copied before the first file is deleted at the old path. A lost connection, or a
    5xx of the service, may leave files at both paths, and never leaves a file at neither path.
    """

    store: MemoryStore
    old: MemoryPath
    new: MemoryPath

    def run(self) -> Steps[int]:
        """The number of moved files.

        Raises ToolError for a file at the new path, and for a file with too many parallel edits.
        Before raising a refusal, takes the copies back.
        """
        found = yield from self.store.all_at(self.old)
        moved = 0
        for _ in range(ATTEMPTS):
            originals = [self._original(each) for each in found]
            versions = yield from self._copy(originals)
            changed = yield from self._delete(originals, versions)
            moved += len(originals) - len(changed)
            found = yield from self._look_again(changed)
            if not found:
                return moved
        raise ToolError(f"Other writers keep changing {self.old.given}. Please try again.")

    def _original(self, document: ShownDocument) -> Original:
        """Raises ToolError for a document without a text, and for a target beyond the limits."""
        path = self.store.path_to(document)
        target = path_of((*self.new.names, *path.names[len(self.old.names) :]))
        if not is_namespace((*self.store.namespace, *target.names[:-1])):
            raise ToolError(f"The path {target.given} has too many or too long directories.")
        return Original(
            path, target, text_of(document, path), document.version, document.sensitivity
        )

    def _copy(self, originals: Sequence[Original]) -> Steps[Sequence[int]]:
        """The versions of the copies; before any refusal, all copies are taken back."""
        results: list[DocumentResult] = []
        try:
            yield from self.store.perform_each([self._put(each) for each in originals], results)
        except APIError:
            yield from self._take_back(_versions(originals, results))
            raise
        versions = _versions(originals, results)
        for original, refusal in zip(originals, map(refusal_of, results), strict=True):
            if refusal is not None:
                yield from self._take_back(versions)
                raise (yield from self._explain(refusal, original.target))
        return [*versions.values()]

    def _delete(
        self, originals: Sequence[Original], versions: Sequence[int]
    ) -> Steps[Sequence[Original]]:
        """The files with edits since the copying; the copies of such files are taken back.

        Before any refusal, the copies of files that are still at the old path are taken back; after
        a 5xx, a deletion without result may be under way, and the copy stays.
        """
        copies = dict(zip(originals, versions, strict=True))
        results: list[DocumentResult] = []
        try:
            yield from self.store.perform_each(
                [
                    self._deletion(each.path, each.version, erase=self.store.erase)
                    for each in copies
                ],
                results,
            )
        except APIError as error:
            kept = _files_refused(originals, results)
            if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                kept += yield from self._still_there(originals[len(results) :])
            yield from self._take_back({each.target: copies[each] for each in kept})
            raise
        kept = _files_refused(originals, results)
        yield from self._take_back({each.target: copies[each] for each in kept})
        require_done_or_edited(results)
        return kept

    def _still_there(self, originals: Sequence[Original]) -> Steps[Sequence[Original]]:
        """The files at the old path, for batches without results.

        A batch that is refused now may have had an effect in an attempt whose reply was lost.
        """
        found = {self.store.path_to(each) for each in (yield from self._look_again(originals))}
        return [each for each in originals if each.path in found]

    def _take_back(self, copies: Mapping[MemoryPath, int]) -> Steps[None]:
        """Delete the copies, except for a copy with an edit since the copying."""
        results: list[DocumentResult] = []
        yield from self.store.perform_each(
            [self._deletion(path, version, erase=False) for path, version in copies.items()],
            results,
        )
        require_done_or_edited(results)
        if self.store.erase:
            deleted = [path for path, each in zip(copies, results, strict=True) if not each.error]
            erased: list[DocumentResult] = []
            yield from self.store.perform_each(
                [self._deletion(path, NO_DOCUMENT, erase=True) for path in deleted], erased
            )
            require_done_or_edited(erased)

    def _look_again(self, originals: Sequence[Original]) -> Steps[Sequence[ShownDocument]]:
        """The newest versions, without the files deleted meanwhile."""
        return self.store.look_at_each([each.path for each in originals])

    def _explain(self, refusal: APIError, target: MemoryPath) -> Steps[Exception]:
        if isinstance(refusal, Conflict) and (
            refusal.code == HIDDEN or (yield from self.store.look(target)) is not None
        ):
            return ToolError(f"The destination {self.new.given} already exists")
        return refusal

    def _put(self, original: Original) -> JsonObject:
        fields = {**self.store.properties, "sensitivity": original.sensitivity}
        return self.store.operation(
            "put",
            original.target,
            value={TEXT: original.text},
            expected_version=NO_DOCUMENT,
            rationale=self._rationale(),
            **fields,
        )

    def _deletion(self, path: MemoryPath, version: int, *, erase: bool) -> JsonObject:
        fields = {"expected_version": version, "erase": erase, "rationale": self._rationale()}
        return self.store.operation("delete", path, **fields)

    def _rationale(self) -> str:
        return f"renamed {self.old.given} to {self.new.given}"[:MAX_RATIONALE_CHARACTERS]


def _versions(
    originals: Sequence[Original], results: Sequence[DocumentResult]
) -> Mapping[MemoryPath, int]:
    """The versions of the copies that were made, by the new path."""
    made = zip(originals, results, strict=False)
    return {each.target: done.version for each, done in made if done.version is not None}


def _files_refused(
    originals: Sequence[Original], results: Sequence[DocumentResult]
) -> list[Original]:
    """The files whose deletion was refused; files without a result are left out."""
    return [each for each, done in zip(originals, results, strict=False) if done.error is not None]
