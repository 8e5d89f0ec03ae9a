"""The reply to a capture: the evidence, the entities and the fact as stored."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from membrane.domain.capture.linking import edges_of
from membrane.domain.capture.made_records import made_ids
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.records import as_json
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.tokens.consistency import token_of
from membrane.usecases.machinery.calls import Call, Gone, ReplyBody
from membrane.usecases.machinery.visibility import require_visible
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED, result_of

if TYPE_CHECKING:
    from membrane.domain.capture.replies import CaptureReply
    from membrane.domain.language.values import LargeValue


def reply_of(
    primary: StoredRecord,
    created: Sequence[StoredRecord],
    world: World,
    values: "Mapping[LargeValue, bytes]" = NO_VALUES,
    *,
    replayed: bool = False,
) -> ReplyBody:
    """The reply for records as they are now."""
    now_s, curves = epoch_seconds(world.now()), world.policy.custom_curves
    shown = [each.as_of(now_s, curves) for each in (primary, *created)]
    body: CaptureReply = {
        "primary_record": as_json(shown[0]),
        "created_records": [as_json(each) for each in shown[1:]],
        "edges": edges_of(shown),
        "consistency_tokens": [token_of(each.id, each.version) for each in (primary, *created)],
    }
    return ReplyBody(body, replayed, values)


def earlier_reply(held: AnyRecord, call: Call, world: World, *, is_own: bool = False) -> ReplyBody:
    """The reply for a capture that is stored already; one request for the records that it made.

    `is_own`: the record is known to be from this call, whose first reply was lost. Raises
    AlreadyExists if a different request made the record; NotFound.
    """
    if not is_own and held.fingerprint != call.fingerprint:
        raise AlreadyExists(REUSED)
    result = result_of(require_visible(held, call.principal), world.now(), world)
    if isinstance(result, Gone):
        gone: CaptureReply = {
            "primary_record": result.as_json(),
            "created_records": [],
            "edges": [],
            "consistency_tokens": [],
        }
        return ReplyBody(gone, replayed=not is_own)
    if not isinstance(held, StoredRecord):
        raise TypeError("a record without a document is gone")
    created = world.records.load_each(made_ids(held.record))
    alive = [
        each
        for each in created.values()
        if isinstance(each, StoredRecord)
        and each.tombstone is None
        and call.principal.trust.allows(each.scope, each.sensitivity)
    ]
    return reply_of(held, alive, world, replayed=not is_own)
