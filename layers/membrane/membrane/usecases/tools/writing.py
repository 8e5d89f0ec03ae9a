"""The tools that write: `remember`, `correct`, `forget`, `record_outcome` and `working_state`."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import Principal
from membrane.domain.ingest import reports
from membrane.domain.ingest.policy import NOTED
from membrane.domain.language import vocabulary
from membrane.domain.language.errors import DomainError, FailedPrecondition
from membrane.domain.language.fields import record_named, token_of
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import EpisodicPayload, SemanticPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.requests import RetrieveById
from membrane.domain.revision.requests import Retract, Supersede
from membrane.domain.search.prompts import clean_text
from membrane.domain.search.requests import ReadThread
from membrane.domain.tools import texts
from membrane.domain.tools.arguments import Correct, Forget, RecordOutcome, Remember, WorkingState
from membrane.domain.tools.replies import Forgotten, NotForgotten
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.ingest.ingest_outcome import credit_for, ingest_outcome
from membrane.usecases.ingest.ingest_report import Built, accept, build, create_built, ingest_report
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World
from membrane.usecases.records.read_record import retrieve_by_id
from membrane.usecases.records.write import first_version
from membrane.usecases.revision.standing import retract_record
from membrane.usecases.revision.supersede_fork_merge import supersede_record
from membrane.usecases.search.list_by_state import read_thread
from membrane.usecases.tools.tool import ToolAnswer, answer_of_gone, searched_scopes, trust_of

if TYPE_CHECKING:
    from membrane.domain.tools.replies import Corrected, OutcomeNoted, Remembered, StateOfTask


def remember(asked: Remember, call: Call, world: World) -> ToolAnswer:
    """Write the memory; raises the errors of `ingest_observation`."""
    sent = {
        "source": call.principal.actor_id,
        **(_fact_of(asked) if asked.subject else _note_of(asked, call.principal)),
        "scope": asked.scope,
        "tags": asked.tags,
    }
    result = ingest_observation(validate(reports.IngestObservation, sent), call, world)
    if isinstance(result, Gone):
        return answer_of_gone(result)
    record = result.record
    reply: Remembered = {"id": record.id, "type": record.type, "scope": record.scope}
    known = ""
    if result.reinforced:
        reply["known"] = True
        known = "; the fact was known and is now more salient"
    text = (
        f"Remembered as {record.id} in {texts.place_words(record.scope)}{known}. "
        "The next call can recall and read it. "
        "If it turns out wrong: correct or forget with the id."
    )
    return ToolAnswer(reply, text, (token_of(record.id, result.version),))


def _fact_of(asked: Remember) -> JsonObject:
    names = ("subject", "predicate", "object", "on_conflict")
    return {name: getattr(asked, name) for name in names}


def _note_of(asked: Remember, principal: Principal) -> JsonObject:
    """A note of the user, or of the scope, beside all earlier notes; as the clients note a text.

    A fact fades within months and can be corrected; an event fades within hours, and stays.
    """
    user = principal.user_scope.removeprefix(principal.user_prefix)
    return {
        "subject": user or asked.scope or principal.usual_scope or principal.actor_id,
        "predicate": NOTED,
        "object": asked.text,
        "on_conflict": vocabulary.ConflictPolicy.KEEP,
    }


_KEPT = ("type", "sensitivity", "tags", "scope", "lifecycle")
_KEPT_OF_PAYLOAD = ("kind", "subject", "predicate", "validity")

_SHOWN_TOKENS = 200
"""The most tokens of a value in the text."""


def correct(asked: Correct, call: Call, world: World) -> ToolAnswer:
    """Supersede the fact, or retract the memory.

    Raises FailedPrecondition for an episode, which stays as it happened, and for a new value of a
    memory that is no fact; the errors of `supersede_record` and `retract_record`.
    """
    record = retrieve_by_id(RetrieveById(id=asked.id), call, world)
    if isinstance(record.payload, EpisodicPayload):
        raise FailedPrecondition(
            f"{asked.id} is an episode, which stays as it happened: remember what is right, "
            "and forget the episode if it misleads"
        )
    if asked.retract:
        return _retract(asked, call, world)
    if not isinstance(record.payload, SemanticPayload):
        raise FailedPrecondition(
            f"{asked.id} is of type {record.type}, without a value to replace: retract, or forget"
        )
    return _replace(asked, record, call, world)


def _retract(asked: Correct, call: Call, world: World) -> ToolAnswer:
    result = retract_record(Retract(id=asked.id, rationale=asked.why), call, world)
    if isinstance(result, Gone):
        return answer_of_gone(result)
    reply: Corrected = {"id": asked.id, "retracted": True}
    text = f"Retracted {asked.id}: recall leaves it out, and read still shows it."
    return ToolAnswer(reply, text, (token_of(asked.id, result.version),))


def _replace(asked: Correct, record: MemoryRecord, call: Call, world: World) -> ToolAnswer:
    sent = {
        "id": asked.id,
        "rationale": asked.why,
        "new_record": _with_object(record, asked, call, world),
    }
    result = supersede_record(validate(Supersede, sent), call, world)
    if isinstance(result, Gone):
        return answer_of_gone(result)
    reply: Corrected = {"id": result.record.id, "replaced": asked.id}
    value = texts.up_to_tokens(compact_json(asked.object), _SHOWN_TOKENS)
    text = (
        f"Corrected: {reply['id']} now holds with the value {value} and replaces {asked.id}, "
        "whose history stays readable."
    )
    return ToolAnswer(reply, text, (token_of(result.record.id, result.version),))


def _with_object(record: MemoryRecord, asked: Correct, call: Call, world: World) -> JsonObject:
    """The record with the right value. The source is the reason, for the old sources said else."""
    old = as_json(record)
    payload = {name: old["payload"][name] for name in _KEPT_OF_PAYLOAD}
    source = {
        "kind": vocabulary.ProvenanceKind.OBSERVATION.value,
        "ref": asked.why or "correction",
        "created_by": call.principal.actor_id,
        "timestamp": rfc3339(world.now()),
    }
    kept: JsonObject = {name: old[name] for name in _KEPT if name in old}
    return {
        **kept,
        "payload": {**payload, "object": asked.object},
        "provenance": {"sources": [source], "created_by": call.principal.actor_id},
    }


def forget(asked: Forget, call: Call, world: World) -> ToolAnswer:
    """Delete each memory by itself; the answer has the error of each memory that stays.

    The answer is an error if no memory was deleted.
    """
    forgotten, failed = list[str](), list[NotForgotten]()
    for record_id in dict.fromkeys(asked.ids):
        request = DeleteRecord(id=record_id, rationale=asked.why)
        try:
            delete_record(request, call, world)
        except DomainError as error:
            failed.append({"id": record_id, "error": str(error)})
        else:
            forgotten.append(record_id)
    until = rfc3339(world.now() + world.retention.restore)
    restore = (
        f"POST /v1/records/{{id}}/restore until {until}, with a key that has the permission admin"
    )
    reply: Forgotten = {"forgotten": forgotten, "restore": restore}
    head = f"Forgot {texts.count_words(len(forgotten), 'memory', 'memories')}"
    lines = [f"{head}: {', '.join(forgotten)}" if forgotten else f"{head}."]
    if failed:
        reply["failed"] = failed
        lines += [f"Not forgotten: {each['id']}: {each['error']}" for each in failed]
    if forgotten:
        lines.append(f"To restore: {restore}.")
    return ToolAnswer(reply, "\n".join(lines), is_error=not forgotten)


TASK = "task"
"""The kind of the event that stands for a task."""


def record_outcome(asked: RecordOutcome, call: Call, world: World) -> ToolAnswer:
    """Note the outcome in the episode that the arguments name, or in a new episode of the task.

    Raises the errors of `ingest_report` and `ingest_outcome`.
    """
    episode_id = asked.record_id or _new_episode(asked, call, world)
    outcome = _outcome_of(asked, episode_id, call)
    try:
        result = ingest_outcome(outcome, call, world)
    except DomainError as error:
        if asked.record_id:
            raise
        rest = f"the task is remembered as {episode_id}: record_outcome with this record_id"
        raise type(error)(f"{error}; {rest}") from error
    if isinstance(result, Gone):
        return answer_of_gone(result)
    reply: OutcomeNoted = {"id": result.record.id, "status": asked.status}
    text = f"Noted {asked.status} in the episode {reply['id']}."
    if asked.receipt_id or asked.used_ids:
        text += " The memories that had a part in it share the credit."
    return ToolAnswer(reply, text, (token_of(result.record.id, result.version),))


def _outcome_of(asked: RecordOutcome, episode_id: str, call: Call) -> reports.IngestOutcome:
    return reports.IngestOutcome(
        source=call.principal.actor_id,
        target_record_id=episode_id,
        outcome_status=asked.status,
        reason=asked.reason,
        receipt_id=asked.receipt_id,
        used_ids=asked.used_ids,
    )


def _new_episode(asked: RecordOutcome, call: Call, world: World) -> str:
    """Write the episode of the task, once the credit is known to be possible; the id.

    The episode fades like a message: a later task may want to know what was done.
    """
    sent = {
        "source": call.principal.actor_id,
        "event_kind": TASK,
        "ref": asked.receipt_id or world.new_id(),
        "summary": asked.task,
        "scope": asked.scope,
        "lifecycle": {"decay": {"half_life_seconds": world.policy.message_half_life_s}},
    }
    report = validate(reports.IngestEvent, sent)
    accepted = accept(report, call, world)
    built = build(report, accepted, call, world)
    if not isinstance(built, Built):
        raise TypeError("a task without uploads is always built")
    if asked.receipt_id or asked.used_ids:
        draft, _ = first_version(built.record, built.making.now, call)
        credit_for(_outcome_of(asked, draft.id, call), draft, call, world)
    result = create_built(built, call, world)
    return result.record_id if isinstance(result, Gone) else result.record.id


_SUMMARY_TOKENS = 800
_LIST_TOKENS = 400
_SCOPES_TOKENS = 200


def working_state(asked: WorkingState, call: Call, world: World) -> ToolAnswer:
    """Save with a state, which needs the permission `ingest`; read without, which needs `read`.

    Raises the errors of `ingest_report` and `read_thread`.
    """
    if asked.state is None:
        call.principal.require(vocabulary.Permission.READ)
        return _read(asked, call, world)
    call.principal.require(vocabulary.Permission.INGEST)
    return _save(asked, asked.state, call, world)


def _save(asked: WorkingState, state: vocabulary.TaskState, call: Call, world: World) -> ToolAnswer:
    sent = {
        "source": call.principal.actor_id,
        "thread_id": asked.thread_id,
        "state": state,
        "context_summary": asked.context_summary or None,
        "next_actions": asked.next_actions,
        "open_questions": asked.open_questions,
        "scope": asked.scope,
    }
    result = ingest_report(validate(reports.IngestWorkingState, sent), call, world)
    if isinstance(result, Gone):
        return answer_of_gone(result)
    record = result.record
    reply: StateOfTask = {
        "thread_id": asked.thread_id,
        "id": record.id,
        "state": state,
        "when": record.created_at,
    }
    text = f"Saved as {record.id}. working_state with the thread_id alone reads the last state."
    return ToolAnswer(reply, text, (token_of(record.id, result.version),))


def _read(asked: WorkingState, call: Call, world: World) -> ToolAnswer:
    scopes = searched_scopes(call.principal, asked.scope)
    tokens = world.recent_writes.read(call.principal.identity)
    request = ReadThread(thread_id=asked.thread_id, trust=trust_of(asked.scope), limit=1)
    written = [record_named(each) for each in tokens]
    record = read_thread(request, call, world, written)["record"]
    payload: Body = record["payload"]
    reply: StateOfTask = {
        "thread_id": asked.thread_id,
        "id": record["id"],
        "state": payload["state"],
        "when": record["created_at"],
    }
    if payload.get("context_summary"):
        reply["context_summary"] = texts.up_to_tokens(
            clean_text(payload["context_summary"]), _SUMMARY_TOKENS
        )
    for name in ("next_actions", "open_questions"):
        if payload.get(name):
            words = [clean_text(each) for each in payload[name]]
            reply[name] = texts.fitting(words, _LIST_TOKENS)
    shown = {name: value for name, value in reply.items() if name not in ("thread_id", "id")}
    named = texts.up_to_tokens(texts.scope_words(scopes), _SCOPES_TOKENS)
    text = (
        f"Searched {named}. The last state is {reply['id']}; "
        f"read with the id shows the whole.\n{texts.NOTICE}\n"
    )
    return ToolAnswer(reply, text + compact_json(shown))
