"""Read a topic by id, or a field of a topic, as of now or as of an instant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds, is_before, rfc3339
from membrane.domain.language.values import Room
from membrane.domain.records.versions import require_past
from membrane.domain.topics import showing
from membrane.domain.topics.nesting import shown_fields, whole_name
from membrane.domain.topics.requests.reading import ReadField, ReadTopic
from membrane.domain.topics.salience import Access, field_salience
from membrane.domain.topics.topic import Field, Revision, Topic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.visibility import require_trust
from membrane.usecases.ports.surroundings import MAX_WORKERS
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import (
    Allowance,
    earlier_revisions,
    histories_of,
    topics_as_of,
)
from membrane.usecases.topics.loading import NOT_FOUND, access_of, load_topic
from membrane.usecases.topics.neighbourhood import ReferenceFilter, entity_ids_of, refs_of

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import (
        FieldsCut,
        TopicEvent,
        TopicField,
        TopicReply,
        TopicTrail,
    )

FIELD_NOT_FOUND = "field not found"

MAX_TRAIL_BYTES = 1024 * 1024
"""Bytes of the audit trail in a reply; of a longer trail, the newest events are shown."""

LEAST_ROOM = 512
"""A room with fewer bytes left is full: no revision is shorter than half of LEAST_ROOM."""


def read_topic(request: ReadTopic, call: Call, world: World) -> ReplyBody:
    """The topic with the audit trail and the newest revisions of every field.

    As of an instant, the fields and values are past, the title and the salience present. A reply
    without room leaves out old revisions first, then values, then fields (`fields_cut`); the
    `history_length` of a field counts all revisions. Named topics and records are shown as far as
    visible.

    Raises NotFound for an absent, deleted or hidden topic, and for a topic created after the
    instant; PermissionDenied if only the trust of the request excludes the topic; InvalidArgument
    for an instant in the future.
    """
    most = world.topic_policy.max_history
    reading = _load_reading(request, call, world, limit=most)
    topic = reading.topic
    head = showing.whole_topic(topic, reading.access, reading.now_s)
    if topic.id != request.id:
        head["asked_id"] = request.id
    entity_id = entity_ids_of([topic], reading.references.trust, world).get(topic.id)
    if entity_id is not None:
        head["entity_id"] = entity_id
    room = Room()
    room.takes(head)
    trail = _trail(topic, request.as_of, room, reading.references)
    fields, cut = reading.fit(shown_fields(reading.then, detached=True), room)
    reply: TopicReply = {**head, **trail, "fields": fields, **cut}
    return ReplyBody(reply)


def read_field(request: ReadField, call: Call, world: World) -> ReplyBody:
    """A field by the whole name, or a group of fields, with the revisions, the newest first.

    The reply has as many revisions as stay in the table or, with `archived`, all revisions, as far
    as a reply has room. Raises NotFound for an absent or hidden topic or field, also as of the
    instant; PermissionDenied as `read_topic`.
    """
    usual = None if request.archived else world.topic_policy.max_history
    limit = usual if request.with_history else 1
    try:
        reading = _load_reading(request, call, world, limit=limit, name=request.name)
    except NotFound as error:
        raise NotFound(FIELD_NOT_FOUND) from error
    fields, cut = reading.fit([request.name], Room())
    if request.name not in fields:
        raise NotFound(FIELD_NOT_FOUND)
    reply: TopicField = {**fields[request.name], **cut}
    return ReplyBody(reply)


def _trail(
    topic: Topic, as_of: str | None, room: Room, references: ReferenceFilter
) -> "TopicTrail":
    """The audit trail, the oldest first; with `topic_history_cut` if older events are left out.

    A hidden event takes no room, and cuts nothing.
    """
    newest_first = [
        each
        for each in reversed(references.world.topics.events(topic))
        if as_of is None or not is_before(as_of, each.ts)
    ]
    most = Room(min(MAX_TRAIL_BYTES, room.left))
    newest: list[TopicEvent] = []
    is_cut = False
    for shown in map(showing.event, references.visible_events(newest_first)):
        is_cut = not most.takes(shown)
        if is_cut:
            break
        newest.append(shown)
    room.takes(newest)
    trail: TopicTrail = {"topic_history": newest[::-1]}
    if is_cut:
        trail["topic_history_cut"] = True
    return trail


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    topic: Topic
    """As of now."""
    then: Topic
    """As of the requested instant; without an instant, the same as `topic`."""
    is_cut: bool
    """Whether past fields are missing."""
    access: Access
    now_s: float
    limit: int | None
    """Revisions of a field; None = all, the bucket included."""
    as_of: str | None
    refs: Mapping[str, str]
    """By referenced id, the id of the topic at the end of the chain; without hidden topics."""
    allowance: Allowance
    references: ReferenceFilter

    def fit(self, names: Iterable[str], room: Room) -> "tuple[dict[str, TopicField], FieldsCut]":
        """The fields and groups of these names that there are; and `fields_cut` if some are not.

        Room goes to the shapes of all fields first, then to the values, then to earlier revisions.
        """
        is_cut = self.is_cut
        fields: dict[str, TopicField] = {}
        slots: list[showing.Slot] = []
        for name in names:
            shown = showing.field_or_group(self.then, name, self._shape_of)
            if shown is None:
                continue
            shape, inside = shown
            if not room.takes({name: shape}):
                is_cut = True
                break
            fields[name] = shape
            slots += inside
        self._append([(slot, [slot[0].current]) for slot in slots if slot[0].current], room)
        self._append_earlier(slots, room)
        return fields, {"fields_cut": True} if is_cut else {}

    def _shape_of(self, name: str, there: Field) -> "TopicField":
        salience = field_salience(self.topic, name, self.access, self.now_s)
        return showing.whole_field(there, salience, self.refs.get(there.ref_topic_id or ""))

    def _append_earlier(self, slots: Sequence[showing.Slot], room: Room) -> None:
        """Add the revisions before the values, as far as allowance and room reach."""
        several = filter(self._takes_history, slots)
        while room.left > LEAST_ROOM and (batch := list(islice(several, MAX_WORKERS))):
            histories = histories_of(
                [there for there, _ in batch],
                self.references.world.topics,
                limit=self.limit,
                until=self.as_of,
                archived=self.limit is None or self.as_of is not None,
            )
            earlier = [
                (slot, earlier_revisions(slot[0], history))
                for slot, history in zip(batch, histories, strict=True)
            ]
            self._append(earlier, room)

    def _takes_history(self, slot: showing.Slot) -> bool:
        """Whether the field has more revisions than a shown value, and the allowance takes them."""
        there, shape = slot
        has_more = there.history_length > 1 and bool(shape["history"])
        return self.limit != 1 and has_more and self.allowance.takes(there)

    def _append(
        self, additions: Sequence[tuple[showing.Slot, Sequence[Revision]]], room: Room
    ) -> None:
        """Add to every slot as many revisions as the room takes, the newest first."""
        every = [each for _, several in additions for each in several]
        shown = iter(self.references.visible_revisions(every))
        for (_, shape), several in additions:
            revisions = list(islice(shown, len(several)))
            shape["history"] += takewhile(room.takes, map(showing.entry, revisions))


def _load_reading(
    request: ReadTopic | ReadField,
    call: Call,
    world: World,
    *,
    limit: int | None,
    name: str | None = None,
) -> _Reading:
    """The reading of all fields, or of the field and the group with the name alone."""
    if request.as_of is not None:
        require_past(request.as_of, rfc3339(world.now()))
    topic = load_topic(request.id, call.principal.trust, world.topics)
    require_trust(topic, call.principal, request.trust)
    trust = call.principal.trust.narrow_to(request.trust)
    allowance = Allowance()
    asked = topic if name is None else _with_field(topic, name)
    past: tuple[Topic, bool] | None = asked, False
    if request.as_of is not None:
        (past,) = topics_as_of([asked], request.as_of, world.topics, allowance)
    if past is None:
        raise NotFound(NOT_FOUND)
    then, is_cut = past
    return _Reading(
        topic=topic,
        then=then,
        is_cut=is_cut,
        access=access_of(topic.id, world),
        now_s=epoch_seconds(world.now()),
        limit=limit,
        as_of=request.as_of,
        refs=refs_of([then], trust, world.topics),
        allowance=allowance,
        references=ReferenceFilter(trust, world),
    )


def _with_field(topic: Topic, name: str) -> Topic:
    inside = whole_name(name, "")
    fields = {
        each: there
        for each, there in topic.fields.items()
        if each == name or each.startswith(inside)
    }
    return replace(topic, fields=fields)
