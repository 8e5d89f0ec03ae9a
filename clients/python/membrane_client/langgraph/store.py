"""A BaseStore of LangGraph over keyed documents."""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import Future

from langgraph.store.base import BaseStore, IndexConfig, Op, Result, TTLConfig

from membrane_client.client import AsyncMembrane, Membrane
from membrane_client.core.adapters import require_client
from membrane_client.core.event_loops import running_loop
from membrane_client.core.protocol import Steps
from membrane_client.langgraph.exchange import Work, exchange
from membrane_client.langgraph.planning import DIMENSIONS, paths_of, plan, require_periods


class MembraneStore(BaseStore):
    """Items are documents of a scope: a namespace is the namespace, a key is the key.

    The caller closes the client. Without `scope`, the client's scope holds. A batch is one request
    for each 100 operations. `index={"fields": ["text", "tags[*]"]}` makes items searchable by
    `query`; an `embed` is not called, and warned of. `ttl` is in minutes, 10 years at most. An item
    is hidden from the instant of expiry on, and no sweeper is needed.

    Synchronous and awaited calls work with both clients: of a Membrane, awaited calls run in a
    thread; of an AsyncMembrane, synchronous calls run from another thread on the event loop that
    used the store, and raise InvalidStateError in the thread of an event loop. Awaited calls of one
    operation at the same time share a request, and each gets its own error; of writes of one key in
    a shared request, the last that the service accepts takes place.

    The constructor raises TypeError for another client, and ValueError for other `dims`, an unknown
    key of `index` or `ttl`, and a `default_ttl` that the service does not take. A call raises
    InvalidNamespaceError, ValueError or TypeError before any effect for an operation that is not
    valid, and a MembraneError for a refusal or a failure.
    """

    supports_ttl = True

    def __init__(
        self,
        client: Membrane | AsyncMembrane,
        *,
        scope: str | None = None,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        require_client(client, Membrane, AsyncMembrane)
        require_periods(ttl)
        self._client, self._scope = client, scope
        self._paths = paths = paths_of(index)
        self.index_config: IndexConfig | None = (
            None if paths is None else {"dims": DIMENSIONS, "fields": [*paths]}
        )
        self.ttl_config = ttl
        self._loop = running_loop()  # The event loop that used the store last
        self._shared: dict[asyncio.AbstractEventLoop, tuple[list[Work], asyncio.Task[None]]] = {}
        """The work of the next request of each event loop, and the task that sends the request."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        works = plan(ops, self._scope, self._paths)
        steps = self._exchange(works)
        if isinstance(self._client, Membrane):
            self._client._run(steps)  # noqa: SLF001 - a call of the client
        else:
            self._run_on_loop(steps)
        return _results(works)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        works = plan(ops, self._scope, self._paths)
        self._loop = asyncio.get_running_loop()
        if len(works) == 1:
            await self._share(works[0], self._loop)
        else:
            await self._run_awaited(self._exchange(works))
        return _results(works)

    def sweep_ttl(self) -> int:
        """Returns 0: expired items are hidden already."""
        return 0

    def start_ttl_sweeper(
        self,
        sweep_interval_minutes: float | None = None,  # noqa: ARG002 - as other stores have it
    ) -> Future[None]:
        """Returns a future that is done."""
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - the same
        """Returns True, as for a sweeper that does not run."""
        return True

    async def _share(self, work: Work, loop: asyncio.AbstractEventLoop) -> None:
        """Do the work in a request shared with other tasks; a cancelled task leaves it to them."""
        shared = self._shared.get(loop)
        if shared is None or shared[1].done() or shared[1].cancelling():
            works: list[Work] = []
            shared = works, loop.create_task(self._perform_shared(loop, works))
            self._shared[loop] = shared
        shared[0].append(work)
        await asyncio.shield(shared[1])

    async def _perform_shared(self, loop: asyncio.AbstractEventLoop, works: list[Work]) -> None:
        """Send the work, once the ready tasks have brought theirs."""
        del self._shared[loop]
        await self._run_awaited(self._exchange(works, is_shared=True))

    def _exchange(self, works: Sequence[Work], *, is_shared: bool = False) -> Steps[None]:
        return exchange(self._client._api, works, is_shared=is_shared)  # noqa: SLF001 - the same

    async def _run_awaited(self, steps: Steps[None]) -> None:
        if isinstance(self._client, Membrane):
            await asyncio.to_thread(self._client._run, steps)  # noqa: SLF001 - the same
        else:
            await self._client._run(steps)  # noqa: SLF001 - the same

    def _run_on_loop(self, steps: Steps[None]) -> None:
        """Raises InvalidStateError in a thread with an event loop, and without a loop to use."""
        if running_loop() is not None:
            raise asyncio.InvalidStateError(
                "a synchronous call would block the event loop: await aget, aput, asearch, "
                "adelete, alist_namespaces or abatch, or give the store a Membrane"
            )
        if self._loop is None or not self._loop.is_running():
            raise asyncio.InvalidStateError(
                "no event loop runs that used the store: give the store a Membrane for "
                "synchronous code"
            )
        asyncio.run_coroutine_threadsafe(self._run_awaited(steps), self._loop).result()


def _results(works: Sequence[Work]) -> list[Result]:
    """The results in order; raises the first error."""
    for each in works:
        if each.error is not None:
            raise each.error
    return [each.result for each in works]
