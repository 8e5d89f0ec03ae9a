"""Short verbs over the operations: an agent's daily work with memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from membrane_client.core.api import Api, is_blank, require_scope
from membrane_client.core.parameters import Json, Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, NotGiven, Steps
from membrane_client.errors import Conflict, InvalidCall, NotFound
from membrane_client.operations import erasures, ingest, lifecycle, records, revision, search
from membrane_client.values.erasures import Erasure, ErasureState
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import (
    Captured,
    Graph,
    IngestedMessages,
    MemoryRecord,
    Recalled,
    RecordList,
    RecordVersion,
)

NOTED = "noted"
"""The predicate of a remembered text."""

WAIT_S = 900.0
"""The pauses of `forget` between looks at an erasure, in all."""

VIEWS = ("brief", "prompt")
"""The views of `recall`."""

_GRAPH_OWN = frozenset({"api", "task", "scope"})
"""The parameters of `graph` under names of its own."""

_OF_THE_RECORD = ("type", "sensitivity", "scope", "tags", "confidence")
_OF_THE_LIFECYCLE = ("decay", "deletion_policy", "pinned")
"""The fields a corrected fact takes over."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A version of a record."""

    record_id: str
    version: RecordVersion
    record: MemoryRecord | None
    """The record of the time; None where hidden from the key."""

    @property
    def who(self) -> str | None:
        """The actor of the key, else the actor that was claimed."""
        return self.version.principal or self.version.actor

    @property
    def when(self) -> datetime:
        return self.version.valid_from

    @property
    def why(self) -> str | None:
        return self.version.rationale

    @property
    def content(self) -> Any:
        """A fact's object; of a record without a fact the payload, as JSON."""
        payload = None if self.record is None else self.record.payload
        if isinstance(payload, SemanticPayload):
            return payload.object
        return None if payload is None else payload.raw


