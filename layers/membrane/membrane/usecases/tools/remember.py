"""The tool `remember`: a fact, or a text as a fact that somebody noted."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.policy import NOTED
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.tokens.consistency import token_of
from membrane.domain.tools.arguments import Remember
from membrane.domain.tools.texts import place_words
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.world import World
from membrane.usecases.tools.tool import ToolAnswer, answer_of_gone

if TYPE_CHECKING:
    from membrane.domain.tools.replies import Remembered


def remember(asked: Remember, call: Call, world: World) -> ToolAnswer:
    """Write the memory; raises the errors of `ingest_observation`."""
    sent = {
        "source": call.principal.actor_id,
        **(_fact_of(asked) if asked.subject else _note_of(asked, call.principal)),
        "scope": asked.scope,
        "tags": asked.tags,
    }
    result = ingest_observation(validate(IngestObservation, sent), call, world)
    if isinstance(result, Gone):
        return answer_of_gone(result)
    record = result.record
    reply: Remembered = {"id": record.id, "type": record.type, "scope": record.scope}
    known = ""
    if result.reinforced:
        reply["known"] = True
        known = "; the fact was known and is now more salient"
    text = (
        f"Remembered as {record.id} in {place_words(record.scope)}{known}. "
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
        "on_conflict": ConflictPolicy.KEEP,
    }
