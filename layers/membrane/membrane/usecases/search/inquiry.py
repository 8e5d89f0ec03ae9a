"""The inquiry: a validated retrieval or list request with scopes, types, filters and limits."""

import math
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Gate, Trust
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject, canonical_json, digest
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import as_json
from membrane.domain.records.standing import fact_key, thread_key
from membrane.domain.records.versions import require_past
from membrane.domain.search import requests
from membrane.domain.search.filters import Filters
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.search import MAX_FOUND
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.usecases.machinery.calls import Place


_OF_ONE_PAGE = frozenset(
    {"cursor", "limit", "max_tokens", "node_limit", "edge_limit", "consistency_tokens"}
)
"""The request fields that may differ between the pages of a retrieval."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The wanted records, the places to search, and the trust of the reader."""

    gate: Gate
    scopes: Sequence[str]
    types: Sequence[MemoryType]
    filters: Filters
    binding: bytes
    """A digest of principal and request, to which cursors are bound."""
    limit: int
    """The most records on a page; the size of a reply may lower the number."""
    min_salience: float = 0.0
    task: str = ""
    """Empty for an order by salience."""
    min_score: float = 0.0
    """The score floor; with 0, salient records follow the records that the search found."""
    as_of: datetime | None = None
    """The instant of the wanted versions; None = now."""
    view: str = requests.FULL
    max_tokens: int = requests.USUAL_TOKENS
    """The most tokens of the text of the view PROMPT."""

    @property
    def has_floor(self) -> bool:
        """Whether records without a sufficient score are left out.

        False with `include_retracted`: a retracted record has no vector, so no known score.
        """
        return bool(self.task) and self.min_score > 0.0 and not self.filters.include_retracted

    @property
    def is_beyond_index(self) -> bool:
        """Whether filters may refuse every record that the search finds.

        The matching records may then be further from the task than all found records.
        """
        return self.min_salience > 0.0 or self.filters.are_beyond_index

    @property
    def natural_keys(self) -> Sequence[bytes]:
        """The natural keys that every match must have; empty without such filters."""
        asked = self.filters
        match list(self.types):
            case [MemoryType.SEMANTIC] if asked.subject is not None and asked.predicate is not None:
                return [fact_key(scope, asked.subject, asked.predicate) for scope in self.scopes]
            case [MemoryType.WORKING] if asked.thread_id is not None:
                return [thread_key(scope, asked.thread_id) for scope in self.scopes]
            case _:
                return []


def inquiry_of(request: requests.Retrieve, call: Call, world: World) -> Inquiry:
    """The inquiry of a retrieval.

    Raises InvalidArgument if the scopes must be named or are too many, for `as_of` without
    `subject` and `predicate`, for `as_of` with `task_descriptor`, and for an instant in the future.
    """
    gate = Gate.of(call.principal.trust, request.trust)
    as_of = _as_of(request, world)
    task, limit = request.task_descriptor.strip(), request.limit or requests.USUAL_LIMIT
    filters = Filters(
        tags=request.tags,
        thread_id=request.thread_id,
        subject=request.subject,
        predicate=request.predicate,
        created_after=request.created_after,
        created_before=request.created_before,
        include_retracted=request.include_retracted,
        outcome=request.outcome,
    )
    return Inquiry(
        gate=gate,
        scopes=scopes_of(gate.asked, world),
        types=filters.types_within(request.memory_types),
        filters=filters,
        binding=binding_of(request, call),
        limit=min(limit, requests.MAX_TASK_PAGE) if task else limit,
        min_salience=request.min_salience,
        task=task,
        min_score=world.score_floor if request.min_score is None else request.min_score,
        as_of=as_of,
        view=request.view,
        max_tokens=request.max_tokens,
    )


def inquiry_of_list(request: requests.ListRecords, call: Call, world: World) -> Inquiry:
    """The inquiry of a list of one scope or of every scope of the key; raises as `inquiry_of`."""
    gate = Gate.of(call.principal.trust, TrustInput())
    if request.scope is None:
        scopes = scopes_of(gate.asked, world)
    else:
        scopes = [request.scope] if gate.asked.covers(request.scope) else []
    filters = Filters()
    return Inquiry(
        gate=gate,
        scopes=scopes,
        types=filters.types_within(request.types),
        filters=filters,
        binding=binding_of(request, call),
        limit=request.limit or requests.USUAL_PAGE,
        view=request.view,
    )


def _as_of(request: requests.Retrieve, world: World) -> datetime | None:
    if request.as_of is None:
        return None
    if request.subject is None or request.predicate is None:
        raise InvalidArgument("as_of needs a subject and a predicate")
    if request.task_descriptor.strip():
        raise InvalidArgument("as_of does not go with a task_descriptor")
    require_past(request.as_of, rfc3339(world.now()))
    return datetime.fromisoformat(request.as_of)


