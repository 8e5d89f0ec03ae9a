"""A BaseStore of LangGraph over keyed documents."""

import asyncio
import math
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from itertools import zip_longest
from typing import Any, Final, get_args

from langgraph.store import base

from membrane_client.client import AsyncMembrane, Membrane
from membrane_client.core.adapters import MAX_LABELS, MAX_PAGE, require_client
from membrane_client.core.event_loops import running_loop
from membrane_client.core.protocol import Steps
from membrane_client.langgraph.exchange import Work, exchange

DIMENSIONS = 384  # Of the server's embedder, all-MiniLM-L6-v2
MAX_PATHS = 8  # Indexed paths of a document
MIN_PERIOD_S, MAX_PERIOD_S = 0.001, 10 * 365 * 86_400  # Of the expiry of a document
_MINUTE_S = 60

_USED = frozenset({"dims", "embed", "fields"})
_OF_OTHER_STORES = frozenset({"ann_index_config", "distance_type"})
_PERIODS = frozenset({"default_ttl", "omit_expired", "refresh_on_read", "sweep_interval_minutes"})
_ANY_LABEL = "*"
_FILTER_KEY = re.compile(r"[\w.-]+")
_ORDERS = frozenset({"$gt", "$gte", "$lt", "$lte"})
_OPERATORS = _ORDERS | {"$eq", "$ne"}
_NEVER: Mapping[str, Any] = {"$gt": 0, "$lt": 0}
_ALWAYS: Final = object()  # A condition that every value meets


class MembraneStore(base.BaseStore):
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
        index: base.IndexConfig | None = None,
        ttl: base.TTLConfig | None = None,
    ) -> None:
        require_client(client, Membrane, AsyncMembrane)
        require_periods(ttl)
        self._client, self._scope = client, scope
        self._paths = paths = paths_of(index)
        self.index_config: base.IndexConfig | None = (
            None if paths is None else {"dims": DIMENSIONS, "fields": [*paths]}
        )
        self.ttl_config = ttl
        self._loop = running_loop()  # The event loop that used the store last
        self._shared: dict[asyncio.AbstractEventLoop, tuple[list[Work], asyncio.Task[None]]] = {}
        """The work of the next request of each event loop, and the task that sends the request."""

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        works = plan(ops, self._scope, self._paths)
        steps = self._exchange(works)
        if isinstance(self._client, Membrane):
            self._client._run(steps)  # noqa: SLF001 - a call of the client
        else:
            self._run_on_loop(steps)
        return _results(works)

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
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
            request = loop.create_task(self._perform_shared(loop, works))
            request.add_done_callback(lambda done: self._forget_shared(loop, done))
            self._shared[loop] = shared = works, request
        shared[0].append(work)
        await asyncio.shield(shared[1])

    async def _perform_shared(self, loop: asyncio.AbstractEventLoop, works: list[Work]) -> None:
        """Send the work, once the ready tasks have brought theirs."""
        del self._shared[loop]
        await self._run_awaited(self._exchange(works, is_shared=True))

    def _forget_shared(self, loop: asyncio.AbstractEventLoop, done: "asyncio.Task[None]") -> None:
        """Forget a request that was cancelled before it began, with its event loop."""
        if (shared := self._shared.get(loop)) and shared[1] is done:
            del self._shared[loop]

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


def _results(works: Sequence[Work]) -> list[base.Result]:
    for each in works:
        if each.error is not None:
            raise each.error
    return [each.result for each in works]


def paths_of(index: base.IndexConfig | None) -> Sequence[str] | None:
    """The paths that are searchable by default; None without an index.

    Raises ValueError for an unknown key, for `dims` other than 384, and for more than 8 paths.
    Warns of an embedding function, which nobody calls, and of options of other stores.
    """
    if index is None:
        return None
    _require_known("index", index, _USED | _OF_OTHER_STORES)
    dims = index.get("dims", DIMENSIONS)
    if dims != DIMENSIONS:
        raise ValueError(f"dims is {dims}: the server's embedder has {DIMENSIONS} dimensions")
    fields: Any = index.get("fields")
    paths = ["$"] if fields is None else [fields] if isinstance(fields, str) else [*fields]
    if len(paths) > MAX_PATHS:
        raise ValueError(f"fields has {len(paths)} paths: a document has at most {MAX_PATHS}")
    unused = sorted(name for name in index if name not in _USED)
    if index.get("embed") is not None:
        unused.append("embed")
    if unused:
        message = f"not used, because the server embeds: {', '.join(unused)}"
        warnings.warn(message, UserWarning, stacklevel=3)
    return paths


def require_periods(ttl: base.TTLConfig | None) -> None:
    """Raises ValueError for an unknown key, and for a `default_ttl` that the service refuses."""
    _require_known("ttl", ttl or (), _PERIODS)
    minutes: object = (ttl or {}).get("default_ttl")
    seconds = minutes * _MINUTE_S if isinstance(minutes, int | float) else 0
    if minutes is not None and not MIN_PERIOD_S <= seconds <= MAX_PERIOD_S:
        raise ValueError(
            f"default_ttl is {minutes!r}: expected a number of minutes above 0, "
            f"{MAX_PERIOD_S // _MINUTE_S:,} (10 years) at most"
        )


def _require_known(name: str, given: Iterable[str], known: AbstractSet[str]) -> None:
    if unknown := sorted({*given} - known):
        raise ValueError(
            f"{name} has unknown keys: {', '.join(unknown)}. Known keys: {', '.join(sorted(known))}"
        )


def plan(ops: Iterable[base.Op], scope: str | None, paths: Sequence[str] | None) -> list[Work]:
    """The work of each operation; ValueError or TypeError for an operation that is not valid."""
    given = [*ops]
    for op in given:
        base.validate_op_namespace(op)
    shared = {} if scope is None else {"scope": scope}
    return [_work(op, shared, paths) for op in given]


