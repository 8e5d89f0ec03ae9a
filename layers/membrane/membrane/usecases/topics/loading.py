"""Load topics by id or by title, with the rights of a principal; the salience of topics.

Aliases are followed. A head of a title says who holds the title in a scope and kind. The head names
the topics that hold the title, at most one for a sensitivity. A use case that creates or renames a
topic reads the head consistently and puts the head in the same transaction; of two writers that
found the title free, one wins. The item of a holder decides whether the holder still counts; the
next put leaves out former holders. An untitled observation has a head by content. The topic of a
studied document holds no title: two documents may have one title.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.access.principals import REASON as ACTOR
from membrane.domain.access.principals import Principal, Source
from membrane.domain.access.trust import ALL_SCOPES, Trust
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.salience import Access, TopicSalience, salience_of
from membrane.domain.topics.titles import is_untitled, stands_for_document, title_key
from membrane.domain.topics.topic import HIDDEN, Topic, TopicStatus
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.machinery.calls import TRANSIENT, Call, load_undamaged
from membrane.usecases.ports.records import Head, Holder
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import TopicPlace
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics

NOT_FOUND = "topic not found"

EVERYTHING = Trust(Sensitivity.HYPER, None)

LIVING = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)

MAX_ALIASES = 16
"""The longest chain of aliases that a load follows."""


def load_topic(
    topic_id: str, trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Topic:
    """The topic with the id; for an alias, the topic at the end of the chain.

    Raises NotFound for an absent topic, a topic outside the trust, or a deleted or erased topic
    without `deleted`.
    """
    found = load_topics([topic_id], trust, topics, deleted=deleted).get(topic_id)
    if found is None:
        raise NotFound(NOT_FOUND)
    return found


def load_topics(
    topic_ids: Iterable[str], trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Mapping[str, Topic]:
    """The topics that `load_topic` finds, by requested id; far fewer requests than ids."""
    asked = [each for each in dict.fromkeys(topic_ids) if RECORD_ID.fullmatch(each)]
    known: dict[str, Topic] = {}
    wanted = asked
    for _ in range(MAX_ALIASES):
        if not wanted:
            break
        known |= topics.load_all(wanted, trust)
        next_ids = {each.merged.into for each in known.values() if each.merged is not None}
        wanted = sorted(next_ids - known.keys())
    ends = {topic_id: _end(topic_id, known) for topic_id in asked}
    return {
        topic_id: topic
        for topic_id, topic in ends.items()
        if topic is not None
        and trust.allows(topic.scope, topic.sensitivity)
        and (deleted or topic.status not in HIDDEN)
    }


def _end(topic_id: str, known: Mapping[str, Topic]) -> Topic | None:
    topic = known.get(topic_id)
    for _ in range(MAX_ALIASES):
        if topic is None or topic.merged is None:
            return topic
        topic = known.get(topic.merged.into)
    return None


@dataclass(slots=True)
class Saliences:
    """The salience of topics at an instant; the reads of a topic are looked up once."""

    world: World
    now_s: float
    _accesses: dict[str, Access] = field(default_factory=dict)

    def look_up(self, topics: Iterable[Topic]) -> None:
        """Look up the reads of several topics in a single request."""
        unknown = [each.id for each in topics if each.id not in self._accesses]
        if unknown:
            found = self.world.topics.accesses(unknown)
            self._accesses |= {each: found.get(each, NEVER_READ) for each in unknown}

    def access_of(self, topic: Topic) -> Access:
        """The reads of a topic; `look_up` comes first."""
        return self._accesses[topic.id]

    def of(self, topic: Topic) -> TopicSalience:
        """The salience of a topic; `look_up` comes first."""
        return salience_of(topic, self._accesses[topic.id], self.now_s)

    def most_salient_first(self, topics: Sequence[Topic]) -> list[Topic]:
        """The topics, the most salient first; ties by id."""
        self.look_up(topics)
        return sorted(topics, key=lambda topic: (-self.of(topic).total, topic.id))


def saliences_now(topics: Iterable[Topic], world: World) -> Saliences:
    saliences = Saliences(world, epoch_seconds(world.now()))
    saliences.look_up(topics)
    return saliences


def access_of(topic_id: str, world: World) -> Access:
    return world.topics.accesses([topic_id]).get(topic_id, NEVER_READ)


MAX_TITLED = 50
"""The most topics with a title to examine."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title of a scope and kind, or a content digest in place of a title, with the topics."""

    head: Head
    """Without former holders."""
    topics: tuple[Topic, ...]
    """A topic for every holder, in the order of holders; for a merged holder, the keeper."""

    def holder(self, trust: Trust, at_least: Sensitivity | None = None) -> Topic | None:
        """The least sensitive holder visible to the trust.

        `at_least` is the sensitivity of new content, which never goes into a less sensitive topic.
        """
        return _least_sensitive(self.topics, trust, at_least)

    def head_with(self, topic: Topic) -> Head:
        """The head with the topic among the holders: a single holder for a sensitivity."""
        known: dict[Sensitivity, Holder] = {}
        for holder, each in zip(self.head.holders, self.topics, strict=True):
            if topic.id not in (holder.record_id, each.id):
                known.setdefault(each.sensitivity, holder)
        known.pop(topic.sensitivity, None)
        holders = (*known.values(), Holder(topic.id, topic.sensitivity))
        return self.head._replace(holders=holders)


