"""The inquiry: a validated retrieval or list request with scopes, types, filters and limits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Gate, Trust
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import as_json
from membrane.domain.records.standing import fact_key, thread_key
from membrane.domain.records.versions import require_past
from membrane.domain.search.filters import Filters
from membrane.domain.search.requests import (
    FULL,
    MAX_TASK_PAGE,
    USUAL_LIMIT,
    USUAL_PAGE,
    USUAL_TOKENS,
    ListRecords,
    Retrieve,
)
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import known_scopes, named_scopes
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.usecases.machinery.side_by_side import Place

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
    view: str = FULL
    max_tokens: int = USUAL_TOKENS
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


def inquiry_of(request: Retrieve, call: Call, world: World) -> Inquiry:
    """The inquiry of a retrieval.

    Raises InvalidArgument if the scopes must be named or are too many, for `as_of` without
    `subject` and `predicate`, for `as_of` with `task_descriptor`, and for an instant in the future.
    """
    gate = Gate.of(call.principal.trust, request.trust)
    as_of = _as_of(request, world)
    task, limit = request.task_descriptor.strip(), request.limit or USUAL_LIMIT
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
        limit=min(limit, MAX_TASK_PAGE) if task else limit,
        min_salience=request.min_salience,
        task=task,
        min_score=world.score_floor if request.min_score is None else request.min_score,
        as_of=as_of,
        view=request.view,
        max_tokens=request.max_tokens,
    )


def inquiry_of_list(request: ListRecords, call: Call, world: World) -> Inquiry:
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
        limit=request.limit or USUAL_PAGE,
        view=request.view,
    )


def _as_of(request: Retrieve, world: World) -> datetime | None:
    if request.as_of is None:
        return None
    if request.subject is None or request.predicate is None:
        raise InvalidArgument("as_of needs a subject and a predicate")
    if request.task_descriptor.strip():
        raise InvalidArgument("as_of does not go with a task_descriptor")
    require_past(request.as_of, rfc3339(world.now()))
    return datetime.fromisoformat(request.as_of)


def scopes_of(trust: Trust, world: World) -> Sequence[str]:
    """The scopes of the trust or, for a trust of all scopes, every scope; with unscoped ("").

    Raises InvalidArgument as `named_scopes` does.
    """
    every = known_scopes(trust, world.search.scopes)
    how = "in trust.scopes, or in the query as scope"
    return named_scopes(every, "a retrieval goes through", how)


def binding_of(request: Part, call: Call) -> bytes:
    """A digest of the request that is equal for all pages.

    The digest covers the fields of the request, not the resolved scopes, because new scopes may
    appear between two pages.
    """
    asked = {name: value for name, value in as_json(request).items() if name not in _OF_ONE_PAGE}
    return digest(call.principal.identity, call.rpc, canonical_json(asked).decode())


def place_in(cursor: str | None, binding: bytes, world: World) -> "Place | None":
    """The place behind which the page of a cursor begins; None without a cursor.

    Raises InvalidArgument for a cursor of a different request.
    """
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
