"""The memory of Pydantic AI agents: a store for the Memory capability of pydantic-ai-harness.

Files are keyed documents. The service keeps a receipt of each operation, which names the version
that the operation made. A written version has the fingerprint of the operation in the value, a
deletion has a digest of the fingerprint in the rationale.

`a/b/c.md` is the key `c.md` below the labels `a` and `b`. A label has 128 characters at most, a
segment of a path 200: the first label of a longer segment ends in `+`, and the next label goes on.
The value is {"content": ..., "operation": {"id": ..., "fingerprint": ...}, "metadata": {...}}.
"""

import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from hashlib import sha256
from typing import Any

from pydantic_ai_harness import memory
from pydantic_ai_harness.memory import MemoryConflictError, MemoryMutation, MemoryOperation

from membrane_client.client import AsyncMembrane
from membrane_client.core.adapters import MAX_LABELS, MAX_PAGE, Place, labels_in, require_client
from membrane_client.core.protocol import NOT_GIVEN
from membrane_client.errors import Conflict, UnexpectedReply, as_described, unless_absent
from membrane_client.values.documents import DeletedDocument, FoundDocument

VERSIONS_WITH_RECEIPTS = 16  # The newest writes of a document, whose receipts the service keeps
RECEIPT_SECONDS = 400 * 86_400  # Of a deletion without a file; else they stay `TombstoneDays`
_DELETIONS = "~deletions"
"""Below the root: receipts of deletions without a file. No segment of a path has a tilde."""

_VERSION = re.compile(r"[1-9][0-9]{0,14}")  # The service takes no number above 2**53

MAX_LABEL_CHARACTERS = 128
_CONTINUED = "+"  # No segment has the character
_SEGMENT = re.compile(r"(?!\.$)(?!.*\.\.)[A-Za-z0-9_.-]{1,200}")


