"""The files of agents as keyed documents."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from pydantic_ai_harness.memory import (
    InMemoryStore,
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemorySearchResult,
)

from membrane_client.client import AsyncMembrane
from membrane_client.core.adapters import Place, labels_in, require_client
from membrane_client.errors import Conflict, UnexpectedReply, as_described, unless_absent
from membrane_client.pydantic_ai.files import (
    checked_metadata,
    content_of,
    file_of,
    is_file,
    number_of,
    value_of,
)
from membrane_client.pydantic_ai.operations import Operations
from membrane_client.pydantic_ai.paths import folder_of, path_of, place_of
from membrane_client.values.documents import FoundDocument, ShownDocument

MAX_PAGE: Final = 1_000
"""Documents of a request for a list of files; a page has 5 MB at most."""


class MembraneMemoryStore:
    """`MemoryStore` of pydantic-ai-harness, with metadata and search.

    Stores with the same namespace and scope share their files, across processes. Without `scope`,
    the client's. The caller closes the client. The receipts of a file's 16 newest changes are
    kept. A call that fails for another reason than a conflict raises MembraneError. An API key
    without `revise` cannot change a file that another actor wrote. A path or prefix that the
    harness refuses, or with too many folders, raises ValueError.

    A document in the namespace that is no file stays unchanged. `read` raises UnexpectedReply.
    `write` and `delete` raise UnexpectedReply for the version of the document, MemoryConflictError
    for any other expected version. Lists and searches leave the document out.

    Raises TypeError for a Membrane and for a namespace that is a text.
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
        self._scope = scope
        self._operations = Operations(client, self._root, scope)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """The first `max_chars` characters of the file; None without a file."""
        place = place_of(path, self._root)
        _require_positive("max_chars", max_chars)
        document = await self._document_at(place)
        if document is None:
            return None
        with as_described(f"the document of {path!r}"):
            return file_of(document.value, str(document.version), max_chars)

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """The result of the operation; None for an operation that did not take place.

        Raises MemoryOperationConflictError for another fingerprint, and for a write whose
        fingerprint was erased together with the content.
        """
        return await self._operations.result_of(operation)

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
        an operation with another fingerprint. The result of an operation that was done before may
        be of a file that was deleted or erased since.
        """
        place = place_of(path, self._root)
        value = value_of(content, checked_metadata(metadata), operation)
        try:
            number = await self._expected_number(place, path, expected_version)
            written = await self._operations.put(place, value, number, operation)
        except (Conflict, MemoryConflictError, UnexpectedReply) as error:
            return await self._earlier(operation, path, error)
        version = str(written.version)
        return MemoryMutation(version=version, replayed=written.replayed, existed=written.existed)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Delete the file, once for an operation; None expects that there is no file.

        Raises the errors of `write_with_metadata`.
        """
        place = place_of(path, self._root)
        try:
            number = await self._expected_number(place, path, expected_version)
            deleted = await self._operations.delete(place, number, operation)
            is_replay = deleted.replayed
            if not deleted.existed and operation is not None:
                is_replay = await self._operations.note_deletion(operation)
        except (Conflict, MemoryConflictError, UnexpectedReply) as error:
            return await self._earlier(operation, path, error)
        return MemoryMutation(version=None, replayed=is_replay, existed=deleted.existed)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """The first `limit` paths that begin with the prefix, sorted.

        Reads every file in the folder of the prefix, and below.
        """
        _require_positive("limit", limit)
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
    ) -> MemorySearchResult:
        """Find the words of the query in the files of a folder; folders below are left out.

        Scans the first `max_files` files, and the first `max_file_chars` characters of each.
        """
        folder_of(prefix, self._root)
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        copies = InMemoryStore(await self._directly_below(prefix, max_files + 1))
        return await copies.search(
            prefix,
            query,
            limit=limit,
            max_files=max_files,
            max_chars=max_chars,
            max_file_chars=max_file_chars,
        )

    async def _earlier(
        self,
        operation: MemoryOperation | None,
        path: str,
        error: Conflict | MemoryConflictError | UnexpectedReply,
    ) -> MemoryMutation:
        """The result of the operation, done before; raises MemoryConflictError otherwise.

        Raises Conflict where a document that the key may not see holds the place, and
        UnexpectedReply where a document holds the place that is no file.
        """
        earlier = None if operation is None else await self._operations.result_of(operation)
        if earlier is not None:
            return earlier
        if isinstance(error, UnexpectedReply):
            raise error
        if isinstance(error, Conflict) and error.code == "ALREADY_EXISTS":
            raise error
        raise MemoryConflictError(f"memory path {path!r} is not as expected: {error}") from error

    async def _document_at(self, place: Place) -> ShownDocument | None:
        return await unless_absent(self._client.get_document(*place, scope=self._scope))

    async def _expected_number(self, place: Place, path: str, expected_version: str | None) -> int:
        """The number of the version that a change replaces; 0 for no file.

        Raises UnexpectedReply where the document with the version is no file: the service compares
        the number alone.
        """
        number = number_of(expected_version)
        document = await self._document_at(place) if number else None
        if document is not None and document.version == number:
            with as_described(f"the document of {path!r}"):
                content_of(document.value)
        return number

    async def _directly_below(self, prefix: str, count: int) -> Mapping[str, str]:
        """The contents of the first `count` files that have no slash behind the prefix, by path."""
        files: dict[str, str] = {}
        async with aclosing(self._documents(prefix, min(count, MAX_PAGE))) as documents:
            async for path, document in documents:
                if "/" not in path.removeprefix(prefix):
                    files[path] = content_of(document.value)
                if len(files) == count:
                    break
        return files

    async def _documents(
        self, prefix: str, page_size: int
    ) -> AsyncGenerator[tuple[str, FoundDocument]]:
        """The files whose paths begin with the prefix; those of a folder in order."""
        found = self._client.search_documents(
            folder_of(prefix, self._root), scope=self._scope, limit=page_size
        )
        async for document in found:
            path = path_of(document.namespace, document.key, self._root)
            if path is not None and path.startswith(prefix) and is_file(document.value):
                yield path, document


def _require_positive(name: str, number: int) -> None:
    if number <= 0:
        raise ValueError(f"{name} must be positive")