def title_of(scope: str, kind: str, title: str, world: World) -> Title | None:
    """The title with the present holders; None for a blank title."""
    if is_untitled(title):
        return None
    return _current_title(title_key(scope, kind, title), world, is_title=True)


def content_of(key: bytes | None, world: World) -> Title | None:
    """The content digest in place of the title of an untitled observation; None without content.

    By now the holder may have a title and different values.
    """
    return None if key is None else _current_title(key, world, is_title=False)


def holder_outside_head(
    title: Title, trust: Trust, at_least: Sensitivity | None, world: World
) -> Topic | None:
    """A visible topic with the title that the head does not name.

    The topic was created beside the holder, or renamed to the title, and outlived the holder; or
    the writer of the head could not see the topic. The index may lag behind.
    """
    key = title.head.key
    ids = world.topics.ids_by_title(key, MAX_TITLED)
    named = world.topics.load_all(ids) if ids else {}
    living = [each for each in named.values() if _is_holder(each) and _has_title(each, key)]
    living.sort(key=lambda each: (each.base.born_s, each.id))
    return _least_sensitive(living, trust, at_least)


def title_heads(topic: Topic, trust: Trust, world: World) -> tuple[Head, ...]:
    """The heads to put with a topic that is created, renamed, of a new kind, or restored.

    Empty for a blank title, for the topic of a document, and if a different topic visible to the
    trust holds the title. `topic` is the version to be written.
    """
    if stands_for_document(topic):
        return ()
    title = title_of(topic.scope, topic.kind, topic.title, world)
    if title is None or title.holder(trust, topic.sensitivity) is not None:
        return ()
    return (title.head_with(topic),)


def renamed_heads(before: Topic, after: Topic, trust: Trust, world: World) -> tuple[Head, ...]:
    """`title_heads` of the next version; empty if title, kind and status stay the same."""
    is_known = _title_state(after) == _title_state(before)
    return () if is_known else title_heads(after, trust, world)


def _title_state(topic: Topic) -> tuple[str, str, str]:
    return topic.title, topic.kind, topic.status


def _least_sensitive(
    topics: Iterable[Topic], trust: Trust, at_least: Sensitivity | None
) -> Topic | None:
    seen = [
        each
        for each in topics
        if trust.allows(each.scope, each.sensitivity)
        and (at_least is None or each.sensitivity.level >= at_least.level)
    ]
    return min(seen, key=lambda each: each.sensitivity.level, default=None)


def _is_holder(topic: Topic) -> bool:
    return topic.status in LIVING and not stands_for_document(topic)


def _has_title(topic: Topic, key: bytes) -> bool:
    return title_key(topic.scope, topic.kind, topic.title) == key


def _current_title(key: bytes, world: World, *, is_title: bool) -> Title:
    """The title with the holders that still have the title and are not deleted."""
    head = world.records.head(key)
    ids = [each.record_id for each in head.holders]
    named = world.topics.load_all(ids) if ids else {}
    merged = [each.id for each in named.values() if each.merged is not None]
    ends = load_topics(merged, EVERYTHING, world.topics) if merged else {}
    living: dict[Holder, Topic] = {}
    for holder in head.holders:
        own = named.get(holder.record_id)
        if own is None or (is_title and not _has_title(own, head.key)):
            continue
        topic = own if own.merged is None else ends.get(own.id)
        if topic is not None and _is_holder(topic) and topic.scope == own.scope:
            living[holder] = topic
    return Title(head._replace(holders=tuple(living)), tuple(living.values()))


PAGE = 100
"""Places in a page of a scope."""

REASON = "Reason"
"""The operation in fault reports."""

SERVICE = Call(
    Principal(ACTOR, frozenset(Permission), (ALL_SCOPES,), Sensitivity.HYPER, Source.SERVICE),
    REASON,
    key=None,
    fingerprint=b"",
)
"""A call by the service itself."""


@contextmanager
def report_faults(world: World) -> Iterator[None]:
    """Report a fault of the block and go on; raises only TRANSIENT errors."""
    try:
        yield
    except TRANSIENT:
        raise
    except Exception as fault:  # noqa: BLE001 - raising would block all other topics, in every run
        world.report(REASON, FAULT, fault)


def load_sound_topics(topic_ids: Sequence[str], world: World) -> Mapping[str, Topic]:
    """By id, the topics that exist and are readable; damaged topics are reported."""
    found, damaged = load_undamaged(topic_ids, world.topics.load_all)
    for error in damaged.values():
        world.report(REASON, FAULT, error)
    return found


def topics_in_scope(
    scope: str, world: World, after: TopicPlace | None
) -> Iterator[tuple[Topic, TopicPlace]]:
    """The topics of a scope behind a place, each with a place."""
    while page := world.topics.list_topics(scope, PAGE, after):
        there = load_sound_topics([place.topic_id for place in page], world)
        yield from (
            (topic, place)
            for place in page
            if (topic := there.get(place.topic_id)) is not None and topic.scope == scope
        )
        after = page[-1]
