"""Short verbs over the operations: an agent's daily work with memory."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack

from membrane_client.core import protocol
from membrane_client.core.protocol import NOT_GIVEN, Json, Steps, Texts, User
from membrane_client.errors import Conflict, InvalidCall, NotFound
from membrane_client.operations import Routes
from membrane_client.operations.parameters import Caller, Capture, GraphSearch, Labels, Write
from membrane_client.value import Found
from membrane_client.values import records
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import Memory, MemoryRecord, RecordVersion
from membrane_client.values.retrieval import Graph, Prompt, RecordList

NOTED = "noted"
"""The predicate of a remembered text."""

_OF_THE_RECORD = ("type", "sensitivity", "scope", "tags", "confidence")
_OF_THE_LIFECYCLE = ("decay", "deletion_policy", "pinned")
"""The fields a corrected fact takes over."""


class Recalled(Found[Memory], of="records"):
    """The memories for a question; with `view="prompt"`, `str()` gives the text."""

    records: Sequence[Memory]
    prompt: Prompt | None
    receipt_id: str | None
    receipt_ids: Sequence[str]  # Of all pages of the memories; `receipt_id` is of the last

    @property
    def text(self) -> str:
        """The prompt's text, or the memories line by line."""
        if self.prompt is not None:
            return self.prompt.text
        return "\n".join(f"- {each.text}" for each in self)

    @property
    def ids(self) -> Sequence[str]:
        return self.prompt.ids if self.prompt is not None else [each.id for each in self]

    @property
    def tokens(self) -> int | None:
        """About how many tokens a model reads; None where no prompt was asked for."""
        return None if self.prompt is None else self.prompt.tokens

    def __str__(self) -> str:
        return self.text if self or self.prompt is not None else "(nothing)"


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
    api: Routes,
    text: str,
    predicate: str | None = None,
    object: Any = NOT_GIVEN,
    *,
    on_conflict: str | None = None,
    **more: Unpack[Labels],
) -> Steps[MemoryRecord]:
    """Keep a text, or a fact: `remember(subject, predicate, object)`.

    A text is kept as a fact with the user, or the scope, as subject and the predicate `noted`,
    beside all earlier notes. Raises TypeError for a predicate or an object alone, and InvalidCall
    for a text or an object that is empty, or in which nothing can be seen.
    """
    if (predicate is None) is not (object is NOT_GIVEN):
        raise TypeError("remember takes a text, or a subject, a predicate and an object")
    scope = more.get("scope")
    protocol.require_scope(scope)
    subject = text
    if predicate is None:
        if protocol.is_blank(str(text or "")):
            raise InvalidCall("text is empty: a note needs a text")
        user, options = more.get("user"), api.options
        subject = str(user or options.user or scope or options.scope or "user")
        predicate, object = NOTED, text
        on_conflict = on_conflict or "keep"
    _require_object(object)
    return api.ingest_observation(subject, predicate, object, on_conflict=on_conflict, **more)


def add(
    api: Routes, messages: Sequence[Json], *, session: str, **more: Unpack[Labels]
) -> Steps[records.IngestedMessages]:
    """Keep messages of a conversation, `[{"role": "user", "content": "..."}]`: all, or none."""
    protocol.require_scope(more.get("scope"))
    return api.ingest_messages(messages, session=session, **more)


def capture(
    api: Routes, content: Any, *, reason: str | None = None, **more: Unpack[Capture]
) -> Steps[records.Captured]:
    """Keep anything as evidence, linked to the entities that `content` names.

    `.primary_record` is the evidence, `.created_records` has new entities and a new fact, `.edges`
    the links. `source_kind` is event, tool_output, observation, working_state, agent_turn or a word
    of yours; `reason` says why the content matters. Raises InvalidCall for a text in which nothing
    can be seen.
    """
    if protocol.is_blank(content):
        raise InvalidCall("content is empty: a capture needs a content")
    protocol.require_scope(more.get("scope"))
    return api.capture_memory(content, reason_to_remember=reason, **more)