def scopes_of(trust: Trust, world: World) -> Sequence[str]:
    """The trust's scopes, or all, and "". Raises InvalidArgument beyond MAX_SCOPES."""
    how = "in trust.scopes, or in the query as scope"
    return trust.known_scopes(world.search.scopes, "a retrieval goes through", how)


def binding_of(request: Part, call: Call) -> bytes:
    """A digest of the request that is equal for all pages.

    The digest covers the fields of the request, not the resolved scopes, because new scopes may
    appear between two pages.
    """
    asked = {name: value for name, value in as_json(request).items() if name not in _OF_ONE_PAGE}
    return digest(call.principal.identity, call.rpc, canonical_json(asked).decode())


def place_in(cursor: str | None, binding: bytes, world: World) -> "Place | None":
    """The place behind which a page begins, if any. Raises InvalidArgument."""
    if cursor is None:
        return None
    match decode(cursor, binding, world.cursor_key()):
        case {"place": [int() | float() as newness, str(record_id)]} if math.isfinite(newness):
            return float(newness), record_id
        case _:
            raise foreign_cursor()


def cursor_at(place: Sequence[object] | None, binding: bytes, world: World) -> str | None:
    """The cursor of the page behind a place; None at the end."""
    if place is None:
        return None
    return encode({"place": list(place)}, binding, world.cursor_key())


MAX_GIVEN = 400
"""The most marks in a cursor: of records given by score, and of records from tokens."""

MAX_REACH = 4
"""The greatest reach of a page; see `Progress.reach`."""

MARK_BYTES = 6
MARK_CHARACTERS = 8
_LATEST_S = 253_402_300_800
"""The end of the calendar."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a page; the default is the state before the first page."""

    at_s: float
    """The instant of the first page, in seconds since 1970; all pages are ordered by it."""
    given: tuple[str, ...] = ()
    """Marks of given records, to be skipped; marks of records given by score come first.

    A cursor carries MAX_GIVEN marks: all by score, and the newest of the rest.
    """
    fused: int | None = 0
    """The number of records given by score; None once the order is by salience."""
    rank: JsonObject | None = None
    """The point at which the order by salience continues; None = the beginning."""
    reach: int = 1
    """How far a page of a graph reads behind hidden and ended records, as a multiple of the first
    page."""

    def cursor(self, binding: bytes, key: bytes) -> str:
        fused, others = self.given[:MAX_FOUND], self.given[MAX_FOUND:]
        newest = others[-(MAX_GIVEN - MAX_FOUND) :]
        state = {"at": self.at_s, "given": "".join((*fused, *newest))}
        reach = None if self.reach == 1 else self.reach
        optional = {"fused": self.fused, "rank": self.rank, "reach": reach}
        return encode(state | {k: v for k, v in optional.items() if v is not None}, binding, key)


def progress_of(
    cursor: str | None, binding: bytes, now_s: float, key: Callable[[], bytes]
) -> Progress:
    """The progress in a cursor; raises InvalidArgument for a cursor of a different request."""
    if cursor is None:
        return Progress(now_s)
    match decode(cursor, binding, key()):
        case {"at": int() | float() as at_s, "given": str(given), **rest} if _is_instant(at_s):
            fused, rank, reach = rest.get("fused"), rest.get("rank"), rest.get("reach", 1)
            is_sound = fused is None or _is_whole(fused, 0, MAX_FOUND)
            is_sound = is_sound and isinstance(rank, dict | None) and _is_whole(reach, 1, MAX_REACH)
            if not is_sound:
                raise foreign_cursor()
            return Progress(min(at_s, now_s), _marks(given), fused, rank, reach)
        case _:
            raise foreign_cursor()


def marks_of(record_ids: Iterable[str]) -> tuple[str, ...]:
    """Short digests of record ids, to recognise given records."""
    return tuple(map(mark_of, record_ids))


def mark_of(record_id: str) -> str:
    return urlsafe_b64encode(digest(record_id)[:MARK_BYTES]).decode()


def _is_instant(at_s: Any) -> bool:
    return not isinstance(at_s, bool) and math.isfinite(at_s) and 0 <= at_s < _LATEST_S


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _marks(joined: str) -> tuple[str, ...]:
    if len(joined) > MAX_GIVEN * MARK_CHARACTERS or len(joined) % MARK_CHARACTERS:
        raise foreign_cursor()
    steps = range(0, len(joined), MARK_CHARACTERS)
    return tuple(joined[start : start + MARK_CHARACTERS] for start in steps)
