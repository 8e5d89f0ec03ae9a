"""Find the entities to which topics refer."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from membrane.domain.access.trust import Trust
from membrane.domain.entities.namesakes import are_namesakes
from membrane.domain.entities.surfaces import is_name
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.titles import is_untitled
from membrane.domain.topics.topic import Topic
from membrane.usecases.names.known_entities import NamesInView, scopes_in_view
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors


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
