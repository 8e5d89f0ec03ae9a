"""Bytes under keys, as Strands keeps snapshots, stashes and files, and the removal of documents.

Each segment of a key is a label of the document's namespace, so that a listing reads names alone.
"""

import asyncio
import builtins
import copy
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self, TypeVar

from strands.storage import InMemoryStorage
from strands.storage.storage import _NAMESPACED, StorageSearchResult
from strands.types.exceptions import StorageError

from membrane_client.client import Membrane
from membrane_client.core import adapters
from membrane_client.core.adapters import MAX_LABEL_BYTES, MAX_PAGE, Place
from membrane_client.errors import MembraneError, or_none
from membrane_client.values.documents import DocumentResult

if TYPE_CHECKING:
    from strands.storage.search.types import SearchStrategy

T = TypeVar("T")

KEY = "bytes"  # Of every document; the name is in the namespace
MAX_BYTES = 7_864_308
"""Of a value: as base64 in JSON, so many bytes fill a document of 10,485,760 bytes."""

_CUT = "/"  # Ends a label that goes on in the next label; no segment has the sign


class MembraneStorage:
    """The `storage` of an agent, of a `SnapshotSessionManager`, or of a `ContextManager`.

    A key has at most 14 segments of at most 128 bytes between slashes; a longer segment counts as
    several. No segment is `.` or `..`, or has U+0000. A value has at most 7,864,308 bytes. Reads
    and listings see every earlier write. `erase` says what `delete` does with former values: erase
    (True, needs `admin`), keep for the deployment's `TombstoneDays` (False), or erase if the key
    may (None). Calls raise StorageError. Raises TypeError for an AsyncMembrane and for a namespace
    that is a text.
    """

    def __init__(
        self,
        client: Membrane,
        *,
        scope: str | None = None,
        namespace: Sequence[str] = ("strands", "storage"),
        erase: bool | None = None,
        search_strategy: "SearchStrategy[MembraneStorage] | None" = None,
    ) -> None:
        adapters.require_client(client, Membrane)
        self._client = client if scope is None else client.with_options(scope=scope)
        self._root = adapters.labels_in("namespace", namespace)
        self._removal = Removal(self._client, erase=erase)
        self._search_strategy = search_strategy
        self._prefix = ""  # Of the keys of a view, with a slash at the end

    async def write(self, key: str, data: bytes) -> None:
        """Keep a copy of at most 7,864,308 bytes, in place of any bytes before."""
        name = _normalized_key(key)
        place = self._place(name)
        if len(data) > MAX_BYTES:
            raise StorageError(
                f"Failed to write '{key}': the value has {len(data):,} bytes, "
                f"expected at most {MAX_BYTES:,}"
            )
        value = {"base64": b64encode(data).decode()}
        await _run(f"write '{key}'", lambda: self._client.put_document(*place, value))
        if self._search_strategy is not None:
            try:
                await self._search_strategy.index(self, name, data)
            except Exception as error:
                raise StorageError(f"Wrote '{key}' but indexing failed") from error

    async def read(self, key: str) -> bytes | None:
        """The bytes; None without any."""
        place = self._place(_normalized_key(key))
        return await _run(f"read '{key}'", lambda: self._read(place))

    async def delete(self, key: str) -> None:
        """Remove the bytes; an absent key is no error."""
        place = self._place(_normalized_key(key))
        await _run(f"delete '{key}'", lambda: self._removal.remove([place]))

    async def list(self, query: str = "") -> builtins.list[str]:
        """All keys that begin with the text, sorted."""
        prefix = self._prefix + _normal_form(query)
        within = [*self._root, *_labels_of(prefix.rpartition("/")[0])]
        found = self._client.list_namespaces(prefix=within, limit=MAX_PAGE)
        names = await _run(f"list '{query}'", lambda: [self._name_of(each) for each in found])
        return sorted(each.removeprefix(self._prefix) for each in names if each.startswith(prefix))

    async def search(self, query: str) -> builtins.list[StorageSearchResult]:
        """By `search_strategy`; else all values are read, and those with most words come first."""
        if self._search_strategy is not None:
            return await self._search_strategy.search(self, query)
        within = (*self._root, *_labels_of(self._prefix.rstrip("/")))
        found = self._client.search_documents(within, limit=MAX_PAGE)
        values = await _run(
            f"search '{query}'", lambda: [(each.namespace, _bytes_in(each.value)) for each in found]
        )
        copies = InMemoryStorage()
        for namespace, data in values:
            await copies.write(self._name_of(namespace).removeprefix(self._prefix), data)
        return await copies.search(query)

    def namespace(self, prefix: str) -> Self:
        """A view of the keys below a prefix, under names without the prefix."""
        within = _normal_form(prefix).rstrip("/")
        view = copy.copy(self)
        longer = f"{self._prefix}{within}/" if within else self._prefix
        # By the mark, Strands knows that a view needs no further prefix.
        vars(view).update(_prefix=longer, _namespaced=_NAMESPACED)
        return view

    def _place(self, name: str) -> Place:
        return Place((*self._root, *_labels_of(self._prefix + name)), KEY)

    def _read(self, place: Place) -> bytes | None:
        document = or_none(self._client.get_document, *place)
        return None if document is None else _bytes_in(document.value)

    def _name_of(self, namespace: Sequence[str]) -> str:
        """The inverse of `_labels_of`."""
        labels = namespace[len(self._root) :]
        return "".join(
            each.removesuffix(_CUT) if each.endswith(_CUT) else f"{each}/" for each in labels
        ).rstrip("/")


