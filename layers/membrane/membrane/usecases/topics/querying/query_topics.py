"""Query topics: the topics that answer a question, in the detail of the requested stages."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import Room
from membrane.domain.records.versions import require_past
from membrane.domain.topics.requests.reading import QueryTopics, Stage
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
from membrane.usecases.topics.loading import Saliences
from membrane.usecases.topics.neighbourhood import (
    MAX_NEIGHBOURS,
    Neighbourhood,
    ReferenceFilter,
    entity_ids_of,
    neighbourhood,
    refs_of,
    seen_revision,
)
from membrane.usecases.topics.querying.candidates import (
    MOST_EXAMINED,
    Candidate,
    candidates,
)

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import FoundTopics, TopicBundle


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
    trust = call.principal.trust.narrow_to(request.trust)
    saliences, allowance = Saliences(world, epoch_seconds(now)), Allowance()
    shown = _chosen_topics(request, trust, saliences, allowance)
    body = _body(request, shown, trust, saliences, allowance)
    if request.reinforce:
        asked = frozenset(request.field_names or ())
        fields = {
            each["topic_id"]: [field["name"] for field in each["fields"] if field["name"] in asked]
            for each in body["candidates"]
        }
        topics = [each.candidate.topic for each in shown]
        note_read(topics, fields, call, world, named=bool(request.topic_ids))
    return ReplyBody(body)


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

    @property
    def leaves(self) -> Sequence[tuple[tuple[str, str], Field]]:
        """The fields, those of groups too, by id of the topic and whole name."""
        return [((self.topic.id, name), each) for name, each in leaves(self.fields)]


def _chosen_topics(
    request: QueryTopics, trust: Trust, saliences: Saliences, allowance: Allowance
) -> list[_ChosenTopic]:
    world, stages, names = saliences.world, request.stages, request.field_names or ()
    has_fields = not {Stage.STRUCTURAL, Stage.TEMPORAL}.isdisjoint(stages)
    found = islice(candidates(request, trust, saliences), MOST_EXAMINED)
    chosen = [
        _ChosenTopic(
            candidate,
            then,
            has_fields and is_cut,
            wanted_fields(then, names) if has_fields else {},
        )
        for candidate, then, is_cut in islice(
            _as_of_instant(request, found, world, allowance), request.top_k
        )
    ]
    topics = [each.candidate.topic for each in chosen]
    saliences.look_up(topics)
    if Stage.STRUCTURAL not in stages:
        return chosen
    entity_ids = entity_ids_of(topics, trust, world)
    return [replace(each, entity_id=entity_ids.get(each.topic.id)) for each in chosen]


def _as_of_instant(
    request: QueryTopics, found: Iterator[Candidate], world: World, allowance: Allowance
) -> Iterator[tuple[Candidate, Topic, bool]]:
    """Every candidate as of the requested instant, without topics created later.

    The third part of a triple is whether past fields are missing.
    """
    if request.as_of is None:
        yield from ((candidate, candidate.topic, False) for candidate in found)
        return
    while some := list(islice(found, request.top_k)):
        topics = [candidate.topic for candidate in some]
        every = topics_as_of(topics, request.as_of, world.topics, allowance)
        for candidate, then in zip(some, every, strict=True):
            if then is not None:
                yield candidate, *then


def _body(
    request: QueryTopics,
    shown: Sequence[_ChosenTopic],
    trust: Trust,
    saliences: Saliences,
    allowance: Allowance,
) -> "FoundTopics":
    """The reply with histories as long as the reply has room for; else without, and cut."""
    world = saliences.world
    most = world.topic_policy.max_history
    around = _neighbourhood_of([each.topic for each in shown], request, trust, world)
    every = dict(chain.from_iterable(each.leaves for each in shown))
    histories = Histories()
    if Stage.TEMPORAL in request.stages and request.explain:
        histories = histories_for_reply(
            every, world.topics, most, allowance=allowance, until=request.as_of
        )
    current = (each.current for each in every.values() if each.current)
    revisions = [*current, *chain.from_iterable(histories.revisions.values())]
    seen = ReferenceFilter(trust, world).visible_links(revisions)

    def body_with(histories: Histories) -> "FoundTopics":
        bundles = [_bundle(each, around, histories, seen, saliences) for each in shown]
        if request.explain:
            for each, bundle in zip(shown, bundles, strict=True):
                salience = saliences.of(each.candidate.topic)
                bundle["explanation"] = _explanation(each.candidate, salience)
        body: FoundTopics = {
            "query": request.q,
            "candidates": bundles,
            "summary_text": _summary(request.q, shown),
        }
        if histories.limit is not None and histories.limit < most:
            body["history_limit"] = histories.limit
        return body

    while not Room().takes(body := body_with(histories)):
        if histories.limit is None or histories.limit <= 1:
            cut, room = body_with(Histories(limit=0)), Room()
            room.takes({**cut, "candidates": []})
            return {**cut, "candidates": cut_candidates(cut["candidates"], room)}
        histories = histories.cut_to(histories.limit // 2)
    return body


def _neighbourhood_of(
    topics: Sequence[Topic], request: QueryTopics, trust: Trust, world: World
) -> Neighbourhood:
    if Stage.STRUCTURAL in request.stages:
        as_of = None if request.as_of is None else datetime.fromisoformat(request.as_of)
        archived = request.include_archived
        return neighbourhood(topics, trust, world.topics, as_of=as_of, include_archived=archived)
    if Stage.TEMPORAL in request.stages:
        return Neighbourhood(refs=refs_of(topics, trust, world.topics))
    return Neighbourhood()


def _bundle(
    shown: _ChosenTopic,
    around: Neighbourhood,
    histories: Histories,
    seen: Collection[str],
    saliences: Saliences,
) -> "TopicBundle":
    topic, then = shown.candidate.topic, shown.topic
    access = saliences.access_of(topic)

    def inside(name: str, each: Field) -> JsonObject:
        current = filter(None, [each.current])
        revisions = histories.revisions.get((topic.id, name), current)
        return {
            "field_type": each.type,
            "ref_topic_id": around.refs.get(each.ref_topic_id or ""),
            "salience": field_salience(topic, name, access, saliences.now_s),
            "history": [bundled_revision(seen_revision(one, seen)) for one in revisions],
        }

    neighbours = around.neighbours.get(topic.id, ())
    bundle: TopicBundle = {
        "topic_id": then.id,
        "title": then.title,
        "summary": then.summary or None,
        "topic_kind": then.kind or None,
        "salience": saliences.of(topic).total,
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
    if not histories.unread.isdisjoint(place for place, _ in shown.leaves):
        bundle["history_limit"] = 1
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
    return {
        "source": candidate.source,
        "similarity": {name: round(value, DIGITS) for name, value in candidate.parts.items()},
        "salience": {
            "base": salience.base,
            "access": salience.access,
            "fields": salience.fields,
        },
    }


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
    named_fields, room = dict[str, Sequence[str]](), MOST_NAMED_BYTES
    for topic in topics:
        living = living_names(topic, fields.get(topic.id, ()))
        room -= len(compact_json([topic.id, living]).encode())
        if living and room >= 0:
            named_fields[topic.id] = living
    message = {
        "id": world.new_id(),
        "at": rfc3339(world.now()),
        "principal": call.principal.actor_id,
        "topics": [topic.id for topic in topics],
        "fields": named_fields,
        "named": named,
    }
    try:
        world.send_to_reasoning({"reinforce": message}, 0)
    except TRANSIENT as fault:
        world.report(call.rpc, FAULT, fault)
