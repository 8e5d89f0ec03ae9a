"""The tool `correct`: a fact gets the right value, or a memory is retracted."""

from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import ProvenanceKind
from membrane.domain.records.payloads import EpisodicPayload, SemanticPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.requests import RetrieveById
from membrane.domain.revision.requests import Retract, Supersede
from membrane.domain.tokens.consistency import token_of
from membrane.domain.tools.arguments import Correct
from membrane.domain.tools.texts import up_to_tokens
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World
from membrane.usecases.records.read_record import retrieve_by_id
from membrane.usecases.revision.contests import retract_record
from membrane.usecases.revision.supersede_fork_merge import supersede_record
from membrane.usecases.tools.tool import ToolAnswer, answer_of_gone

if TYPE_CHECKING:
    from membrane.domain.tools.replies import Corrected

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
    value = up_to_tokens(compact_json(asked.object), _SHOWN_TOKENS)
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
        "kind": ProvenanceKind.OBSERVATION.value,
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
