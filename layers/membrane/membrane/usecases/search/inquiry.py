"""What a retrieval looks for, whichever way it was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from membrane.domain.access.requests import TrustInput
from membrane.domain.access.trust import Gate, Trust
from membrane.domain.language.digests import digest
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.natural_key import fact_key, thread_key
from membrane.domain.records.records import as_json
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
from membrane.usecases.machinery.named_scopes import known_scopes, named_scopes
from membrane.usecases.ports.services_search import ReadingServices

_OF_ONE_PAGE = frozenset({"cursor", "limit", "max_tokens", "consistency_tokens"})
"""What may differ from page to page of one retrieval."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is looked for, where, and for whom."""

    gate: Gate
    scopes: Sequence[str]
    types: Sequence[MemoryType]
    filters: Filters
    binding: bytes
    """Tells this principal's request from all others, for its cursors."""
    limit: int
    """Records on the page, where a reply has room for them."""
    min_salience: float = 0.0
    task: str = ""
    """Empty where salience alone decides."""
    min_score: float = 0.0
    """What scores less for the task is left out; with 0, what is salient follows what was found."""
    as_of: datetime | None = None
    """The records as they were then; None = as they are."""
    view: str = FULL
    max_tokens: int = USUAL_TOKENS
    """Of the text of the view PROMPT."""

    @property
    def has_floor(self) -> bool:
        """Whether what is not known to be relevant enough is left out.

        Not where retracted records are asked for: they have no vector, so no score is known.
        """
        return bool(self.task) and self.min_score > 0.0 and not self.filters.include_retracted

    @property
    def is_beyond_index(self) -> bool:
        """Whether filters refuse records that a search finds.

        Then every record that they let through may be further from the task than what is found.
        """
        return self.min_salience > 0.0 or self.filters.are_beyond_index

    @property
    def natural_keys(self) -> Sequence[bytes]:
        """Of the records that alone can match; empty where the filters name none."""
        asked = self.filters
        match list(self.types):
            case [MemoryType.SEMANTIC] if asked.subject is not None and asked.predicate is not None:
                return [fact_key(scope, asked.subject, asked.predicate) for scope in self.scopes]
            case [MemoryType.WORKING] if asked.thread_id is not None:
                return [thread_key(scope, asked.thread_id) for scope in self.scopes]
            case _:
                return []


def inquiry_of(request: Retrieve, call: Call, services: ReadingServices) -> Inquiry:
    """Raises InvalidArgument where the scopes must be named, or are too many.

    Also where the past is asked for and no fact, or what is yet to come.
    """
    gate = Gate.of(call.principal, request.trust)
    as_of = _as_of(request, services)
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
        scopes=scopes_of(gate.asked, services),
        types=filters.types_within(request.memory_types),
        filters=filters,
        binding=binding_of(request, call),
        limit=min(limit, MAX_TASK_PAGE) if task else limit,
        min_salience=request.min_salience,
        task=task,
        min_score=services.score_floor if request.min_score is None else request.min_score,
        as_of=as_of,
        view=request.view,
        max_tokens=request.max_tokens,
    )


def inquiry_of_list(request: ListRecords, call: Call, services: ReadingServices) -> Inquiry:
    """One scope alone, or all that the key covers; raises as `inquiry_of`."""
    gate = Gate.of(call.principal, TrustInput())
    if request.scope is None:
        scopes = scopes_of(gate.asked, services)
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


def _as_of(request: Retrieve, services: ReadingServices) -> datetime | None:
    if request.as_of is None:
        return None
    if request.subject is None or request.predicate is None:
        raise InvalidArgument("as_of needs a subject and a predicate")
    if request.task_descriptor.strip():
        raise InvalidArgument("as_of does not go with a task_descriptor")
    require_past(request.as_of, rfc3339(services.now()))
    return datetime.fromisoformat(request.as_of)


def scopes_of(trust: Trust, services: ReadingServices) -> Sequence[str]:
    """The trust's scopes, else all, and the unscoped one; raises as `named_scopes` does."""
    every = known_scopes(trust, services.search.scopes)
    how = "in trust.scopes, or in the query as scope"
    return named_scopes(every, "a retrieval goes through", how)


def binding_of(request: Part, call: Call) -> bytes:
    """Tells the request from all others, whichever page of it is asked for.

    Of what it says, and not of what that comes to: scopes are added while somebody reads.
    """
    asked = {name: value for name, value in as_json(request).items() if name not in _OF_ONE_PAGE}
    return digest(call.principal.identity, call.rpc, canonical_json(asked).decode())