def remember(
    api: Api,
    text: str,
    predicate: str | NotGiven = NOT_GIVEN,
    object: Any = NOT_GIVEN,
    *,
    on_conflict: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Keep a text, or a fact: `remember(subject, predicate, object)`.

    A text is kept as a fact with the user, or the scope, as subject and the predicate `noted`,
    beside all earlier notes. Raises TypeError for a predicate or an object alone, and InvalidCall
    for a text or an object that is empty, or in which nothing can be seen.
    """
    if (predicate is NOT_GIVEN) is not (object is NOT_GIVEN):
        raise TypeError("remember takes a text, or a subject, a predicate and an object")
    require_scope(scope)
    subject = text
    if isinstance(predicate, NotGiven):
        if is_blank(str(text or "")):
            raise InvalidCall("text is empty: a note needs a text")
        subject = user or api.options.user or scope or api.options.scope or "user"
        predicate, object = NOTED, text
        on_conflict = "keep" if on_conflict is NOT_GIVEN else on_conflict
    else:
        _require_object(object)
    return ingest.ingest_observation(
        api,
        subject,
        predicate,
        object,
        on_conflict=on_conflict,
        sensitivity=sensitivity,
        source=source,
        tags=tags,
        scope=scope,
        lifecycle=lifecycle,
        user=user,
        idempotency_key=idempotency_key,
    )


def add(
    api: Api,
    messages: Sequence[Json],
    *,
    session: str,
    user: User = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[IngestedMessages]:
    """Keep messages of a conversation, `[{"role": "user", "content": "..."}]`: all, or none."""
    given = {name: value for name, value in locals().items() if name != "api"}
    require_scope(scope)
    return ingest.ingest_messages(api, **given)


def capture(
    api: Api,
    content: Any,
    *,
    source_kind: Opt[str] = NOT_GIVEN,
    context: Any = NOT_GIVEN,
    reason: Opt[str] = NOT_GIVEN,
    proposed_type: Opt[str] = NOT_GIVEN,
    summary: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: str = "",
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Captured]:
    """Keep anything as evidence, linked to the entities that `content` names.

    `.primary_record` is the evidence, `.created_records` has new entities and a new fact, `.edges`
    the links. `source_kind` is event, tool_output, observation, working_state, agent_turn or a word
    of yours; `reason` says why the content matters. Raises InvalidCall for a text in which nothing
    can be seen.
    """
    if is_blank(content):
        raise InvalidCall("content is empty: a capture needs a content")
    given = {name: value for name, value in locals().items() if name not in {"api", "reason"}}
    require_scope(scope)
    return ingest.capture_memory(api, **given, reason_to_remember=reason)


def recall(
    api: Api,
    question: Opt[str] = NOT_GIVEN,
    *,
    limit: int = 8,
    user: User = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    types: Opt[Texts | str] = NOT_GIVEN,
    outcome: Opt[Texts | str] = NOT_GIVEN,
    min_score: Opt[float] = NOT_GIVEN,
    view: str = "brief",
    max_tokens: Opt[int] = NOT_GIVEN,
) -> Steps[Recalled]:
    """Memories for the question, the best first: `.text`, `.score`, `.id`, `.when`, `.who`.

    With `view="prompt"`, `str()` of the result is a text of at most `max_tokens`, from the first
    page of memories. `outcome` selects episodes by success, failure or partial. Raises InvalidCall
    for another view: `retrieve` gives whole records.
    """
    require_scope(scope)
    if view not in VIEWS:
        raise InvalidCall(
            f"view is {view!r}: expected brief or prompt; retrieve gives whole records"
        )
    given: dict[str, Any] = {
        "task_descriptor": question,
        "limit": limit,
        "memory_types": [types] if isinstance(types, str) else types,
        "outcome": outcome,
        "min_score": min_score,
        "view": view,
        "max_tokens": max_tokens,
        "trust": {"scopes": [scope]} if scope else NOT_GIVEN,
        "consistency_tokens": NOT_GIVEN,
        "user": user,
    }
    page = yield from api.ask("POST /v1/retrieve", given, Recalled)
    receipts = [page.receipt_id]
    shown = [*page.raw.get("records", ())]
    while page.prompt is None and page.next_cursor and len(shown) < limit:
        further = {**given, "cursor": page.next_cursor, "limit": limit - len(shown)}
        page = yield from api.ask("POST /v1/retrieve", further, Recalled)
        receipts.append(page.receipt_id)
        shown += page.raw.get("records", ())
    page.raw["records"] = shown[:limit]
    page.raw["receipt_ids"] = [each for each in receipts if each is not None]
    return page


def graph(
    api: Api,
    task: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    memory_types: Opt[Texts] = NOT_GIVEN,
    min_salience: Opt[float] = NOT_GIVEN,
    min_score: Opt[float] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    root_limit: Opt[int] = 10,
    node_limit: Opt[int] = 25,
    edge_limit: Opt[int] = 100,
    max_hops: Opt[int] = 1,
    predicates: Opt[Texts] = NOT_GIVEN,
    node_types: Opt[Texts] = NOT_GIVEN,
    cursor: Opt[str] = NOT_GIVEN,
) -> Steps[Graph]:
    """Records for a task as roots, and the records that relations connect with the roots.

    `.nodes` has the records by worth, each with a `path` from a root, `.edges` the relations
    between nodes, `.root_ids` the roots. `memory_types`, `tags` and `min_score` select roots,
    `node_types` further nodes, and `predicates` edges.
    """
    given = {name: value for name, value in locals().items() if name not in _GRAPH_OWN}
    require_scope(scope)
    trust = {"scopes": [scope]} if scope else NOT_GIVEN
    return search.retrieve_graph(api, task, trust=trust, **given)


def outcome(
    api: Api,
    record_id: str,
    status: str,
    *,
    reason: str | None = None,
    receipt_id: str | None = None,
    used_ids: Texts = (),
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Say how an episode ended: success, failure or partial.

    The memories of the answer with `receipt_id`, above all those in `used_ids`, get credit.
    """
    return ingest.ingest_outcome(
        api,
        record_id,
        status,
        reason=NOT_GIVEN if reason is None else reason,
        receipt_id=NOT_GIVEN if receipt_id is None else receipt_id,
        used_ids=used_ids or NOT_GIVEN,
        user=user,
        idempotency_key=idempotency_key,
    )


def correct(
    api: Api,
    record_id: str,
    object: Any,
    *,
    why: str,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Replace a fact by the same fact with a new object; returns the new record.

    Raises InvalidCall for a record of any type but semantic, and for an empty object.
    """
    _require_object(object)
    old = yield from records.retrieve_by_id(api, record_id, user=user)
    if not isinstance(old.payload, SemanticPayload):
        raise InvalidCall(f"record_id: {record_id} is of the type {old.type}, not a fact")
    return (
        yield from revision.supersede(
            api,
            record_id,
            _corrected_fact(old, old.payload, object, why),
            rationale=why,
            user=user,
            idempotency_key=idempotency_key,
        )
    )


def forget(
    api: Api,
    record_id: str | None = None,
    *,
    why: str | None = None,
    erase: bool = False,
    scope: Opt[str] = NOT_GIVEN,
    subject: Opt[str] = NOT_GIVEN,
    ids: Opt[Texts] = NOT_GIVEN,
    dry_run: bool = True,
    reason: Opt[str] = NOT_GIVEN,
    wait_seconds: float = WAIT_S,
    on_progress: erasures.Watching | None = None,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Erasure | None]:
    """Delete one record, `forget(record_id, why=…)`, or erase a target, `forget(user=…)`.

    Of a record, `erase` removes the content for good, and needs admin. A target is `scope`, `user`,
    `subject` or `ids`; `subject` may come with `scope` or `user`. The erasure of a target only
    lists unless `dry_run=False`. The result is the ended erasure with all findings. `reason` goes
    into the certificate, so name no person there. Raises StillRunning when the pauses between looks
    at the erasure add up to `wait_seconds`, and TypeError for a record and a target at once.
    """
    target = (scope, subject, ids)
    if record_id is not None:
        if why is None or any(each is not NOT_GIVEN for each in (*target, reason)) or not dry_run:
            raise TypeError("forget takes a record_id and why, or a target without a record_id")
        return lifecycle.delete_record(
            api,
            record_id,
            rationale=why,
            erase=erase,
            user=user,
            idempotency_key=idempotency_key,
        )
    if why is not None or erase:
        raise TypeError("why and erase need a record_id; a target has reason and dry_run")
    if user is NOT_GIVEN and all(each in (NOT_GIVEN, None) for each in target):
        raise TypeError("forget takes a record_id, or scope, user, subject or ids")
    _require_target(*target)
    return _erase_target(
        api,
        erasures.start_erasure(
            api,
            scope=scope,
            subject=subject,
            ids=ids,
            dry_run=dry_run,
            reason=reason,
            user=user,
            idempotency_key=idempotency_key,
        ),
        user,
        wait_seconds,
        on_progress,
    )


def history(api: Api, record_id: str, *, user: User = NOT_GIVEN) -> Steps[Sequence[HistoryEntry]]:
    """All versions of the record, of successors and of predecessors, the newest first."""
    current: str | None = yield from _latest(api, record_id, user)
    entries: list[HistoryEntry] = []
    seen: set[str] = set()
    while current and current not in seen:
        seen.add(current)
        try:
            own = yield from _history_of(api, current, user)
        except NotFound:
            if current == record_id:
                raise
            break  # a predecessor that is gone, or that the key may not see
        entries += reversed(own)
        current = _predecessor(own)
    return entries


def get_all(
    api: Api,
    user: User = NOT_GIVEN,
    scope: Opt[str] = None,
    types: Texts | str | None = None,
    *,
    state: Opt[str] = "active",
    limit: int = 100,
    cursor: Opt[str] = NOT_GIVEN,
) -> Steps[RecordList]:
    """All records, by salience; `limit` is the size of a page.

    The states `deleted` and `pruned` give pages with `removed_records`.
    """
    require_scope(scope)
    return records.list_records(
        api,
        scope=NOT_GIVEN if scope is None else scope,
        type=NOT_GIVEN if types is None else types,
        state=state,
        limit=limit,
        cursor=cursor,
        user=user,
    )


def _require_target(scope: Opt[str], subject: Opt[str], ids: Opt[Texts]) -> None:
    """Raises InvalidCall for an empty part, without which the service would erase a whole scope."""
    require_scope(scope)
    if isinstance(subject, str) and not subject.strip():
        raise InvalidCall("subject is empty: leave it out, or name one")
    if not isinstance(ids, NotGiven | None) and not ids:
        raise InvalidCall("ids is empty: leave it out, or name records and topics")


def _erase_target(
    api: Api,
    starting: Steps[ErasureState],
    user: User,
    wait_seconds: float,
    on_progress: erasures.Watching | None,
) -> Steps[Erasure]:
    started = yield from starting
    return (
        yield from erasures.erasure(
            api, started.id, user=user, wait_seconds=wait_seconds, on_progress=on_progress
        )
    )


def _require_object(object: object) -> None:
    if object is None or is_blank(object):
        raise InvalidCall("object is empty: a fact needs an object")


def _corrected_fact(old: MemoryRecord, fact: SemanticPayload, object: Any, why: str) -> Json:
    """The same fact with a new object and the reason as source; the service adds time and actor."""
    kept = {name: each for name, each in fact.raw.items() if name not in ("revision", "evidence")}
    lifecycle = old.lifecycle.raw
    return {
        **{name: old.raw[name] for name in _OF_THE_RECORD if name in old.raw},
        "lifecycle": {name: lifecycle[name] for name in _OF_THE_LIFECYCLE if name in lifecycle},
        "provenance": {"sources": [{"kind": "observation", "ref": why or "correction"}]},
        "payload": {**kept, "object": object},
    }


def _latest(api: Api, record_id: str, user: User) -> Steps[str]:
    try:
        found = yield from records.retrieve_by_id(api, record_id, resolve="latest", user=user)
    except (NotFound, Conflict):  # deleted, or replaced by what the key may not see
        return record_id
    return found.id


def _history_of(api: Api, record_id: str, user: User) -> Steps[list[HistoryEntry]]:
    """The oldest version first; the record is read again where a version changed the payload."""
    entries: list[HistoryEntry] = []
    cursor: Opt[str] = NOT_GIVEN
    record: MemoryRecord | None = None
    while cursor is not None:
        page = yield from records.read_versions(api, record_id, cursor=cursor, user=user)
        for version in page.versions:
            if version.withheld:
                record = None
            elif record is None or _says_something_else(version):
                as_of = version.raw["valid_from"]
                record = yield from records.retrieve_by_id(api, record_id, as_of=as_of, user=user)
            entries.append(HistoryEntry(record_id, version, record))
        cursor = page.next_cursor
    return entries


def _says_something_else(version: RecordVersion) -> bool:
    return version.size is not None or any(
        each.field.startswith("payload") for each in version.changes
    )


def _predecessor(entries: Sequence[HistoryEntry]) -> str | None:
    payload = next((each.record.payload for each in reversed(entries) if each.record), None)
    revision_state = getattr(payload, "revision", None)
    return revision_state.supersedes if revision_state else None
