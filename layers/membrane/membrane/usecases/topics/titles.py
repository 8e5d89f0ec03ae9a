"""The heads of titles: one topic for each scope, kind and title (design 6).

A head names the topics that hold its title. Whoever makes or renames a topic reads the head
consistently and puts it in the same transaction, so of two who have both found it free one wins.
Whether a holder still counts, its own item tells; the next put leaves out former holders. An
observation without a title has a head by its content.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from membrane.domain.access.trust import Trust
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.placing.observations import Observation
from membrane.domain.topics.placing.resolving import content_key
from membrane.domain.topics.titles import is_untitled, title_key
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.records import Head, Holder
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import EVERYTHING, LIVING, load_topics

MAX_TITLED = 50
"""Topics of one title that are looked at."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title in a scope, of a kind, or the digest that stands for one; and its topics."""

    head: Head
    """Without former holders."""
    topics: tuple[Topic, ...]
    """One for each holder, in their order; of a merged holder, its keeper."""

    def holder(self, trust: Trust, at_least: Sensitivity | None = None) -> Topic | None:
        """The least sensitive holder that the trust shows.

        What is `at_least` so sensitive goes into no topic that is less.
        """
        return _least_sensitive(self.topics, trust, at_least)

    def held_by(self, topic: Topic) -> Head:
        """The head with that topic among its holders: one for each sensitivity."""
        known: dict[Sensitivity, Holder] = {}
        for holder, each in zip(self.head.holders, self.topics, strict=True):
            if topic.id not in (holder.record_id, each.id):
                known.setdefault(each.sensitivity, holder)
        known.pop(topic.sensitivity, None)
        holders = (*known.values(), Holder(topic.id, topic.sensitivity))
        return self.head._replace(holders=holders)


def title_of(scope: str, kind: str, title: str, services: TopicServices) -> Title | None:
    """The title as it is held now; None for a blank title."""
    if is_untitled(title):
        return None
    return _held(title_key(scope, kind, title), services, is_title=True)


def content_of(scope: str, told: Observation, services: TopicServices) -> Title | None:
    """What stands for the title of an untitled observation; None if it says nothing.

    The topic may have a title by now, and other values.
    """
    key = content_key(scope, told)
    return None if key is None else _held(key, services, is_title=False)


def unnamed_holder(
    title: Title, trust: Trust, at_least: Sensitivity | None, services: TopicServices
) -> Topic | None:
    """A topic that has the title and that the trust shows, although the head does not name it.

    It was made beside the holder, or renamed over it, and has outlived it; or whoever put the head
    could not see it. The index may lag behind.
    """
    key = title.head.key
    ids = services.topics.ids_by_title(key, MAX_TITLED)
    named = services.topics.load_all(ids) if ids else {}
    living = [each for each in named.values() if each.status in LIVING and _has_title(each, key)]
    living.sort(key=lambda each: (each.base.born_s, each.id))
    return _least_sensitive(living, trust, at_least)


def title_heads(topic: Topic, trust: Trust, services: TopicServices) -> tuple[Head, ...]:
    """The heads to put with a topic that is made, renamed, of another kind, or back again.

    None where another topic that this trust shows holds the title. `topic` is as it will be.
    """
    title = title_of(topic.scope, topic.kind, topic.title, services)
    if title is None or title.holder(trust, topic.sensitivity) is not None:
        return ()
    return (title.held_by(topic),)


def renamed_heads(
    before: Topic, after: Topic, trust: Trust, services: TopicServices
) -> tuple[Head, ...]:
    """`title_heads` of the next version, where its title, kind or status is another one."""
    is_known = _holds_by(after) == _holds_by(before)
    return () if is_known else title_heads(after, trust, services)


def _holds_by(topic: Topic) -> tuple[str, str, str]:
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


def _has_title(topic: Topic, key: bytes) -> bool:
    return title_key(topic.scope, topic.kind, topic.title) == key


def _held(key: bytes, services: TopicServices, *, is_title: bool) -> Title:
    """With the holders that still have the title, and were not deleted since."""
    head = services.records.head(key)
    ids = [each.record_id for each in head.holders]
    named = services.topics.load_all(ids) if ids else {}
    merged = [each.id for each in named.values() if each.merged is not None]
    ends = load_topics(merged, EVERYTHING, services.topics) if merged else {}
    living: dict[Holder, Topic] = {}
    for holder in head.holders:
        own = named.get(holder.record_id)
        if own is None or (is_title and not _has_title(own, head.key)):
            continue
        topic = own if own.merged is None else ends.get(own.id)
        if topic is not None and topic.status in LIVING and topic.scope == own.scope:
            living[holder] = topic
    return Title(head._replace(holders=tuple(living)), tuple(living.values()))
