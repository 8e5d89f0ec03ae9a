"""The tool `about`: what memory holds on a person, thing or topic."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from membrane.domain.entities.requests import ListEntities, ReadEntity
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import Body, compact_json
from membrane.domain.language.names import folded_name, term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.prompts import clean_text, tokens_in
from membrane.domain.search.requests import BRIEF, Retrieve
from membrane.domain.tools import texts
from membrane.domain.tools.arguments import About
from membrane.domain.tools.replies import Known, KnownName
from membrane.domain.topics.requests.reading import QueryTopics, Stage
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.search.retrieve import retrieve
from membrane.usecases.tools.tool import ToolAnswer, searched_scopes, trust_of
from membrane.usecases.topics.querying.query_topics import query_topics

MAX_FACTS = 20
"""Facts in one answer."""

MAX_TOPICS = 2
_MAX_ALIKE = 5

_TOPIC_TOKENS = 300
_FIELD_TOKENS = 60
_ENTITY_TOKENS = 200
_TAIL_TOKENS = 120


class _Found(NamedTuple):
    """What a name leads to."""

    page: Body | None
    """The entity with facts and topics; None without an entity of the name."""
    alike: Sequence[KnownName] = ()
    """Entities with a name that begins like the given name."""
    topic_ids: Sequence[str] = ()


def about(asked: About, call: Call, world: World) -> ToolAnswer:
    """The entity of the name, the facts with the name as subject, and the topics.

    A name that nothing bears leads to the topics that fit the name best. Raises PermissionDenied
    for a foreign scope, and the errors of the reads.
    """
    scopes = searched_scopes(call.principal, asked.scope)
    tokens = tuple(world.recent_writes.read(call.principal.identity))
    found = _find(asked, call, world)
    topics = _topics(asked, found, tokens, call, world)
    briefs = _facts(asked, found, tokens, call, world)
    reply: Known = {"name": asked.name, "facts": [], "topics": topics, "scopes": [*scopes]}
    lines = []
    if found.page is not None:
        reply["entity"] = _entity(found.page["entity"])
        lines.append(f"Entity: {compact_json(reply['entity'])}")
    if found.alike:
        reply["alike"] = [*found.alike]
        lines.append(f"Names alike: {compact_json(reply['alike'])}")
    lines += [f"Topic: {compact_json(each)}" for each in topics]
    head = f"Searched {texts.scope_words(scopes)} for {compact_json(clean_text(asked.name))}."
    used = tokens_in("\n".join([head, texts.NOTICE, *lines]))
    shown = texts.show(briefs, texts.MAX_TEXT_TOKENS - used - _TAIL_TOKENS)
    reply["facts"] = shown.memories
    count = texts.count_words(len(shown.memories), "fact")
    going_on = _how_to_go_on(reply, len(briefs) - len(shown.memories))
    text = "\n".join([head, texts.NOTICE, *lines, f"{count} known:", *shown.lines, *going_on])
    return ToolAnswer(reply, text)


def _find(asked: About, call: Call, world: World) -> _Found:
    """The entity by id, else by name; of several names, the one that is not just a beginning."""
    try:
        return _with_topics(_page(asked.name, asked, call, world))
    except NotFound:
        pass
    name = folded_name(asked.name)
    body = _entities_named(asked.name, asked, call, world)
    if not body["entities"] and name != term_of(asked.name):
        body = _entities_named(name, asked, call, world)
    listed: Sequence[Mapping[str, Any]] = body["entities"]
    chosen = next((each for each in listed if name in _folded_names(each)), None)
    if chosen is None and len(listed) == 1:
        chosen = listed[0]
    alike: list[KnownName] = [
        {"id": each["id"], "name": clean_text(each["name"])}
        for each in listed
        if each is not chosen
    ]
    if chosen is None:
        return _Found(None, alike[:_MAX_ALIKE], [each["id"] for each in body.get("topics", ())])
    return _with_topics(_page(chosen["id"], asked, call, world), alike[:_MAX_ALIKE])


def _entities_named(name: str, asked: About, call: Call, world: World) -> Body:
    request = ListEntities(q=name, scope=asked.scope, limit=_MAX_ALIKE + 1)
    return list_entities(request, call, world).body


def _page(entity_id: str, asked: About, call: Call, world: World) -> Body:
    request = ReadEntity(id=entity_id, trust=trust_of(asked.scope))
    return read_entity(request, call, world, BRIEF).body


def _with_topics(page: Body, alike: Sequence[KnownName] = ()) -> _Found:
    return _Found(page, alike, [each["id"] for each in page["topics"]])


def _folded_names(entity: Body) -> set[str]:
    return {folded_name(name) for name in (entity["name"], *entity["aliases"])}


def _facts(
    asked: About, found: _Found, tokens: tuple[str, ...], call: Call, world: World
) -> list[Body]:
    """Facts of the entity and facts with the name as subject, each once, the newest first."""
    page = found.page
    name = asked.name if page is None else page["entity"]["payload"]["canonical_name"]
    by_subject = Retrieve(
        subject=name,
        trust=trust_of(asked.scope),
        memory_types=(MemoryType.SEMANTIC,),
        limit=MAX_FACTS,
        view=BRIEF,
        consistency_tokens=tokens,
    )
    briefs = [each for each in retrieve(by_subject, call, world).records if each["text"]]
    briefs += [] if page is None else [each["record"] for each in page["facts"]]
    by_id = {each["id"]: each for each in briefs}
    return sorted(by_id.values(), key=lambda each: each["when"], reverse=True)[:MAX_FACTS]


def _topics(
    asked: About, found: _Found, tokens: tuple[str, ...], call: Call, world: World
) -> list[dict[str, Any]]:
    """The topics of the entity; else the topic of the id, else those that fit the name best."""

    def best_of(topic_ids: Sequence[str]) -> list[dict[str, Any]]:
        request = QueryTopics(
            q=asked.name,
            stages=(Stage.SEMANTIC, Stage.STRUCTURAL),
            topic_ids=tuple(topic_ids) or None,
            top_k=MAX_TOPICS,
            trust=trust_of(asked.scope),
            reinforce=False,
            consistency_tokens=tokens,
        )
        candidates = query_topics(request, call, world).body["candidates"]
        return [_topic(each) for each in candidates]

    if found.topic_ids:
        return best_of(found.topic_ids)
    if found.page is not None:
        return []
    of_id = best_of([asked.name]) if RECORD_ID.fullmatch(asked.name) else []
    return of_id or best_of(())


def _topic(bundle: Body) -> dict[str, Any]:
    summary = texts.up_to_tokens(clean_text(bundle["summary"] or ""), _FIELD_TOKENS)
    fields = [
        texts.up_to_tokens(
            clean_text(f"{each['name']}: {compact_json(each['current']['value'])}"), _FIELD_TOKENS
        )
        for each in bundle["fields"]
    ]
    topic: dict[str, Any] = {"id": bundle["topic_id"], "title": clean_text(bundle["title"])}
    if summary:
        topic["summary"] = summary
    if fields:
        topic["fields"] = texts.fitting(fields, _TOPIC_TOKENS)
    return topic


def _entity(record: Body) -> dict[str, Any]:
    payload = record["payload"]
    entity: dict[str, Any] = {
        "id": record["id"],
        "name": texts.up_to_tokens(clean_text(payload["canonical_name"]), _FIELD_TOKENS),
        "type": payload.get("primary_type", ""),
        "scope": record.get("scope", ""),
    }
    listed = (
        each if isinstance(each, str) else each["value"] for each in payload.get("aliases", ())
    )
    aliases = [clean_text(each) for each in listed]
    if aliases:
        entity["aliases"] = texts.fitting(aliases, _FIELD_TOKENS)
    if payload.get("summary"):
        entity["summary"] = texts.up_to_tokens(clean_text(payload["summary"]), _ENTITY_TOKENS)
    return entity


def _how_to_go_on(reply: Known, not_shown: int) -> list[str]:
    lines = []
    if not_shown:
        lines.append(f"{not_shown} more had no room.")
    if "entity" in reply:
        lines.append(f"Everything: resource membrane://entities/{reply['entity']['id']}")
    if reply["facts"]:
        lines.append("recall with the name as subject pages through all facts.")
    if not (reply["facts"] or reply["topics"] or "entity" in reply):
        lines.append("Nothing is known by this name: recall searches all memories by meaning.")
    return lines