def _work(op: base.Op, shared: Mapping[str, Any], paths: Sequence[str] | None) -> Work:
    match op:
        case base.GetOp():
            request = {"op": "get", **shared, **_place(op), "refresh": op.refresh_ttl}
            return Work(request) if op.namespace else Work()
        case base.PutOp(value=None):
            return Work({"op": "delete", **shared, **_place(op)}) if op.namespace else Work()
        case base.PutOp():
            return Work({"op": "put", **shared, **_place(op), **_content(op, paths)})
        case base.SearchOp() | base.ListNamespacesOp() if op.offset < 0:
            raise ValueError(f"offset is {op.offset}: expected 0 or more")
        case base.SearchOp():
            return _search(op, shared, paths)
        case base.ListNamespacesOp():
            return _namespaces(op, shared)
    raise ValueError(f"Unknown operation type: {type(op).__name__}")


def _place(op: base.GetOp | base.PutOp) -> dict[str, Any]:
    return {"namespace": tuple(op.namespace), "key": str(op.key)}


def _content(op: base.PutOp, paths: Sequence[str] | None) -> Mapping[str, Any]:
    if not op.namespace:
        raise base.InvalidNamespaceError("Namespace cannot be empty.")
    if not isinstance(op.value, Mapping):
        raise TypeError(f"value is of the class {type(op.value).__name__}: expected a dict")
    if op.ttl is not None and not op.ttl > 0:
        raise ValueError(f"ttl is {op.ttl}: expected minutes above 0")
    period = {} if op.ttl is None else {"ttl_seconds": op.ttl * _MINUTE_S}
    index = paths if op.index is None else op.index or ()
    return {"value": op.value, "index": () if paths is None else index, **period}


def _search(op: base.SearchOp, shared: Mapping[str, Any], paths: Sequence[str] | None) -> Work:
    query = "" if paths is None else op.query or ""
    end = op.offset + op.limit
    request = {
        "op": "search",
        **shared,
        "namespace_prefix": tuple(op.namespace_prefix),
        "filter": _filter(op.filter or {}),
        "query": query,
        "limit": min(end, MAX_PAGE),
        "refresh": op.refresh_ttl and not op.offset,
    }
    if op.limit < 1:
        return Work(result=[])
    if query.strip() and end > MAX_PAGE:
        raise ValueError(f"limit and offset of a search by query are {MAX_PAGE} at most")
    later = op.refresh_ttl and op.offset > 0
    return Work(request, shown=slice(op.offset, end), refreshes_later=later)


def _namespaces(op: base.ListNamespacesOp, shared: Mapping[str, Any]) -> Work:
    depth = op.max_depth
    if depth is not None and depth < 1:
        raise ValueError(f"max_depth is {depth}: expected 1 or more")
    conditions = op.match_conditions or ()
    for each in conditions:
        if each.match_type not in get_args(base.NamespaceMatchType):
            raise ValueError(f"Match type {each.match_type} must be prefix or suffix")
    prefix = _all_of([each.path for each in conditions if each.match_type == "prefix"])
    backwards = _all_of([each.path[::-1] for each in conditions if each.match_type == "suffix"])
    if prefix is None or backwards is None or op.limit < 1:
        return Work(result=[])
    cut = {} if depth is None or depth > MAX_LABELS else {"max_depth": depth}
    end = op.offset + op.limit
    ends = {"prefix": prefix, "suffix": backwards[::-1], **cut}
    request = {"op": "namespaces", **shared, **ends, "limit": min(end, MAX_PAGE)}
    return Work(request, shown=slice(op.offset, end))


def _all_of(paths: Iterable[Sequence[str]]) -> Sequence[str] | None:
    """The path that meets all paths; None where two labels differ."""
    places = [{*labels} - {_ANY_LABEL} for labels in zip_longest(*paths, fillvalue=_ANY_LABEL)]
    if any(len(labels) > 1 for labels in places):
        return None
    return [next(iter(labels), _ANY_LABEL) for labels in places]


def _filter(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The filter for a request; JSON has no NaN and no infinity, so those are worked out here."""
    for key in conditions:
        if not _FILTER_KEY.fullmatch(key):
            raise ValueError(
                f"Invalid filter key: {key!r}. A key has letters, digits, dots, hyphens and "
                "underscores"
            )
    return _conditions(conditions)


def _conditions(conditions: Mapping[str, Any]) -> dict[str, Any]:
    pairs = [(key, _condition(inner)) for key, inner in conditions.items()]
    return {key: condition for key, condition in pairs if condition is not _ALWAYS}


def _condition(condition: Any) -> Any:
    if not isinstance(condition, Mapping):
        return condition if _is_finite(condition) else _NEVER
    if any(str(key).startswith("$") for key in condition):
        return _operators(condition)
    return _conditions(condition)


def _operators(condition: Mapping[str, Any]) -> Any:
    kept: dict[str, Any] = {}
    for operator, operand in condition.items():
        if operator not in _OPERATORS:
            known = ", ".join(sorted(_OPERATORS))
            raise ValueError(f"Unsupported operator: {operator!r}. Known operators: {known}")
        if _is_finite(operand):
            kept[operator] = operand
        elif operator in _ORDERS and isinstance(operand, float) and math.isinf(operand):
            kept[operator] = math.copysign(sys.float_info.max, operand)
        elif operator != "$ne":
            return _NEVER
    return kept or _ALWAYS


def _is_finite(value: Any) -> bool:
    """Whether JSON has the value: no stored value equals any other."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    return not isinstance(value, list | tuple) or all(map(_is_finite, value))
