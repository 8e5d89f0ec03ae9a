"""Query topics: the topics that answer a question, in the detail of the requested stages."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate, Trust
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.sizes import Room
from membrane.domain.records.versions import require_past
from membrane.domain.topics.requests.reading import QueryTopics, Stage
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.salience import TopicSalience, field_salience, living_names
from membrane.domain.topics.showing import (
    FAILED_SALIENCE,
    Shown,
    bundled_fields,
    bundled_revision,
    cut_candidates,
    leaves,
    wanted_fields,
)
from membrane.domain.topics.topic import Field, Topic
from membrane.usecases.machinery.calls import TRANSIENT, Call, ReplyBody
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import (
    Allowance,
    Histories,
    histories_for_reply,
    topics_as_of,
)
from membrane.usecases.topics.loading import ReferenceFilter, Saliences, seen_revision
from membrane.usecases.topics.neighbourhood import (
    MAX_NEIGHBOURS,
    Neighbourhood,
    entity_ids_of,
    neighbourhood,
    refs_of,
)
from membrane.usecases.topics.querying.candidates import (
    MOST_EXAMINED,
    Candidate,
    candidates,
)

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import FoundTopics, ShownRevision, TopicBundle


DIGITS = 4

MAX_LINES = 5
"""Topics named by the summary of a reply."""

MOST_NAMED_BYTES = 100_000
"""The most bytes of field names in a message: a queue takes 256 KB."""


def query_topics(request: QueryTopics, call: Call, world: World) -> ReplyBody:
    """The best topics first, as far as visible to the trust; shown topics are reinforced later.

    If a reply has no room for all revisions, the histories are cut, as little as possible, and
    `history_limit` is the length. With 0, every value appears once, as `current`. A candidate has a
    `history_limit` of its own if too many histories were to be read, and `fields_cut` if fields are
    missing for want of room or of histories.

    Raises InvalidArgument for an `as_of` in the future, for a foreign consistency token and if
    scopes must be named; WrongEmbedder.
    """
    now = world.now()
    if request.as_of is not None:
        require_past(request.as_of, rfc3339(now))
    trust = Gate.of(call.principal.trust, request.trust).asked
    query = _Query(request, trust, Saliences(world, epoch_seconds(now)), world)
    shown = query.chosen_topics()
    body = query.body(shown)
    if request.reinforce:
        topics = [each.candidate.topic for each in shown]
        fields = _shown_named_fields(request, body)
        note_read(topics, fields, call, world, named=bool(request.topic_ids))
    return ReplyBody(body)


def _shown_named_fields(request: QueryTopics, body: "FoundTopics") -> Mapping[str, Sequence[str]]:
    asked = frozenset(request.field_names or ())
    return {
        each["topic_id"]: [shown["name"] for shown in each["fields"] if shown["name"] in asked]
        for each in body["candidates"]
    }


@dataclass(frozen=True, slots=True)
class _ChosenTopic:
    """A candidate, and the topic as of now or, with `as_of`, as of the instant."""

    candidate: Candidate
    topic: Topic
    is_cut: bool
    """Whether past fields are missing."""
    fields: Mapping[str, Shown]
    entity_id: str | None = None
    """The entity to which the topic refers; None also without the stage `structural`."""


@dataclass(frozen=True, slots=True)
class _Query:
    request: QueryTopics
    trust: Trust
    saliences: Saliences
    world: World
    allowance: Allowance = field(default_factory=Allowance)

    def chosen_topics(self) -> list[_ChosenTopic]:
        found = islice(candidates(self.request, self.trust, self.saliences), MOST_EXAMINED)
        names = self.request.field_names or ()
        has_fields = not {Stage.STRUCTURAL, Stage.TEMPORAL}.isdisjoint(self.request.stages)
        chosen = [
            _ChosenTopic(
                candidate,
                then,
                has_fields and is_cut,
                wanted_fields(then, names) if has_fields else {},
            )
            for candidate, then, is_cut in islice(self._as_of_instant(found), self.request.top_k)
        ]
        topics = [each.candidate.topic for each in chosen]
        self.saliences.look_up(topics)
        if Stage.STRUCTURAL not in self.request.stages:
            return chosen
        entity_ids = entity_ids_of(topics, self.trust, self.world)
        return [replace(each, entity_id=entity_ids.get(each.topic.id)) for each in chosen]

    def body(self, shown: Sequence[_ChosenTopic]) -> "FoundTopics":
        """The reply with histories as long as the reply has room for; else without, and cut."""
        around, histories = self._neighbours_of(shown), self._histories(shown)
        current = (one.current for each in shown for _, one in leaves(each.fields) if one.current)
        revisions = [*current, *chain.from_iterable(histories.revisions.values())]
        seen = ReferenceFilter(self.trust, self.world).visible_links(revisions)
        while not Room().takes(body := self._body_with(shown, around, histories, seen)):
            if histories.limit is None or histories.limit <= 1:
                return _cut_body(self._body_with(shown, around, Histories(limit=0), seen))
            histories = histories.cut_to(histories.limit // 2)
        return body

    def _as_of_instant(self, found: Iterator[Candidate]) -> Iterator[tuple[Candidate, Topic, bool]]:
        """Every candidate as of the requested instant, without topics created later.

        The third part of a triple is whether past fields are missing.
        """
        instant = self.request.as_of
        if instant is None:
            yield from ((candidate, candidate.topic, False) for candidate in found)
            return
        while some := list(islice(found, self.request.top_k)):
            topics = [candidate.topic for candidate in some]
            every = topics_as_of(topics, instant, self.world.topics, self.allowance)
            for candidate, then in zip(some, every, strict=True):
                if then is not None:
                    yield candidate, *then

    def _neighbours_of(self, shown: Sequence[_ChosenTopic]) -> Neighbourhood:
        topics = [each.topic for each in shown]
        if Stage.STRUCTURAL in self.request.stages:
            as_of = self.request.as_of
            return neighbourhood(
                topics,
                self.trust,
                self.world.topics,
                as_of=None if as_of is None else datetime.fromisoformat(as_of),
                include_archived=self.request.include_archived,
            )
        if Stage.TEMPORAL in self.request.stages:
            return Neighbourhood(refs=refs_of(topics, self.trust, self.world.topics))
        return Neighbourhood()

    def _histories(self, shown: Sequence[_ChosenTopic]) -> Histories:
        if not (Stage.TEMPORAL in self.request.stages and self.request.explain):
            return Histories()
        fields = {(each.topic.id, name): one for each in shown for name, one in leaves(each.fields)}
        most, until = self.world.topic_policy.max_history, self.request.as_of
        return histories_for_reply(
            fields, self.world.topics, most, allowance=self.allowance, until=until
        )

    def _body_with(
        self,
        shown: Sequence[_ChosenTopic],
        around: Neighbourhood,
        histories: Histories,
        seen: Collection[str],
    ) -> "FoundTopics":
        body: FoundTopics = {
            "query": self.request.q,
            "candidates": [self._bundle(each, around, histories, seen) for each in shown],
            "summary_text": _summary(self.request.q, shown),
        }
        limit = histories.limit
        if limit is not None and limit < self.world.topic_policy.max_history:
            body["history_limit"] = limit
        return body

    def _bundle(
        self,
        shown: _ChosenTopic,
        around: Neighbourhood,
        histories: Histories,
        seen: Collection[str],
    ) -> "TopicBundle":
        topic, then = shown.candidate.topic, shown.topic
        access, salience = self.saliences.access_of(topic), self.saliences.of(topic)

        def show(revision: Revision) -> "ShownRevision":
            return bundled_revision(seen_revision(revision, seen))

        def inside(name: str, each: Field) -> JsonObject:
            current = filter(None, [each.current])
            return {
                "field_type": each.type,
                "ref_topic_id": around.refs.get(each.ref_topic_id or ""),
                "salience": field_salience(topic, name, access, self.saliences.now_s),
                "history": [*map(show, histories.revisions.get((topic.id, name), current))],
            }

        neighbours = around.neighbours.get(topic.id, ())
        bundle: TopicBundle = {
            "topic_id": then.id,
            "title": then.title,
            "summary": then.summary or None,
            "topic_kind": then.kind or None,
            "salience": salience.total,
            "failed_salience": FAILED_SALIENCE,
            "neighbors": [*neighbours[:MAX_NEIGHBOURS]],
            "neighbors_truncated": len(neighbours) > MAX_NEIGHBOURS or topic.id in around.crowded,
            "fields": bundled_fields(shown.fields, inside, is_brief=histories.limit == 0),
            "similarity": shown.candidate.similarity,
        }
        if shown.entity_id is not None:
            bundle["entity_id"] = shown.entity_id
        if shown.is_cut:
            bundle["fields_cut"] = True
        if not histories.unread.isdisjoint((topic.id, name) for name, _ in leaves(shown.fields)):
            bundle["history_limit"] = 1
        if self.request.explain:
            bundle["explanation"] = _explanation(shown.candidate, salience)
        return bundle


def _summary(question: str, shown: Sequence[_ChosenTopic]) -> str:
    """A line for each of the first topics: id, title and similarity, in Python's spelling."""
    lines = [f"Top topics for {question!r}:"]
    lines += [
        f"- {each.topic.id} {each.topic.title!r} sim={each.candidate.similarity}"
        for each in shown[:MAX_LINES]
    ]
    return "\n".join(lines)


