"""Write a capture: everything in the draft, in a single transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.draft_capture import Capture, draft_capture
from membrane.usecases.capture.reply_to_capture import earlier_reply, reply_of
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import IdTaken, LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import first_version


def write_capture(capture: Capture, call: Call, world: World) -> ReplyBody:
    """Write the evidence, the new records and the changes of the draft, all or nothing.

    Raises AlreadyExists; TooLarge; Aborted; the errors of `require_claimable`.
    """
    return until_won(_Writing(capture, call, world).attempt, world)


@dataclass(frozen=True, slots=True)
class _Writing:
    capture: Capture
    call: Call
    world: World
    tried: Attempts = field(default_factory=Attempts)
    taken: set[str] = field(default_factory=set)
    """Ids of records that an earlier capture under the same key made, and that outlived it."""

    def attempt(self) -> ReplyBody:
        draft = draft_capture(self.capture, self.call, self.world, self.taken)
        born, unkeyed = self.capture.making.now, self.call._replace(fingerprint=b"")
        primary, values = first_version(draft.primary, born, self.call)
        created = list[StoredRecord]()
        for each in draft.created:
            stored, large = first_version(each, born, unkeyed)
            created.append(stored)
            values |= large
        self.tried.note_first(draft.primary)
        try:
            self.world.records.create(
                primary,
                also=created,
                changed=draft.changed,
                targets=draft.targets,
                heads=draft.heads,
                names=draft.names,
                uploads=self.capture.uploads,
                values=values,
            )
        except TooManyProfiles as error:
            raise error.at("lifecycle.decay") from None
        except IdTaken as error:
            reply = self._earlier_reply()
            if reply is None:
                self._note_taken(error.record_id, created)
                raise LostRace from error
            return reply
        return reply_of(primary, created, self.world, values)

    def _earlier_reply(self) -> ReplyBody | None:
        """The reply for the stored capture: of this call after a lost reply, or an earlier call."""
        held = self.world.records.load(self.capture.primary.id)
        if held is None:
            return None
        is_own = self.tried.were_written(held, self.world)
        return earlier_reply(held, self.call, self.world, is_own=is_own)

    def _note_taken(self, taken_id: str, created: Sequence[StoredRecord]) -> None:
        """Note the ids that are taken, for a draft without the records.

        Nothing is noted where the tombstone under the id of the evidence expired since the write.
        """
        if taken_id != self.capture.primary.id:
            self.taken.update(self.world.records.load_each([each.id for each in created]))
