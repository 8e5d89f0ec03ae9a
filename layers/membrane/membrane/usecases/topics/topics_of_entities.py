"""Find the topics that refer to entities."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from membrane.domain.access.trust import Trust
from membrane.domain.entities.namesakes import places_of_topics
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.titles import is_untitled, title_key
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.search import NamedTopic
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.namesakes import entity_ids_of
from membrane.usecases.topics.titles import MAX_TITLED

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
