"""Sessions of the OpenAI Agents SDK, kept as lists of keyed documents."""

import asyncio
import sys
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from agents.memory import session_settings as agents

from membrane_client.client import AsyncMembrane
from membrane_client.core.adapters import MAX_LABELS, MAX_PAGE, batches, labels_in, require_client
from membrane_client.core.encoding import size_in_json
from membrane_client.errors import unless_absent

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

MAX_ITEMS_READ = 1_000  # In one reply of the service
MAX_ITEMS_APPENDED = 100  # In one append
MAX_BYTES_APPENDED = 96 * 1024
"""Of the items of one append as compact JSON. The service takes 128 KiB, and writes a number such
as 1e-05 longer by up to a third."""

MAX_SESSION_LABELS = MAX_LABELS - 2  # Large items are two labels below the namespace
MARKER = "$membrane_large_item"
"""The only field of an item that stands for a large item; the value is the id of the large item."""

_KEY = "item"
"""Of a large item's document, and of the item in the value, which is no link or upload then."""

P = ParamSpec("P")
T = TypeVar("T")


def _to_the_end(write: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A cancellation of the caller is raised after the end of the write, never within."""

    @wraps(write)
    async def run(*args: P.args, **named: P.kwargs) -> T:
        task = asyncio.ensure_future(write(*args, **named))
        cancelled: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancelled = cancelled or error
        if cancelled is not None:
            raise cancelled from (None if task.cancelled() else task.exception())
        return task.result()

    return run


class MembraneSession:
    """The history of one conversation: `Session` of the OpenAI Agents SDK.

    Sessions with the same id, namespace and scope share their items, across processes. The document
    of a session has the session id as key, 1 to 512 bytes. With `ttl_seconds`, each item expires so
    many seconds after its addition; the period is of a new session. Without `scope`, the client's.
    The caller closes the client. Every failure of a call raises MembraneError: Forbidden for the
    removal of what another actor added, unless the API key has `revise`. A cancelled write goes on
    to its end before the cancellation, as in the sessions of the SDK.

    An item of more than 96 KiB as JSON is a document of its own, 10 MiB at most, in a namespace
    two labels below the session's. The constructor raises TypeError for a client other than an
    AsyncMembrane, for a namespace that is a text, and for settings that the SDK does not know, and
    ValueError for a namespace without labels or with more than 14.
    """

    session_settings: agents.SessionSettings | None

    def __init__(
        self,
        session_id: str,
        client: AsyncMembrane,
        *,
        namespace: Sequence[str] = ("sessions",),
        scope: str | None = None,
        ttl_seconds: float | None = None,
        session_settings: agents.SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        require_client(client, AsyncMembrane)
        labels = labels_in("namespace", namespace)
        if not 1 <= len(labels) <= MAX_SESSION_LABELS:
            raise ValueError(f"namespace has {len(labels)} labels: give 1 to {MAX_SESSION_LABELS}")
        self.session_id = session_id
        settings = {} if session_settings is None else session_settings
        self.session_settings = agents.coerce_session_settings(settings)
        self._client = client
        self._place = (labels, session_id)
        digest = sha256(session_id.encode(errors="surrogatepass")).hexdigest()
        self._large = (*labels, f"large items of {digest}")
        """Has a namespace for each large item below. A session id may be longer than a label."""
        self._where: Any = {"scope": scope}
        self._new: Any = {"scope": scope, "ttl_seconds": ttl_seconds}

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """The newest `limit` items, the oldest first.

        None is the limit of `session_settings`; without one, and for a negative limit, all items.
        A request reads 1,000 items and 5 MiB at most, and each item above 96 KiB takes a further
        request. Between the requests, added items are left out, and a removed item may be among the
        items; a session that is cleared is read from the beginning.
        """
        limit = agents.resolve_session_limit(limit, self.session_settings)
        if limit == 0:
            return []
        wanted = sys.maxsize if limit is None or limit < 0 else limit
        items = [await self._resolve(each) for each in await self._newest(wanted)]
        return [each for each in items if each is not None]

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Append the items in parts of up to 100 items and 96 KiB, each wholly or not at all.

        Items above 96 KiB are written first, as documents; a failure or the end of the process
        before the append leaves these documents, without an item, until `clear_session`. Raises
        PayloadTooLarge for an item above 10 MiB; no item is added then.
        """
        await self._append([*items])  # as the list is now: the caller may go on with the list

    @_to_the_end
    async def _append(self, items: "list[TResponseInputItem]") -> None:
        sizes = [size_in_json(each) for each in items]
        listed = [
            # An item of the caller that looks like a marker becomes a large item, too.
            await self._put_large(each)
            if size > MAX_BYTES_APPENDED or _id_in_marker(each) is not None
            else each
            for each, size in zip(items, sizes, strict=True)
        ]
        for part in batches(
            listed, lambda each: size_in_json(each) + 1, MAX_ITEMS_APPENDED, MAX_BYTES_APPENDED
        ):
            await self._client.append_items(*self._place, part, **self._new)

    @_to_the_end
    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove and return the newest item; None for an empty session.

        A failure after the removal of an item above 96 KiB leaves the document until
        `clear_session`.
        """
        while True:
            reply = await self._client.delete_document(*self._place, **self._where, items=1)
            if not reply.items:
                return None
            listed = reply.items[0].value
            item: TResponseInputItem | None = await self._resolve(listed)
            if item_id := _id_in_marker(listed):
                await self._delete_large((*self._large, item_id))
            if item is not None:
                return item

    @_to_the_end
    async def clear_session(self) -> None:
        """Remove all items; a call after a failed one removes the rest."""
        await self._client.delete_document(*self._place, **self._where)
        within = [*self._large]
        listing = self._client.list_namespaces(prefix=within, **self._where, limit=MAX_PAGE)
        for place in [each async for each in listing]:
            if place[:-1] == within:  # a label "*" of a namespace stands for any label in `prefix`
                await self._delete_large(place)

    async def _newest(self, wanted: int) -> list[Any]:
        newest_first: list[Any] = []
        before: int | None = None
        begun: object = None
        while True:
            count = min(wanted - len(newest_first), MAX_ITEMS_READ)
            page = await unless_absent(
                self._client.get_document(
                    *self._place, **self._where, items=count, items_before=before
                )
            )
            if page is None:
                return []
            if before is not None and page.created_at != begun:
                return await self._newest(wanted)
            newest_first += (each.value for each in reversed(page.items))
            before, begun = page.next_items_before, page.created_at
            if before is None or len(newest_first) == wanted:
                return newest_first[::-1]

    async def _put_large(self, item: Any) -> Any:
        item_id = uuid.uuid4().hex
        place, value = (*self._large, item_id), {_KEY: item}
        await self._client.put_document(place, _KEY, value, **self._new)
        return {MARKER: item_id}

    async def _resolve(self, listed: Any) -> Any:
        """A large item in place of its marker, None without the document; else the item."""
        item_id = _id_in_marker(listed)
        if item_id is None:
            return listed
        document = await unless_absent(
            self._client.get_document((*self._large, item_id), _KEY, **self._where)
        )
        return None if document is None else document.value[_KEY]

    async def _delete_large(self, namespace: Sequence[str]) -> None:
        await self._client.delete_document(namespace, _KEY, **self._where)


def _id_in_marker(item: Any) -> str | None:
    """The id of the large item that the item stands for; None for an ordinary item."""
    is_marker = isinstance(item, Mapping) and [*item] == [MARKER]
    return str(item[MARKER]) if is_marker else None
