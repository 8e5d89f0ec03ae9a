"""Short verbs over the operations: an agent's daily work with memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack

from membrane_client.core.api import is_blank, require_scope
from membrane_client.core.pages import Found
from membrane_client.core.parameters import Json, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.errors import Conflict, InvalidCall, NotFound
from membrane_client.jobs import Watching, erasure
from membrane_client.operations import Routes
from membrane_client.operations.parameters import (
    Caller,
    GraphSearch,
    Labels,
    Report,
    Search,
    Write,
)
from membrane_client.values.erasures import Erasure
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import (
    Captured,
    IngestedMessages,
    Memory,
    MemoryRecord,
    RecordVersion,
)
from membrane_client.values.retrieval import Answer, Graph, Prompt, RecordList

NOTED = "noted"
"""The predicate of a remembered text."""

WAIT_S = 900.0
"""The pauses of `forget` between looks at an erasure, in all."""

_OF_THE_RECORD = ("type", "sensitivity", "scope", "tags", "confidence")
_OF_THE_LIFECYCLE = ("decay", "deletion_policy", "pinned")
"""The fields a corrected fact takes over."""


class Target(Write, total=False):
    """What `forget` erases, apart from a record; `user` is a target, too."""

    scope: str | None
    subject: str | None
    ids: Texts | None
    dry_run: bool
    reason: str | None


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


class Recalled(Found[Memory], of="records"):
    """The memories for a question; with `view="prompt"`, `str()` gives the text."""

    records: Sequence[Memory]
    prompt: Prompt | None
    receipt_id: str | None
    receipt_ids: Sequence[
        str
    ]  # Of all pages that the memories came in; `receipt_id` is of the last

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
    require_scope(scope)
    subject = text
    if predicate is None:
        if is_blank(str(text or "")):
            raise InvalidCall("text is empty: a note needs a text")
        user, options = more.get("user"), api.options
        subject = str(user or options.user or scope or options.scope or "user")
        predicate, object = NOTED, text
        on_conflict = on_conflict or "keep"
    _require_object(object)
    return api.ingest_observation(subject, predicate, object, on_conflict=on_conflict, **more)


def add(
    api: Routes, messages: Sequence[Json], *, session: str, **more: Unpack[Labels]
) -> Steps[IngestedMessages]:
    """Keep messages of a conversation, `[{"role": "user", "content": "..."}]`: all, or none."""
    require_scope(more.get("scope"))
    return api.ingest_messages(messages, session=session, **more)


def capture(
    api: Routes,
    content: Any,
    *,
    source_kind: str | None = None,
    context: Any = None,
    reason: str | None = None,
    proposed_type: str | None = None,
    summary: str | None = None,
    **more: Unpack[Report],
) -> Steps[Captured]:
    """Keep anything as evidence, linked to the entities that `content` names.

    `.primary_record` is the evidence, `.created_records` has new entities and a new fact, `.edges`
    the links. `source_kind` is event, tool_output, observation, working_state, agent_turn or a word
    of yours; `reason` says why the content matters. Raises InvalidCall for a text in which nothing
    can be seen.
    """
    if is_blank(content):
        raise InvalidCall("content is empty: a capture needs a content")
    require_scope(more.get("scope"))
    return api.capture_memory(
        content,
        source_kind=source_kind,
        context=context,
        reason_to_remember=reason,
        proposed_type=proposed_type,
        summary=summary,
        **more,
    )


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
    require_scope(scope)
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


def retrieve_with_selection(
    api: Routes,
    task_descriptor: str | None = None,
    *,
    limit: int = 10,
    **more: Unpack[Search],
) -> Steps[Answer]:
    """`retrieve`, by the name of Membrane's client for an answer with a `selection`."""
    return api.retrieve(task_descriptor, limit=limit, **more)


def graph(
    api: Routes,
    task: str | None = None,
    *,
    scope: str | None = None,
    **more: Unpack[GraphSearch],
) -> Steps[Graph]:
    """Records for a task as roots, and the records that relations connect with the roots.

    `.nodes` has the records by worth, each with a `path` from a root, `.edges` the relations
    between nodes, `.root_ids` the roots. `memory_types`, `tags` and `min_score` select roots,
    `node_types` further nodes, and `predicates` edges.
    """
    require_scope(scope)
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


