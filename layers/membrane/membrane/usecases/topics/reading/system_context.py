"""Read and replace the system context."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics import system_context
from membrane.domain.topics.requests.editing import ChangeSystemContext
from membrane.domain.topics.requests.reading import ReadSystemContext
from membrane.table.items import Checkpoint
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import SystemContextReply


def read_system_context(_request: ReadSystemContext, _call: Call, world: World) -> ReplyBody:
    return ReplyBody(_body_of(_find_context(world)[1]))


def context_texts(world: World) -> Sequence[str]:
    """The texts of the system context for a model, role first; empty without a context."""
    _, context = _find_context(world)
    return [] if context is None else [context.system_role, context.runtime_context]


def change_system_context(request: ChangeSystemContext, call: Call, world: World) -> ReplyBody:
    """Replace the context; under a used idempotency key, the reply is the present context.

    Raises PermissionDenied without `admin` over all scopes, because the context is shown to readers
    of every scope; InvalidArgument for a blank text, AlreadyExists if the key came with a different
    request, and Aborted if every try lost the race.
    """
    call.principal.require_admin_of_all()
    return until_won(lambda: _change(request, call, world), world)


def _change(request: ChangeSystemContext, call: Call, world: World) -> ReplyBody:
    kept, before = _find_context(world)
    asked = call.operation
    for known in () if before is None else before.operations:
        if asked is not None and known.identity == asked.identity:
            if known.fingerprint != asked.fingerprint:
                raise AlreadyExists(REUSED)
            return ReplyBody(_body_of(before), replayed=True)
    change = system_context.Change(rfc3339(world.now()), call.principal.actor_id)
    after = system_context.changed_context(
        before, request.system_role, request.runtime_context, change, call.operation
    )
    if after != before:
        world.topics.keep_document(
            system_context.KEPT_AS, system_context.EVERYWHERE, after.as_json(), kept
        )
    return ReplyBody(_body_of(after))


def _find_context(world: World) -> tuple[Checkpoint | None, system_context.SystemContext | None]:
    kept = world.topics.find_document(system_context.KEPT_AS, system_context.EVERYWHERE)
    return kept, None if kept is None else system_context.SystemContext.from_json(kept.progress)


def _body_of(context: system_context.SystemContext | None) -> "SystemContextReply":
    if context is None:
        return {"configured": False, "system_context": None}
    newest = context.changes[-1]
    return {
        "configured": True,
        "system_context": {
            "key": "global",
            "system_role": context.system_role,
            "runtime_context": context.runtime_context,
            "created_at": context.created_at,
            "updated_at": newest.at,
            "updated_by": newest.by,
            "changes": [{"at": each.at, "by": each.by} for each in context.changes],
        },
    }
