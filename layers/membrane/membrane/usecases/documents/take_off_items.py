"""Take the newest items off the list beside a document's value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from membrane.domain.documents.document import Document
from membrane.domain.documents.items import Chunk, is_shown, without_newest
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import DeleteDocument
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.idempotency import IDENTITY_BYTES
from membrane.usecases.documents.access import require_version, visible
from membrane.usecases.documents.keyed_writes import NEWEST_COMPARED, operation_of
from membrane.usecases.documents.showing import shown_item
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services_documents import DocumentServices
from membrane.usecases.records.creating import REUSED

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DeletedDocument, DocumentItem


MAX_TAKEN_BYTES = 4 * 1024 * 1024
"""Bytes of items after which a removal ends: a reply must hold what was removed."""


def take_off_items(
    request: DeleteDocument, count: int, place: Place, call: Call, services: DocumentServices
) -> ReplyBody:
    """Remove and return the newest `count` items, fewer if the list is shorter or the reply full.

    Several appends may hold them: each append's items go in a write of their own, the newest first.
    A repeat under the key returns the items again, as long as no other removal came between, and
    finishes a removal that was cut off. Raises VersionMismatch; AlreadyExists for a reused key;
    PermissionDenied without `read`, and for an item of another actor without `revise`.
    """
    call.principal.require(Permission.READ)
    now_s = epoch_seconds(services.now())
    document = services.documents.load(place)
    shown = document if visible(document, call.principal, now_s) else None
    require_version(request, shown)
    if shown is None:
        absent: DeletedDocument = {"existed": False, "items": []}
        return ReplyBody(absent)
    removal = _Removal(shown, count, call, services, now_s)
    is_repeat = removal.find_earlier()
    until_won(removal.finish, services)
    body: DeletedDocument = {"existed": True, "items": removal.taken}
    return ReplyBody(body, replayed=is_repeat)


@dataclass(slots=True)
class _Removal:
    """The items taken so far, and where the removal goes on."""

    document: Document
    count: int
    call: Call
    services: DocumentServices
    now_s: float
    taken: "list[DocumentItem]" = field(default_factory=list)
    """Oldest first."""
    below: int | None = None
    """The position of the oldest chunk that the removal has reached."""

    def find_earlier(self) -> bool:
        """Take over the items that an earlier request under the key has removed, if any.

        Raises AlreadyExists for a different earlier request.
        """
        keyed = operation_of(self.call)
        if keyed is None:
            return False
        chunks = list(self._chunks(self.count + NEWEST_COMPARED))
        own = [each for each in chunks if each.taken_off_by[:IDENTITY_BYTES] == keyed.identity]
        if any(each.taken_off_by != b"".join(keyed) for each in own):
            raise AlreadyExists(REUSED)
        for chunk in own:
            self._note(chunk, chunk.taken_off)
        return bool(own)

    def finish(self) -> None:
        """Take off what is left to take; raises LostRace, and what was taken stays noted."""
        left = self._chunks_left()
        self._require_rights(left)
        for chunk in left:
            missing = self.count - len(self.taken)
            if missing <= 0 or len(compact_json(self.taken)) > MAX_TAKEN_BYTES:
                return
            after = without_newest(chunk, missing, b"".join(operation_of(self.call) or ()))
            self.services.documents.put_chunk(chunk, after)
            self._note(chunk, chunk.items[len(after.items) :])

    def _chunks_left(self) -> list[Chunk]:
        """The chunks with items that the removal has not reached, newest first."""
        beyond = 0 if self.below is None else NEWEST_COMPARED
        return [
            each
            for each in self._chunks(self.count + beyond)
            if each.items
            and is_shown(each, self.document.created_at, self.now_s)
            and (self.below is None or each.start < self.below)
        ]

    def _chunks(self, limit: int) -> Iterator[Chunk]:
        return self.services.documents.chunks(
            self.document.place, limit, generation=self.document.created_at, now_s=self.now_s
        )

    def _require_rights(self, left: Sequence[Chunk]) -> None:
        """Raises PermissionDenied before the first removal if a later one would be refused."""
        missing, principal = self.count - len(self.taken), self.call.principal
        for chunk in left:
            if missing > 0 and chunk.principal != principal.actor_id:
                principal.require(Permission.REVISE)
            missing -= len(chunk.items)

    def _note(self, chunk: Chunk, items: Sequence[Any]) -> None:
        self.taken = [*(shown_item(item, chunk) for item in items), *self.taken]
        self.below = chunk.start
