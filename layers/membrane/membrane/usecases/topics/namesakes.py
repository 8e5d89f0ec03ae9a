"""Find the entities to which topics refer, and the topics that refer to entities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from types import MappingProxyType

from membrane.domain.access.trust import Trust
from membrane.domain.entities.names import are_namesakes, is_name, places_of_topics
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.titles import is_untitled, title_key
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.names.known_entities import NamesInView, scopes_in_view
from membrane.usecases.ports.records import NamePlace
from membrane.usecases.ports.search import NamedTopic
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.topics.loading import MAX_TITLED, load_topics


def entity_ids_of(
    topics: Iterable[Topic],
    trust: Trust,
    world: World,
    loaded: Mapping[str, AnyRecord] = MappingProxyType({}),
) -> Mapping[str, str]:
    """By id of a topic, the id of the visible entity to which the topic refers.

    Of several entities, the entity in the scope of the topic comes before an unscoped entity, and
    the less sensitive entity before the more sensitive. A request reads the names for 50 topics; a
    second request reads the entities, if any bears a title, and one more each step to a successor.
    `loaded` are records by id that no request need read. The names may lag behind.
    """
    named = [each for each in topics if not is_untitled(each.title) and is_name(each.title)]
    places = {
        NamePlace(scope, first_word_of(term_of(topic.title))): None
        for topic in named
        for scope in scopes_in_view(topic.scope)
    }
    stored = world.names.buckets([*places], consistent=False) if places else {}
    candidates = [
        NamesInView(each.scope, trust.ceiling, stored).candidates(term_of(each.title))
        for each in named
    ]
    ids = dict.fromkeys(chain.from_iterable(candidates))
    known = with_successors(ids, world.records.load_own, loaded)
    found = (
        (topic.id, _referred_entity(topic, several, known, trust))
        for topic, several in zip(named, candidates, strict=True)
    )
    return {topic_id: entity.id for topic_id, entity in found if entity is not None}


def _referred_entity(
    topic: Topic,
    entity_ids: Sequence[str],
    known: Mapping[str, AnyRecord],
    trust: Trust,
) -> StoredRecord | None:
    """The first visible entity to which the topic refers, or the successor of such an entity."""
    for held in (known[each] for each in entity_ids if each in known):
        entity = newest_known(held, known)
        if entity is not None and _refers_to(topic, entity, trust):
            return entity
    return None


def _refers_to(topic: Topic, entity: StoredRecord, trust: Trust) -> bool:
    payload = entity.record.payload
    return (
        isinstance(payload, EntityPayload)
        and entity.scope in scopes_in_view(topic.scope)
        and trust.allows(entity.scope, entity.sensitivity)
        and are_namesakes(topic.title, topic.kind, payload)
    )


MAX_TITLES = 40
"""The most titles to look up, each of a scope and kind: one Query a title."""

MAX_TOPICS = 50
"""The most topics of a reply."""


def topics_of_entities(
    entities: Sequence[StoredRecord], trust: Trust, world: World
) -> Sequence[NamedTopic]:
    """The topics visible to the trust that refer to the entities, the canonical names first.

    The titles of an entity are looked up in the scope of the entity. The titles of an unscoped
    entity are looked up among the unscoped topics and in the scopes that the trust lists. One
    request a title; with topics, one for the topics, and those of `entity_ids_of`. The index of
    titles may lag behind.
    """
    keys = list(islice(_title_keys(entities, trust), MAX_TITLES))
    titled = side_by_side(lambda key: world.topics.ids_by_title(key, MAX_TITLED), keys)
    ids = dict.fromkeys(chain.from_iterable(titled))
    if not ids:
        return []
    loaded = load_topics(ids, trust, world.topics)
    found = {loaded[each].id: loaded[each] for each in ids if each in loaded}
    known = {each.id: each for each in entities}
    entity_ids = entity_ids_of(found.values(), trust, world, known)
    return [
        NamedTopic(topic_id, found[topic_id].title, entity_id)
        for topic_id in found
        if (entity_id := entity_ids.get(topic_id)) in known
    ][:MAX_TOPICS]


def _title_keys(entities: Sequence[StoredRecord], trust: Trust) -> Iterator[bytes]:
    """The distinct keys of titles: the likeliest key of every entity before the next keys."""
    by_entity = [_title_keys_of(each, trust) for each in entities]
    turns = chain.from_iterable(zip_longest(*by_entity))
    return iter(dict.fromkeys(key for key in turns if key is not None))


def _title_keys_of(entity: StoredRecord, trust: Trust) -> Iterator[bytes]:
    payload = entity.record.payload
    if isinstance(payload, EntityPayload):
        listed = () if entity.scope else sorted(trust.scopes or ())
        for kind, title in places_of_topics(payload):
            if not is_untitled(title):
                for scope in dict.fromkeys((entity.scope, *listed)):
                    yield title_key(scope, kind, title)
