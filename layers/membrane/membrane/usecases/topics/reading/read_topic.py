"""Read one topic by its id, or one of its fields, as they are or as they were."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from membrane.domain.language.errors import NotFound
from membrane.domain.language.timestamps import epoch_seconds, is_before, rfc3339
from membrane.domain.records.versions import require_past
from membrane.domain.topics.access import Access
from membrane.domain.topics.appending import is_alive
from membrane.domain.topics.nesting import inner_fields, shown_fields, shown_groups, whole_name
from membrane.domain.topics.requests.reading import ReadField, ReadTopic
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.salience import field_salience
from membrane.domain.topics.showing.room import Room
from membrane.domain.topics.showing.shapes import (
    Slot,
    container_of,
    entry,
    event,
    slot_of,
    whole_topic,
)
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.visibility import require_trust
from membrane.usecases.ports.services import MAX_WORKERS
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.histories import Allowance, Then, histories_of, topics_as_of
from membrane.usecases.topics.loading import NOT_FOUND, load_topic
from membrane.usecases.topics.neighbourhood import refs_of
from membrane.usecases.topics.reading.discretion import Discretion
from membrane.usecases.topics.saliences import access_of

if TYPE_CHECKING:
    from membrane.domain.topics.replies.parts import FieldsCut
    from membrane.domain.topics.replies.reading import (
        TopicEvent,
        TopicField,
        TopicReply,
        TopicTrail,
    )

FIELD_NOT_FOUND = "field not found"

MAX_TRAIL_BYTES = 1024 * 1024
"""Of the audit trail in a reply; of a longer one the newest events are shown."""

LEAST_ROOM = 512
"""What has less is full: no revision is shorter than half of it."""


def read_topic(request: ReadTopic, call: Call, services: TopicServices) -> ReplyBody:
    """The topic with its audit trail and the newest revisions of each field.

    As of an instant it has the fields and values of then, with the title and salience of now. What
    a reply has no room for is left out: old revisions first, then values, then fields
    (`fields_cut`); each field's `history_length` tells how many revisions it has. Topics and
    records that it names are shown as far as they may be seen.

    Raises NotFound where it is absent, deleted or may not be seen, or was not there then;
    PermissionDenied where only the request's own trust excludes it; InvalidArgument where the
    instant is yet to come.
    """
    most = services.topic_policy.max_history
    reading = _reading(request, call, services, limit=most)
    topic = reading.topic
    head = whole_topic(topic, reading.access, reading.now_s)
    if topic.id != request.id:
        head["asked_id"] = request.id
    room = Room()
    room.takes(head)
    trail = _trail(topic, request.as_of, room, reading.discretion)
    fields, cut = reading.tell(shown_fields(reading.then, detached=True), room)
    reply: TopicReply = {**head, **trail, "fields": fields, **cut}
    return ReplyBody(reply)


def read_field(request: ReadField, call: Call, services: TopicServices) -> ReplyBody:
    """One field by its whole name, or a group of fields, with its revisions, the newest first.

    They are as many as stay in the table or, with `archived`, as there are; as far as a reply has
    room. Raises NotFound where topic or field are absent or may not be seen, or were not then;
    PermissionDenied as `read_topic`.
    """
    usual = None if request.archived else services.topic_policy.max_history
    limit = usual if request.with_history else 1
    try:
        reading = _reading(request, call, services, limit=limit, name=request.name)
    except NotFound as error:
        raise NotFound(FIELD_NOT_FOUND) from error
    fields, cut = reading.tell([request.name], Room())
    if request.name not in fields:
        raise NotFound(FIELD_NOT_FOUND)
    reply: TopicField = {**fields[request.name], **cut}
    return ReplyBody(reply)


def _trail(topic: Topic, as_of: str | None, room: Room, discretion: Discretion) -> "TopicTrail":
    """The audit trail, the oldest first; `topic_history_cut` where older events were left out.

    A hidden event takes no room, and cuts nothing.
    """
    newest_first = [
        each
        for each in reversed(discretion.services.topics.events(topic))
        if as_of is None or not is_before(as_of, each.ts)
    ]
    most = Room(min(MAX_TRAIL_BYTES, room.left))
    told: list[TopicEvent] = []
    is_cut = False
    for shown in map(event, discretion.events(newest_first)):
        is_cut = not most.takes(shown)
        if is_cut:
            break
        told.append(shown)
    room.takes(told)
    trail: TopicTrail = {"topic_history": told[::-1]}
    if is_cut:
        trail["topic_history_cut"] = True
    return trail


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    topic: Topic
    """As it is."""
    then: Topic
    """As of the instant that is asked for; else the same."""
    is_cut: bool
    """Whether fields of then are missing."""
    access: Access
    now_s: float
    limit: int | None
    """Revisions of a field; None = all, those in the bucket too."""
    as_of: str | None
    refs: Mapping[str, str]
    """By id that a field refers to, the id at its end; none that may not be seen."""
    allowance: Allowance
    discretion: Discretion

    def tell(self, names: Iterable[str], room: Room) -> "tuple[dict[str, TopicField], FieldsCut]":
        """The fields and groups of these names that there are; and `fields_cut` if some are not.

        First all that says which there are, then their values, then what was before these.
        """
        is_cut = self.is_cut
        fields: dict[str, TopicField] = {}
        slots: list[Slot] = []
        for name in names:
            shown = self._shown(name)
            if shown is None:
                continue
            shape, inside = shown
            if not room.takes({name: shape}):
                is_cut = True
                break
            fields[name] = shape
            slots += inside
        self._tell([(slot, [slot.field.current]) for slot in slots if slot.field.current], room)
        self._tell_earlier(slots, room)
        return fields, {"fields_cut": True} if is_cut else {}

    def _shown(self, name: str) -> "tuple[TopicField, Sequence[Slot]] | None":
        """The shape of the field or group of that name, and the slots in it."""
        if is_alive(self.then.fields.get(name)):
            slot = self._slot(name)
            return slot.shape, [slot]
        group = shown_groups(self.then).get(name)
        if group is None:
            return None
        names = inner_fields(self.then, name)
        slots = {inner: self._slot(whole_name(name, inner)) for inner in names}
        shapes = {inner: slot.shape for inner, slot in slots.items()}
        return container_of(group.made, shapes), list(slots.values())

    def _slot(self, name: str) -> Slot:
        there = self.then.fields[name]
        salience = field_salience(self.topic, name, self.access, self.now_s)
        return slot_of(there, salience, self.refs.get(there.ref_topic_id or ""))

    def _tell_earlier(self, slots: Sequence[Slot], room: Room) -> None:
        """What was before the values; read of no more fields than is allowed and finds room."""
        several = filter(self._may_read, slots)
        while room.left > LEAST_ROOM and (batch := list(islice(several, MAX_WORKERS))):
            histories = histories_of(
                [slot.field for slot in batch],
                self.discretion.services.topics,
                limit=self.limit,
                until=self.as_of,
                archived=self.limit is None or self.as_of is not None,
            )
            earlier = map(_before, batch, histories)
            self._tell(list(zip(batch, earlier, strict=True)), room)

    def _may_read(self, slot: Slot) -> bool:
        """Whether there is more to tell than the value, if the value was told."""
        has_more = slot.field.history_length > 1 and bool(slot.shape["history"])
        return self.limit != 1 and has_more and self.allowance.takes(slot.field)

    def _tell(self, told: Sequence[tuple[Slot, Sequence[Revision]]], room: Room) -> None:
        """Add to each slot as many of its revisions as there is room for, the newest first."""
        shown = iter(self.discretion.revisions([each for _, several in told for each in several]))
        for slot, several in told:
            revisions = list(islice(shown, len(several)))
            slot.shape["history"] += takewhile(room.takes, map(entry, revisions))


def _reading(
    request: ReadTopic | ReadField,
    call: Call,
    services: TopicServices,
    *,
    limit: int | None,
    name: str | None = None,
) -> _Reading:
    """Of all fields, or of the field and the group of that name alone."""
    if request.as_of is not None:
        require_past(request.as_of, rfc3339(services.now()))
    topic = load_topic(request.id, call.principal.trust, services.topics)
    require_trust(topic, call.principal, request.trust)
    trust = call.principal.trust.narrow_to(request.trust)
    allowance = Allowance()
    asked = topic if name is None else _with_field(topic, name)
    then: Then | None = Then(asked, is_cut=False)
    if request.as_of is not None:
        (then,) = topics_as_of([asked], request.as_of, services.topics, allowance)
    if then is None:
        raise NotFound(NOT_FOUND)
    return _Reading(
        topic=topic,
        then=then.topic,
        is_cut=then.is_cut,
        access=access_of(topic.id, services),
        now_s=epoch_seconds(services.now()),
        limit=limit,
        as_of=request.as_of,
        refs=refs_of([then.topic], trust, services.topics),
        allowance=allowance,
        discretion=Discretion(trust, services),
    )


def _with_field(topic: Topic, name: str) -> Topic:
    """The topic with no other fields than that of the name, and those of a group of that name."""
    inside = whole_name(name, "")
    fields = {
        each: there
        for each, there in topic.fields.items()
        if each == name or each.startswith(inside)
    }
    return replace(topic, fields=fields)


def _before(slot: Slot, history: Sequence[Revision]) -> Sequence[Revision]:
    """Without the value itself, and without revisions added since the topic was read."""
    current = slot.field.current
    if current is None:
        return history
    return [each for each in history if each.id != current.id and each.place <= current.place]