def recall(
    api: Routes,
    question: str | None = None,
    *,
    limit: int = 8,
    scope: str | None = None,
    types: Texts | str | None = None,
    outcome: Texts | str | None = None,
    min_score: float | None = None,
    view: str = "brief",
    max_tokens: int | None = None,
    **more: Unpack[Caller],
) -> Steps[Recalled]:
    """Memories for the question, the best first: `.text`, `.score`, `.id`, `.when`, `.who`.

    With `view="prompt"`, `str()` of the result is a text of at most `max_tokens`, from the first
    page of memories. `outcome` selects episodes by success, failure or partial. Raises InvalidCall
    for another view: `retrieve` gives whole records.
    """
    protocol.require_scope(scope)
    if view not in {"brief", "prompt"}:
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
        "trust": {"scopes": [scope]} if scope else None,
        "consistency_tokens": None,
        "more": more,
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
    api: Routes, task: str | None = None, *, scope: str | None = None, **more: Unpack[GraphSearch]
) -> Steps[Graph]:
    """Records for a task as roots, and the records that relations connect with the roots.

    `.nodes` has the records by worth, each with a `path` from a root, `.edges` the relations
    between nodes, `.root_ids` the roots. `memory_types`, `tags` and `min_score` select roots,
    `node_types` further nodes, and `predicates` edges.
    """
    protocol.require_scope(scope)
    if scope:
        more["trust"] = {"scopes": [scope]}
    return api.retrieve_graph(task, **more)


def outcome(
    api: Routes,
    record_id: str,
    status: str,
    *,
    reason: str | None = None,
    receipt_id: str | None = None,
    used_ids: Texts = (),
    **more: Unpack[Write],
) -> Steps[MemoryRecord]:
    """Say how an episode ended: success, failure or partial.

    The memories of the answer with `receipt_id`, above all those in `used_ids`, get credit.
    """
    return api.ingest_outcome(
        record_id, status, reason=reason, receipt_id=receipt_id, used_ids=used_ids or None, **more
    )


def correct(
    api: Routes, record_id: str, object: Any, *, why: str, **more: Unpack[Write]
) -> Steps[MemoryRecord]:
    """Replace a fact by the same fact with a new object; returns the new record.

    Raises InvalidCall for a record of any type but semantic, and for an empty object.
    """
    _require_object(object)
    old = yield from api.retrieve_by_id(record_id, user=more.get("user", NOT_GIVEN))
    if not isinstance(old.payload, SemanticPayload):
        raise InvalidCall(f"record_id: {record_id} is of the type {old.type}, not a fact")
    fact = _corrected_fact(old, old.payload, object, why)
    return (yield from api.supersede(record_id, fact, rationale=why, **more))


def get_all(
    api: Routes,
    user: User = NOT_GIVEN,
    scope: str | None = None,
    types: Texts | str | None = None,
    *,
    state: str = "active",
    limit: int = 100,
    cursor: str | None = None,
) -> Steps[RecordList]:
    """All records, by salience; `limit` is the size of a page.

    The states `deleted` and `pruned` give pages with `removed_records`.
    """
    protocol.require_scope(scope)
    return api.list_records(
        scope=scope, type=types, state=state, limit=limit, cursor=cursor, user=user
    )


def history(api: Routes, record_id: str, **more: Unpack[Caller]) -> Steps[Sequence[HistoryEntry]]:
    """All versions of the record, of successors and of predecessors, the newest first."""
    current: str | None = record_id
    with suppress(NotFound, Conflict):  # deleted, or replaced by what the key may not see
        current = (yield from api.retrieve_by_id(record_id, resolve="latest", **more)).id
    entries: list[HistoryEntry] = []
    seen: set[str] = set()
    while current and current not in seen:
        seen.add(current)
        try:
            own = yield from _history_of(api, current, more)
        except NotFound:
            if current == record_id:
                raise
            break  # a predecessor that is gone, or that the key may not see
        entries += reversed(own)
        payload = next((each.record.payload for each in reversed(own) if each.record), None)
        revision_state = getattr(payload, "revision", None)
        current = revision_state.supersedes if revision_state else None
    return entries


def _history_of(api: Routes, record_id: str, more: Caller) -> Steps[list[HistoryEntry]]:
    """The oldest version first; the record is read again where a version changed the payload."""
    entries: list[HistoryEntry] = []
    record: MemoryRecord | None = None
    page = yield from api.read_versions(record_id, **more)
    while True:
        for version in page.versions:
            if version.withheld:
                record = None
            elif (
                record is None
                or version.size is not None
                or any(each.field.startswith("payload") for each in version.changes)
            ):
                as_of = version.raw["valid_from"]
                record = yield from api.retrieve_by_id(record_id, as_of=as_of, **more)
            entries.append(HistoryEntry(record_id, version, record))
        if not page.next_cursor:
            return entries
        page = yield from api.read_versions(record_id, cursor=page.next_cursor, **more)


def _require_object(object: object) -> None:
    if object is None or protocol.is_blank(object):
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