class MembraneMemoryStore:
    """`MemoryStore` of pydantic-ai-harness, with metadata and search.

    Stores with the same namespace and scope share their files, across processes. Without `scope`,
    the client's. The caller closes the client. The receipts of a file's 16 newest changes are
    kept. A call that fails for another reason than a conflict raises MembraneError. A path or
    prefix that the harness refuses, or with too many folders, raises ValueError.

    A document in the namespace that is no file stays unchanged: `read` raises UnexpectedReply, and
    so do `write` and `delete` for the document's version. Lists and searches leave the document
    out. The constructor raises TypeError for a Membrane and for a namespace that is a text.
    """

    def __init__(
        self,
        client: AsyncMembrane,
        *,
        namespace: Sequence[str] = ("memory",),
        scope: str | None = None,
    ) -> None:
        require_client(client, AsyncMembrane)
        self._client = client
        self._root = labels_in("namespace", namespace)
        self._where: Any = {"scope": scope}
        usual = client._api.usual_scope(NOT_GIVEN)  # noqa: SLF001 - of calls without a scope
        self._names = [usual if scope is None else scope, *self._root]

    async def read(self, path: str, *, max_chars: int) -> memory.MemoryFile | None:
        """The first `max_chars` characters of the file; None without a file."""
        place = place_of(path, self._root)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        document = await unless_absent(self._client.get_document(*place, **self._where))
        if document is None:
            return None
        with as_described(f"the document of {path!r}"):
            content = content_of(document.value)
            return memory.MemoryFile(
                content=content[:max_chars],
                version=str(document.version),
                operation_id=document.value.get("operation", {}).get("id"),
                truncated=len(content) > max_chars,
                metadata=document.value.get("metadata"),
            )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """The result of the operation; None for an operation that did not take place.

        Raises MemoryOperationConflictError for another or an erased fingerprint.
        """
        receipt = await unless_absent(self._client.read_operation(self._id_of(operation)))
        if receipt is None:
            return None
        place = Place(tuple(receipt.namespace), receipt.key)
        document = await unless_absent(
            self._client.get_document(*place, **self._where, history=VERSIONS_WITH_RECEIPTS)
        )
        versions: list[Any] = [] if document is None else [document, *document.history]
        value = next((each.value for each in versions if each.version == receipt.version), None)
        if value is None:
            # Sent once more, the same deletion is answered as before, and another is refused.
            try:
                await self._delete(place, receipt.version - 1, operation)
            except Conflict as error:
                raise _reuse_error(operation) from error
            return MemoryMutation(version=None, replayed=True, existed=True)
        if value.get("operation") != identity_of(operation):
            raise _reuse_error(operation)
        if place.namespace == (*self._root, _DELETIONS):
            return MemoryMutation(version=None, replayed=True, existed=False)
        return MemoryMutation(version=str(receipt.version), replayed=True, existed=receipt.existed)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """`write_with_metadata` without metadata."""
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Write the file, once for an operation; None expects that there is no file.

        Raises MemoryConflictError for a file with another version, MemoryOperationConflictError for
        an operation with another fingerprint. A repeated operation has the result of the first.
        """
        place = place_of(path, self._root)
        # The harness's own store refuses the metadata that no store takes.
        harness = memory.InMemoryStore()
        await harness.write_with_metadata(path, "", expected_version=None, metadata=metadata)
        value: dict[str, Any] = {"content": content}
        if operation is not None:
            value["operation"] = identity_of(operation)
        if metadata:
            value["metadata"] = {**metadata}
        try:
            number = await self._expected_number(place, path, expected_version)
            operation_id = self._id_of(operation)
            written = await self._client.put_document(
                *place, value, **self._where, expected_version=number, operation_id=operation_id
            )
        except (Conflict, MemoryConflictError, UnexpectedReply) as error:
            return await self._earlier(operation, path, error)
        version = str(written.version)
        return MemoryMutation(version=version, replayed=written.replayed, existed=written.existed)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Delete the file, once for an operation; None and the errors are as of a write."""
        place = place_of(path, self._root)
        try:
            number = await self._expected_number(place, path, expected_version)
            deleted = await self._delete(place, number, operation)
            is_replay = deleted.replayed
            if not deleted.existed and operation is not None:
                operation_id = self._id_of(operation)
                noted = await self._client.put_document(
                    (*self._root, _DELETIONS),
                    operation_id,
                    {"operation": identity_of(operation)},
                    **self._where,
                    ttl_seconds=RECEIPT_SECONDS,
                    operation_id=operation_id,
                )
                is_replay = noted.replayed
        except (Conflict, MemoryConflictError, UnexpectedReply) as error:
            return await self._earlier(operation, path, error)
        return MemoryMutation(version=None, replayed=is_replay, existed=deleted.existed)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """The first `limit` paths with the prefix, sorted; reads all files in its folder."""
        if limit <= 0:
            raise ValueError("limit must be positive")
        return sorted([path async for path, _ in self._documents(prefix, MAX_PAGE)])[:limit]

    async def search(
        self,
        prefix: str,
        query: str,
        *,
        limit: int,
        max_files: int,
        max_chars: int,
        max_file_chars: int,
    ) -> memory.MemorySearchResult:
        """Find the words of the query in the first files of a folder, without folders below."""
        folder_of(prefix, self._root)
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return memory.MemorySearchResult(matches=[], scanned=0, truncated=False)
        files: dict[str, str] = {}
        async with aclosing(self._documents(prefix, min(max_files + 1, MAX_PAGE))) as documents:
            async for path, document in documents:
                if "/" not in path.removeprefix(prefix):
                    files[path] = content_of(document.value)
                if len(files) > max_files:
                    break
        return await memory.InMemoryStore(files).search(
            prefix,
            query,
            limit=limit,
            max_files=max_files,
            max_chars=max_chars,
            max_file_chars=max_file_chars,
        )

    async def _delete(
        self, place: Place, expected_version: int, operation: MemoryOperation | None
    ) -> DeletedDocument:
        """The digest fits the limit of a rationale, whatever the length of the fingerprint."""
        identity = None if operation is None else json.dumps(identity_of(operation)).encode()
        return await self._client.delete_document(
            *place,
            **self._where,
            expected_version=expected_version,
            rationale=None if identity is None else f"operation {sha256(identity).hexdigest()}",
            operation_id=self._id_of(operation),
        )

    def _id_of(self, operation: MemoryOperation | None) -> Any:
        """The service's id: stores may each have an operation with the same id."""
        if operation is None:
            return None
        return sha256(json.dumps([*self._names, operation.id]).encode()).hexdigest()

    async def _earlier(
        self, operation: MemoryOperation | None, path: str, error: Exception
    ) -> MemoryMutation:
        """The result of the operation, done before; raises the error, or MemoryConflictError."""
        earlier = None if operation is None else await self.get_operation(operation)
        if earlier is not None:
            return earlier
        if isinstance(error, UnexpectedReply) or getattr(error, "code", "") == "ALREADY_EXISTS":
            raise error
        raise MemoryConflictError(f"memory path {path!r} is not as expected: {error}") from error

    async def _expected_number(self, place: Place, path: str, expected: str | None) -> int:
        """0 for no file; raises UnexpectedReply where the document with the version is no file."""
        if expected is None:
            return 0
        if not _VERSION.fullmatch(expected):
            raise MemoryConflictError("no file ever had the version")
        document = await unless_absent(self._client.get_document(*place, **self._where))
        if document is not None and document.version == int(expected):
            with as_described(f"the document of {path!r}"):
                content_of(document.value)
        return int(expected)

    async def _documents(
        self, prefix: str, page_size: int
    ) -> AsyncGenerator[tuple[str, FoundDocument]]:
        """The files whose paths begin with the prefix; those of a folder in order."""
        found = self._client.search_documents(
            folder_of(prefix, self._root), **self._where, limit=page_size
        )
        async for document in found:
            path = path_of(document.namespace, document.key, self._root)
            if path is not None and path.startswith(prefix) and is_file(document.value):
                yield path, document


def _reuse_error(operation: MemoryOperation) -> memory.MemoryOperationConflictError:
    return memory.MemoryOperationConflictError(
        f"operation id {operation.id!r} was reused with different arguments"
    )


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
