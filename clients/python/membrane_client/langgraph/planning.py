"""The work of LangGraph's operations; operations that no store takes are refused here."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, get_args

from langgraph.store.base import (
    GetOp,
    IndexConfig,
    InvalidNamespaceError,
    ListNamespacesOp,
    NamespaceMatchType,
    Op,
    PutOp,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from membrane_client.core.adapters import MAX_LABELS
from membrane_client.langgraph.filters import service_filter
from membrane_client.langgraph.work import MAX_PAGE, Get, Namespaces, Search, Work, Write

DIMENSIONS = 384
"""Of the server's embedder, all-MiniLM-L6-v2."""

MAX_PATHS = 8
"""Indexed paths of a document."""

MIN_PERIOD_S = 0.001
MAX_PERIOD_S = 10 * 365 * 86_400
"""Of the expiry of a document."""

_MINUTE_S = 60

_USED = frozenset({"dims", "embed", "fields"})
_OF_OTHER_STORES = frozenset({"ann_index_config", "distance_type"})
_PERIODS = frozenset({"default_ttl", "omit_expired", "refresh_on_read", "sweep_interval_minutes"})
_ANY = "*"


def paths_of(index: IndexConfig | None) -> Sequence[str] | None:
    """The paths that are searchable by default; None without an index.

    Raises ValueError for an unknown key, for `dims` other than 384, and for more than 8 paths.
    Warns of an embedding function, which nobody calls, and of options of other stores.
    """
    if index is None:
        return None
    _require_known("index", index, _USED | _OF_OTHER_STORES)
    dims = index.get("dims", DIMENSIONS)
    fields: Any = index.get("fields")
    if dims != DIMENSIONS:
        raise ValueError(f"dims is {dims}: the server's embedder has {DIMENSIONS} dimensions")
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


def require_periods(ttl: TTLConfig | None) -> None:
    """Raises ValueError for an unknown key, and for a `default_ttl` that the service refuses."""
    if ttl is None:
        return
    _require_known("ttl", ttl, _PERIODS)
    minutes: object = ttl.get("default_ttl")
    if minutes is None:
        return
    seconds = minutes * _MINUTE_S if isinstance(minutes, int | float) else 0
    if not MIN_PERIOD_S <= seconds <= MAX_PERIOD_S:
        raise ValueError(
            f"default_ttl is {minutes!r}: expected a number of minutes above 0, "
            f"{MAX_PERIOD_S // _MINUTE_S:,} (10 years) at most"
        )


def _require_known(name: str, given: Iterable[str], known: AbstractSet[str]) -> None:
    if unknown := sorted({*given} - known):
        raise ValueError(
            f"{name} has unknown keys: {', '.join(unknown)}. Known keys: {', '.join(sorted(known))}"
        )


@dataclass(frozen=True, slots=True)
class Planner:
    scope: str | None
    paths: Sequence[str] | None

    def plan(self, ops: Iterable[Op]) -> list[Work]:
        """The work of each operation, in order.

        Raises InvalidNamespaceError, ValueError or TypeError for an operation that is not valid.
        """
        given = [*ops]
        for op in given:
            validate_op_namespace(op)
        return [self._work(op) for op in given]

    def _work(self, op: Op) -> Work:
        match op:
            case GetOp():
                return self._get(op)
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op).__name__}")

    def _get(self, op: GetOp) -> Work:
        if not op.namespace:
            return Work()
        return Get(self._request("get", **_place(op), refresh=op.refresh_ttl))

    def _put(self, op: PutOp) -> Work:
        if op.value is None:
            return Write(self._request("delete", **_place(op))) if op.namespace else Work()
        if not op.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty.")
        if not isinstance(op.value, Mapping):
            raise TypeError(f"value is of the class {type(op.value).__name__}: expected a dict")
        if op.ttl is not None and not op.ttl > 0:
            raise ValueError(f"ttl is {op.ttl}: expected minutes above 0")
        period = {} if op.ttl is None else {"ttl_seconds": op.ttl * _MINUTE_S}
        index = self._index(op)
        return Write(self._request("put", **_place(op), value=op.value, index=index, **period))

    def _index(self, op: PutOp) -> Sequence[str]:
        if self.paths is None or op.index is False:
            return ()
        return self.paths if op.index is None else op.index

    def _search(self, op: SearchOp) -> Work:
        _require_offset(op.offset)
        query = "" if self.paths is None else op.query or ""
        request = self._request(
            "search",
            namespace_prefix=tuple(op.namespace_prefix),
            filter=service_filter(op.filter),
            query=query,
        )
        if op.limit < 1:
            return Work(result=[])
        if query.strip() and op.limit + op.offset > MAX_PAGE:
            raise ValueError(f"limit and offset of a search by query are {MAX_PAGE} at most")
        return Search(request, limit=op.limit, offset=op.offset, refresh=op.refresh_ttl)

    def _namespaces(self, op: ListNamespacesOp) -> Work:
        _require_offset(op.offset)
        if op.max_depth is not None and op.max_depth < 1:
            raise ValueError(f"max_depth is {op.max_depth}: expected 1 or more")
        ends = _ends(op)
        if ends is None or op.limit < 1:
            return Work(result=[])
        depth = op.max_depth
        cut = {} if depth is None or depth > MAX_LABELS else {"max_depth": depth}
        request = self._request("namespaces", **ends, **cut)
        return Namespaces(request, limit=op.limit, offset=op.offset)

    def _request(self, op: str, **fields: Any) -> dict[str, Any]:
        scope = {} if self.scope is None else {"scope": self.scope}
        return {"op": op, **scope, **fields}


def _place(op: GetOp | PutOp) -> dict[str, Any]:
    return {"namespace": tuple(op.namespace), "key": str(op.key)}


def _require_offset(offset: int) -> None:
    if offset < 0:
        raise ValueError(f"offset is {offset}: expected 0 or more")


def _ends(op: ListNamespacesOp) -> dict[str, tuple[str, ...]] | None:
    """Prefix and suffix that meet all conditions; None where no namespace can."""
    prefix: tuple[str, ...] | None = ()
    suffix: tuple[str, ...] | None = ()
    for condition in op.match_conditions or ():
        if condition.match_type not in get_args(NamespaceMatchType):
            raise ValueError(f"Match type {condition.match_type} must be prefix or suffix")
        path = tuple(condition.path)
        if condition.match_type == "prefix":
            prefix = None if prefix is None else _both(prefix, path)
        else:
            backwards = None if suffix is None else _both(suffix[::-1], path[::-1])
            suffix = None if backwards is None else backwards[::-1]
    return None if prefix is None or suffix is None else {"prefix": prefix, "suffix": suffix}


def _both(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    """The path that meets two paths; None where two labels differ."""
    pairs = [*zip_longest(first, second, fillvalue=_ANY)]
    if any(_ANY not in pair and pair[0] != pair[1] for pair in pairs):
        return None
    return tuple(other if one == _ANY else one for one, other in pairs)
