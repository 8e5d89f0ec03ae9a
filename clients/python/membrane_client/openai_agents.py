"""Sessions of the OpenAI Agents SDK, kept as lists of keyed documents."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from agents.memory.session_settings import (
    SessionSettings,
    coerce_session_settings,
    resolve_session_limit,
)

from membrane_client.client import AsyncMembrane
from membrane_client.core.protocol import NOT_GIVEN
from membrane_client.errors import NotFound

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

MAX_ITEMS_READ = 1_000
"""The most items of a list that the service returns."""

MAX_ITEMS_APPENDED = 100
"""The most items of one append."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


class MembraneSession:
    """The history of one conversation: `Session` of the OpenAI Agents SDK.

    Sessions with the same id, namespace and scope share their items, across processes. The document
    of a session has the session id as key, 1 to 512 bytes. With `ttl_seconds`, each item expires so
    many seconds after its addition; the period is of a new session. Without `scope`, the client's.
    The caller closes the client. Every failure of a call raises MembraneError. A cancelled write
    goes on to its end before the cancellation, as in the sessions of the SDK.
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        client: AsyncMembrane,
        *,
        namespace: Sequence[str] = ("sessions",),
        scope: str | None = None,
        ttl_seconds: float | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """Raises TypeError for settings that the SDK does not know."""
        self.session_id = session_id
        self.session_settings = (
            SessionSettings()
            if session_settings is None
            else coerce_session_settings(session_settings)
        )
        self._client = client
        self._namespace = namespace
        self._scope = NOT_GIVEN if scope is None else scope
        self._ttl_seconds = NOT_GIVEN if ttl_seconds is None else ttl_seconds

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """The newest `limit` items, the oldest first.

        None is the limit of `session_settings`; without one, and for a negative limit, all items.
        One call reads 1,000 items at most: the newest 1,000 of a longer session come back, and a
        warning is logged. Raises PayloadTooLarge for items of more than 6 MB together: give a
        limit.
        """
        limit = resolve_session_limit(limit, self.session_settings)
        if limit == 0:
            return []
        wanted = MAX_ITEMS_READ if limit is None or limit < 0 else limit
        count = min(wanted, MAX_ITEMS_READ)
        items = await self._newest(count)
        if len(items) == MAX_ITEMS_READ != limit:
            _log.warning("a session may have more than the %d items read", MAX_ITEMS_READ)
        return items

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Append the items: 100 at a time, each hundred wholly or not at all."""
        await _to_the_end(self._append(items))

    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove and return the newest item; None for an empty session.

        Raises Forbidden for an item that another actor added, unless the API key has `revise`.
        """
        reply = await _to_the_end(
            self._client.delete_document(
                self._namespace, self.session_id, scope=self._scope, items=1
            )
        )
        return _item(reply.items[0].value) if reply.items else None

    async def clear_session(self) -> None:
        """Remove all items.

        Raises Forbidden for a session that another actor began, unless the API key has `revise`.
        """
        await _to_the_end(
            self._client.delete_document(self._namespace, self.session_id, scope=self._scope)
        )

    async def _append(self, items: "list[TResponseInputItem]") -> None:
        for start in range(0, len(items), MAX_ITEMS_APPENDED):
            await self._client.append_items(
                self._namespace,
                self.session_id,
                items[start : start + MAX_ITEMS_APPENDED],
                scope=self._scope,
                ttl_seconds=self._ttl_seconds,
            )

    async def _newest(self, count: int) -> "list[TResponseInputItem]":
        try:
            document = await self._client.get_document(
                self._namespace, self.session_id, scope=self._scope, items=count
            )
        except NotFound:
            return []
        return [_item(each.value) for each in document.items]


def _item(value: Mapping[str, Any]) -> "TResponseInputItem":
    return cast("TResponseInputItem", value)


async def _to_the_end(write: Awaitable[T]) -> T:
    """The result of the write; a cancellation of the caller is raised after the end of the write.

    The outcome of a write that is cut off would be unknown.
    """
    task = asyncio.ensure_future(write)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
    if cancelled is not None:
        raise cancelled from (None if task.cancelled() else task.exception())
    return task.result()
