"""Reports, conversations and whole records on their way into memory."""

from collections.abc import Sequence
from typing import Any

from membrane_client.core.api import Api, require_user
from membrane_client.core.encoding import messages_json
from membrane_client.core.parameters import Json, Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.errors import Gone
from membrane_client.values.records import (
    BatchReply,
    Captured,
    IngestedMessages,
    MemoryRecord,
    OpenedUpload,
    WrittenReply,
)
from membrane_client.values.value import Value


def record_of(steps: Steps[WrittenReply]) -> Steps[MemoryRecord]:
    """The written record; raises Gone where the record was deleted since."""
    record = (yield from steps).record
    if record.deleted_at is not None:
        raise Gone(record.id, record.deleted_at)
    return record


def ingest_event(
    api: Api,
    event_kind: str,
    ref: str,
    *,
    summary: Opt[str] = NOT_GIVEN,
    thread_id: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Report an event; an episodic record.

    The records of a `thread_id` become a trace when the thread ends.
    """
    return record_of(api.write("POST /v1/ingest/event", locals(), WrittenReply))


def ingest_tool_output(
    api: Api,
    tool_name: str,
    *,
    args: Opt[Json | str] = NOT_GIVEN,
    result: Any = NOT_GIVEN,
    status: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    depends_on: Opt[Texts] = NOT_GIVEN,
    thread_id: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Report arguments and result of a tool call; an episodic record.

    `status` is success, failure or partial. Large arguments and results are uploaded first.
    """
    return record_of(api.write("POST /v1/ingest/tool-output", locals(), WrittenReply))


def ingest_observation(
    api: Api,
    subject: str,
    predicate: str,
    object: Any = NOT_GIVEN,
    *,
    conditions: Opt[Json] = NOT_GIVEN,
    start: Opt[Time] = NOT_GIVEN,
    end: Opt[Time] = NOT_GIVEN,
    on_conflict: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Report a fact; a new semantic record, or the same fact reinforced.

    `on_conflict` decides about conflicting facts: keep, replace, fork or contest.
    """
    return record_of(api.write("POST /v1/ingest/observation", locals(), WrittenReply))


def ingest_outcome(
    api: Api,
    target_record_id: str,
    outcome_status: str,
    *,
    reason: Opt[str] = NOT_GIVEN,
    receipt_id: Opt[str] = NOT_GIVEN,
    used_ids: Opt[Texts] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Report how an episode ended: success, failure or partial.

    The records of the retrieval `receipt_id`, above all those in `used_ids`, get credit.
    """
    return record_of(api.write("POST /v1/ingest/outcome", locals(), WrittenReply))


def ingest_working_state(
    api: Api,
    thread_id: str,
    state: str,
    *,
    next_actions: Opt[Texts] = NOT_GIVEN,
    open_questions: Opt[Texts] = NOT_GIVEN,
    context_summary: Opt[str] = NOT_GIVEN,
    active_constraints: Opt[Sequence[Json] | str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    timestamp: Opt[Time] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Report where a task stands: planning, executing, blocked, waiting or done."""
    return record_of(api.write("POST /v1/ingest/working-state", locals(), WrittenReply))


def ingest_messages(
    api: Api,
    messages: Sequence[Json],
    *,
    thread_id: Opt[str] = NOT_GIVEN,
    session: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    source: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    lifecycle: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[IngestedMessages]:
    """Take in 1 to 100 messages of a conversation: all, or none.

    A message is `{"role", "content"}`, optionally with `name`, `at`, `tool_calls` and
    `tool_call_id`, or has the form in which the client of a model provider dumps messages. A role
    is user, assistant or tool; leading system messages and thoughts are skipped, and counted in
    `.skipped`. NaN and infinities become texts, and bytes base64.
    `session` is a synonym of `thread_id`.
    """
    given = {**locals(), "messages": messages_json(messages)}
    return api.write("POST /v1/messages", given, IngestedMessages)


def capture_memory(
    api: Api,
    content: Any,
    *,
    source_kind: Opt[str] = NOT_GIVEN,
    context: Any = NOT_GIVEN,
    reason_to_remember: Opt[str] = NOT_GIVEN,
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

    `source_kind` is event, tool_output, observation, working_state, agent_turn or a word of yours.
    Without a `source` the actor of the key is the reporter. Large contents and contexts are
    uploaded first.
    """
    return api.write("POST /v1/capture", locals(), Captured)


def ingest_record(
    api: Api,
    record: Json,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[MemoryRecord]:
    """Take in a whole record of any type."""
    given = {**locals(), "record": with_scope(api, record, user)}
    return record_of(api.write("POST /v1/records", given, WrittenReply))


def ingest_batch(
    api: Api,
    items: Sequence[Json],
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[BatchReply]:
    """Take in up to 100 requests, `{"rpc": "IngestEvent", ...}`, refused or taken one by one."""
    given = {**locals(), "items": [_item_with_scope(api, item, user) for item in items]}
    return api.write("POST /v1/ingest/batch", given, BatchReply)


def open_upload(
    api: Api,
    size: int,
    sha256: str,
    *,
    scope: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[OpenedUpload]:
    """An address for a PUT of a JSON text: `size` in bytes, `sha256` in hexadecimal.

    Calls with large values upload by themselves.
    """
    return api.write("POST /v1/uploads", locals(), OpenedUpload)


def with_scope(api: Api, record: Json, user: User) -> Json:
    """The record, in the client's scope unless the record or a user has a scope."""
    raw = record.raw if isinstance(record, Value) else record
    scope = api.usual_scope(user)
    return raw if "scope" in raw or scope is None else {**raw, "scope": scope}


def _item_with_scope(api: Api, item: Json, user: User) -> Json:
    raw = item.raw if isinstance(item, Value) else item
    owner = raw.get("user", user)
    require_user(owner)
    if raw.get("rpc") == "IngestOutcome":
        return raw
    if "record" in raw:
        return {**raw, "record": with_scope(api, raw["record"], owner)}
    return with_scope(api, raw, owner)
