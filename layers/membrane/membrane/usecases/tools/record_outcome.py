"""The tool `record_outcome`: how a task ended, and which memories had a part in the end."""

from typing import TYPE_CHECKING

from membrane.domain.ingest.reports import IngestEvent, IngestOutcome
from membrane.domain.language.errors import DomainError
from membrane.domain.language.violations import validate
from membrane.domain.tokens.consistency import token_of
from membrane.domain.tools.arguments import RecordOutcome
from membrane.usecases.ingest.credit import credit_for
from membrane.usecases.ingest.ingest_outcome import ingest_outcome
from membrane.usecases.ingest.ingest_report import Built, accept, build, create_built
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import first_version
from membrane.usecases.tools.tool import ToolAnswer, answer_of_gone

if TYPE_CHECKING:
    from membrane.domain.tools.replies import OutcomeNoted

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


def _outcome_of(asked: RecordOutcome, episode_id: str, call: Call) -> IngestOutcome:
    return IngestOutcome(
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
    report = validate(IngestEvent, sent)
    accepted = accept(report, call, world)
    built = build(report, accepted, call, world)
    if not isinstance(built, Built):
        raise TypeError("a task without uploads is always built")
    if asked.receipt_id or asked.used_ids:
        draft, _ = first_version(built.record, built.making.now, call)
        credit_for(_outcome_of(asked, draft.id, call), draft, call, world)
    result = create_built(built, call, world)
    return result.record_id if isinstance(result, Gone) else result.record.id
