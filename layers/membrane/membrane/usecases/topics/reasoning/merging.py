"""Find duplicate topics and merge duplicates; the write that merges reads both again."""

from collections.abc import Mapping, Sequence

from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.names import normalise_text
from membrane.domain.search.entries import unpack_dense
from membrane.domain.search.questions import question_of
from membrane.domain.topics.placing.observations import TYPES, searchable_topic, similarity
from membrane.domain.topics.reasoning.actions import not_merged
from membrane.domain.topics.reasoning.duplicates import Duplicate, cosine_of, duplicate_of
from membrane.domain.topics.reasoning.merging import chain_length, merge_duplicates, obstacle
from membrane.domain.topics.titles import is_kept_apart, is_untitled, title_key
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.search import Search
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics import loading
from membrane.usecases.topics.reasoning.forget_topics import follow_up
from membrane.usecases.topics.writing import NOTHING, Decision, write

MERGED = "TopicsMerged"
"""The metric."""


def duplicates_of(topic: Topic, scope: str, world: World) -> Sequence[Duplicate]:
    """The duplicates of a topic of the scope, by the indexes; the surest first."""
    if is_untitled(topic.title) or is_kept_apart(topic.kind) or topic.status not in loading.LIVING:
        return ()
    key = title_key(topic.scope, topic.kind, topic.title)
    titled = world.topics.ids_by_title(key, loading.MAX_TITLED)
    similar = _similar(topic, scope, world)
    others = loading.load_sound_topics(sorted({*titled, *similar} - {topic.id}), world)
    found = (
        duplicate_of(topic, other, similar.get(other_id), world.topic_policy)
        for other_id, other in others.items()
    )
    return sorted((each for each in found if each is not None), key=_surest)


def merge_topics(one_id: str, other_id: str, call: Call, world: World) -> bool:
    """Merge duplicates; False if they are none any more. Raises PermissionDenied, Aborted."""
    keyless = call._replace(key=None)

    def decide(context: ChangeContext) -> Decision:
        duplicate = _duplicate(one_id, other_id, call, world)
        return NOTHING if duplicate is None else _merge(duplicate, context, call, world)

    answer = write(decide, keyless, world).answer
    if "merged" not in answer.body:
        return False
    alias = world.topics.load(answer.body["merged"])
    if alias is not None:
        follow_up(alias, keyless, world)
    world.measure(MERGED, 1, "Count")
    return True


def _similar(topic: Topic, scope: str, world: World) -> Mapping[str, float]:
    """By id, the cosines of near topics; empty while the index is of a different embedder."""
    try:
        stored = world.topic_search.at([topic.id], world.embedder.dimensions)
        if not stored:
            return {}
        dense, text = unpack_dense(stored[0].dense), searchable_topic(topic).text
        search = Search(question_of(text, world.now()), dense, (scope,), topic.sensitivity, TYPES)
        found = world.topic_search.search(search).entries
    except WrongEmbedder:
        return {}
    cosines = {each.record_id: similarity(dense, each) for each in found}
    least = world.topic_policy.duplicate_similarity
    return {each: near for each, near in cosines.items() if near >= least}


def _surest(duplicate: Duplicate) -> tuple[float, str, str]:
    """The sort key: topics of the same title come before similar topics."""
    similarity = 1.0 if duplicate.similarity is None else duplicate.similarity
    return -similarity, duplicate.keeper.id, duplicate.other.id


def _duplicate(one_id: str, other_id: str, call: Call, world: World) -> Duplicate | None:
    """The two topics as duplicates, read consistently; aliases are followed."""
    found = loading.load_topics([one_id, other_id], call.principal.trust, world.topics)
    one, other = found.get(one_id), found.get(other_id)
    if one is None or other is None:
        return None
    cosine = None
    if normalise_text(one.title) != normalise_text(other.title):
        texts = [searchable_topic(topic).text for topic in (one, other)]
        cosine = cosine_of(*world.embedder.embed(texts))
    return duplicate_of(one, other, cosine, world.topic_policy)


def _merge(duplicate: Duplicate, context: ChangeContext, call: Call, world: World) -> Decision:
    keeper, other = duplicate.keeper, duplicate.other
    call.principal.require_write(keeper.scope, keeper.sensitivity)
    hindrance = obstacle(duplicate, chain_length(world.topics.load_all(other.absorbed)))
    if hindrance is not None:
        action = not_merged(duplicate, hindrance, context.timestamp)
        world.topics.log(keeper.scope, action.body, action.at, action.id)
        return NOTHING
    after, alias = merge_duplicates(duplicate, context)
    change = TopicChange(topics=((keeper, after), (other, alias)))
    return Decision(change, {"merged": other.id, "into": keeper.id})
