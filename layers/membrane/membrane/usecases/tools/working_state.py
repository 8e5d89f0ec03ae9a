"""The tool `working_state`: save the state of a task, or read the last state of a thread."""

from typing import TYPE_CHECKING

from membrane.domain.ingest.reports import IngestWorkingState
from membrane.domain.language.fields import record_named, token_of
from membrane.domain.language.json_text import Body, compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import Permission, TaskState
from membrane.domain.search.prompts import clean_text
from membrane.domain.search.requests import ReadThread
from membrane.domain.tools.arguments import WorkingState
from membrane.domain.tools.texts import NOTICE, fitting, scope_words, up_to_tokens
from membrane.usecases.ingest.ingest_report import ingest_report
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World
from membrane.usecases.search.read_thread import read_thread
from membrane.usecases.tools.tool import ToolAnswer, answer_of_gone, searched_scopes, trust_of

if TYPE_CHECKING:
    from membrane.domain.tools.replies import StateOfTask

_SUMMARY_TOKENS = 800
_LIST_TOKENS = 400
_SCOPES_TOKENS = 200


def working_state(asked: WorkingState, call: Call, world: World) -> ToolAnswer:
    """Save with a state, which needs the permission `ingest`; read without, which needs `read`.

    Raises the errors of `ingest_report` and `read_thread`.
    """
    if asked.state is None:
        call.principal.require(Permission.READ)
        return _read(asked, call, world)
    call.principal.require(Permission.INGEST)
    return _save(asked, asked.state, call, world)


def _save(asked: WorkingState, state: TaskState, call: Call, world: World) -> ToolAnswer:
    sent = {
        "source": call.principal.actor_id,
        "thread_id": asked.thread_id,
        "state": state,
        "context_summary": asked.context_summary or None,
        "next_actions": asked.next_actions,
        "open_questions": asked.open_questions,
        "scope": asked.scope,
    }
    result = ingest_report(validate(IngestWorkingState, sent), call, world)
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
        reply["context_summary"] = up_to_tokens(
            clean_text(payload["context_summary"]), _SUMMARY_TOKENS
        )
    for name in ("next_actions", "open_questions"):
        if payload.get(name):
            words = [clean_text(each) for each in payload[name]]
            reply[name] = fitting(words, _LIST_TOKENS)
    shown = {name: value for name, value in reply.items() if name not in ("thread_id", "id")}
    named = up_to_tokens(scope_words(scopes), _SCOPES_TOKENS)
    text = (
        f"Searched {named}. The last state is {reply['id']}; "
        f"read with the id shows the whole.\n{NOTICE}\n"
    )
    return ToolAnswer(reply, text + compact_json(shown))