async def _run(what: str, call: Callable[[], T]) -> T:
    """The result of a call in a thread of its own.

    Strands runs each invocation of an agent in a new event loop, and connections of an asynchronous
    client would belong to the loop before. Raises StorageError.
    """
    try:
        return await asyncio.to_thread(call)
    except MembraneError as error:
        raise StorageError(f"Failed to {what}: {error}") from error


def _bytes_in(value: Any) -> bytes:
    match value:
        case {"base64": str(text)}:
            return b64decode(text, validate=True)
        case _:
            raise StorageError("The document holds no bytes of a storage")


def _normalized_key(key: str) -> str:
    """The key by the rules of Strands' own storages: runs of slashes count as one slash."""
    name = _normal_form(key, "key").rstrip("/")
    if not name:
        raise StorageError("Storage key must not be empty")
    return name


def _normal_form(text: str, what: str = "prefix") -> str:
    if "\\" in text:
        raise StorageError(f"Invalid storage {what} '{text}': backslashes are not allowed")
    name = re.sub(r"/+", "/", text).lstrip("/")
    if ".." in name.split("/"):
        raise StorageError(f"Invalid storage {what} '{text}': '..' path segments are not allowed")
    return name


def _labels_of(name: str) -> Iterator[str]:
    """A segment in several labels has the sign of a cut at the end of all but the last."""
    for segment in filter(None, name.split("/")):
        rest = segment
        while len(rest.encode()) > MAX_LABEL_BYTES:
            piece = rest.encode()[: MAX_LABEL_BYTES - len(_CUT)].decode(errors="ignore")
            yield piece + _CUT
            rest = rest[len(piece) :]
        yield rest


def operation_on(place: Place, word: str, **fields: Any) -> dict[str, Any]:
    return {"op": word, "namespace": [*place.namespace], "key": place.key, **fields}


class Removal:
    """Removes documents by batches.

    `erase` True erases former versions, too, and needs `admin`; False keeps former versions for the
    deployment's `TombstoneDays`; None erases where the key may, and else deletes.
    """

    def __init__(self, client: Membrane, *, erase: bool | None) -> None:
        self._client = client
        self._erase = erase

    def remove(self, places: Sequence[Place]) -> None:
        """Remove all documents; raises the error of the first that the service does not remove."""
        for start in range(0, len(places), adapters.MAX_OPERATIONS):
            left: Sequence[Place] = places[start : start + adapters.MAX_OPERATIONS]
            while left:
                left = self._remove_some(left)

    def _remove_some(self, places: Sequence[Place]) -> Sequence[Place]:
        """The places that one batch had no time for."""
        done = self._delete(places, erase=self._erase is not False)
        forbidden = [place for place, each in done if each.status == HTTPStatus.FORBIDDEN]
        if forbidden and self._erase is None:
            _require(self._delete(forbidden, erase=False))
            self._erase = False
            done = [pair for pair in done if pair[1].status != HTTPStatus.FORBIDDEN]
        late = [place for place, each in done if each.status == HTTPStatus.SERVICE_UNAVAILABLE]
        is_under_way = len(late) < len(done)
        _require([pair for pair in done if not (is_under_way and pair[0] in late)])
        return late

    def _delete(
        self, places: Sequence[Place], *, erase: bool
    ) -> Sequence[tuple[Place, DocumentResult]]:
        operations = [operation_on(each, "delete", erase=erase) for each in places]
        return [*zip(places, self._client.batch_documents(operations), strict=True)]


def _require(done: Sequence[tuple[Place, DocumentResult]]) -> None:
    for _, each in done:
        if error := adapters.refusal_of(each):
            raise error