def _explanation(candidate: Candidate, salience: TopicSalience) -> JsonObject:
    """The reasons for the candidate: the parts of similarity and salience."""
    return {
        "source": candidate.source,
        "similarity": {name: round(value, DIGITS) for name, value in candidate.parts.items()},
        "salience": {
            "base": salience.base,
            "access": salience.access,
            "fields": salience.fields,
        },
    }


def _cut_body(body: "FoundTopics") -> "FoundTopics":
    room = Room()
    room.takes({**body, "candidates": []})
    return {**body, "candidates": cut_candidates(body["candidates"], room)}


def note_read(
    topics: Sequence[Topic],
    fields: Mapping[str, Sequence[str]],
    call: Call,
    world: World,
    *,
    named: bool,
) -> None:
    """Send a message for `reinforce_topics`; a failure is reported to operators alone.

    `fields` has, by topic, the shown fields that the request named. `named` is whether the request
    named the topics by id.
    """
    if not topics:
        return
    message = {
        "id": world.new_id(),
        "at": rfc3339(world.now()),
        "principal": call.principal.actor_id,
        "topics": [topic.id for topic in topics],
        "fields": dict(_living(topics, fields)),
        "named": named,
    }
    try:
        world.send_to_reasoning({"reinforce": message}, 0)
    except TRANSIENT as fault:
        world.report(call.rpc, FAULT, fault)


def _living(
    topics: Sequence[Topic], fields: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """By topic, the named fields that still exist, as far as the message has room."""
    room = MOST_NAMED_BYTES
    for topic in topics:
        living = list(living_names(topic, fields.get(topic.id, ())))
        room -= len(compact_json([topic.id, living]).encode())
        if living and room >= 0:
            yield topic.id, living