def forget(
    api: Routes,
    record_id: str | None = None,
    *,
    why: str | None = None,
    erase: bool = False,
    wait_seconds: float = WAIT_S,
    on_progress: Watching | None = None,
    **more: Unpack[Target],
) -> Steps[Erasure | None]:
    """Delete one record, `forget(record_id, why=…)`, or erase a target, `forget(user=…)`.

    Of a record, `erase` removes the content for good, and needs admin. A target is `scope`, `user`,
    `subject` or `ids`; `subject` may come with `scope` or `user`. The erasure of a target only
    lists unless `dry_run=False`. The result is the ended erasure with all findings. `reason` goes
    into the certificate, so name no person there. Raises StillRunning when the pauses between looks
    at the erasure add up to `wait_seconds`, and TypeError for a record and a target at once.
    """
    user = more.get("user", NOT_GIVEN)
    target = [more.get("scope"), more.get("subject"), more.get("ids")]
    if record_id is not None:
        of_target = [*target, more.get("reason"), more.get("dry_run")]
        if why is None or any(each is not None for each in of_target):
            raise TypeError("forget takes a record_id and why, or a target without a record_id")
        key = more.get("idempotency_key")
        return api.delete_record(
            record_id, rationale=why, erase=erase, user=user, idempotency_key=key
        )
    if why is not None or erase:
        raise TypeError("why and erase need a record_id; a target has reason and dry_run")
    if user is NOT_GIVEN and all(each is None for each in target):
        raise TypeError("forget takes a record_id, or scope, user, subject or ids")
    _require_target(more)
    return _erase_target(api, more, wait_seconds, on_progress)


def history(api: Routes, record_id: str, **more: Unpack[Caller]) -> Steps[Sequence[HistoryEntry]]:
    """All versions of the record, of successors and of predecessors, the newest first."""
    current: str | None = yield from _latest(api, record_id, more)
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
        current = _predecessor(own)
    return entries


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
    require_scope(scope)
    return api.list_records(
        scope=scope, type=types, state=state, limit=limit, cursor=cursor, user=user
    )


def _require_target(target: Target) -> None:
    """Raises InvalidCall for an empty part, without which the service would erase a whole scope."""
    require_scope(target.get("scope"))
    subject, ids = target.get("subject"), target.get("ids")
    if isinstance(subject, str) and not subject.strip():
        raise InvalidCall("subject is empty: leave it out, or name one")
    if ids is not None and not ids:
        raise InvalidCall("ids is empty: leave it out, or name records and topics")


def _erase_target(
    api: Routes, target: Target, wait_seconds: float, on_progress: Watching | None
) -> Steps[Erasure]:
    asked: Target = {**target, "dry_run": target.get("dry_run") is not False}
    started = yield from api.start_erasure(**asked)
    user = target.get("user", NOT_GIVEN)
    return (
        yield from erasure(
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


def _latest(api: Routes, record_id: str, more: Caller) -> Steps[str]:
    try:
        found = yield from api.retrieve_by_id(record_id, resolve="latest", **more)
    except (NotFound, Conflict):  # deleted, or replaced by what the key may not see
        return record_id
    return found.id


def _history_of(api: Routes, record_id: str, more: Caller) -> Steps[list[HistoryEntry]]:
    """The oldest version first; the record is read again where a version changed the payload."""
    entries: list[HistoryEntry] = []
    record: MemoryRecord | None = None
    page = yield from api.read_versions(record_id, **more)
    while True:
        for version in page.versions:
            if version.withheld:
                record = None
            elif record is None or _says_something_else(version):
                as_of = version.raw["valid_from"]
                record = yield from api.retrieve_by_id(record_id, as_of=as_of, **more)
            entries.append(HistoryEntry(record_id, version, record))
        if not page.next_cursor:
            return entries
        page = yield from api.read_versions(record_id, cursor=page.next_cursor, **more)


def _says_something_else(version: RecordVersion) -> bool:
    return version.size is not None or any(
        each.field.startswith("payload") for each in version.changes
    )


def _predecessor(entries: Sequence[HistoryEntry]) -> str | None:
    payload = next((each.record.payload for each in reversed(entries) if each.record), None)
    revision_state = getattr(payload, "revision", None)
    return revision_state.supersedes if revision_state else None
