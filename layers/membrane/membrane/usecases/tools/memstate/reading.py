"""MemState's tools that read topics: no read changes the salience of a topic."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.language.errors import NotFound
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.memstate import reading
from membrane.domain.tools.memstate.reading import Detail, StudyGraphSnapshot, StudyUnitCatalog
from membrane.domain.tools.memstate.topics import (
    fields,
    head,
    outline,
    pick,
    read_field,
    whole_topic,
)
from membrane.domain.topics.nesting import inner_fields, shown_groups, whole_name
from membrane.domain.topics.requests.reading import ReadField, ReadTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate import windows
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.loading import load_topic
from membrane.usecases.topics.reading import read_topic

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import TopicField, TopicReply

_MOST_HEADS = 100
"""Topics to render for a page; no page has room for more."""

_NO_CATALOG = "No study session is open: a catalog exists while a long document is being studied."
_NO_SESSION = "study_graph_snapshot is only available in Study phase A"


def graph_snapshot(asked: reading.GraphSnapshot, call: Call, world: World) -> ToolAnswer:
    """Topics with values, edges and references, archived topics too."""
    window = windows.window_of(asked.cursor, call, world, include_archived=True)
    return windows.graph_answer(window, asked, call, world)


def unit_catalog(_asked: StudyUnitCatalog, _call: Call, _world: World) -> ToolAnswer:
    """The catalog of a call outside a session, which is empty."""
    return windows.answer_of({"ok": True, "catalog": {}, "note": _NO_CATALOG})


def study_snapshot(asked: StudyGraphSnapshot, call: Call, world: World) -> ToolAnswer:
    """The topics of a kind with the edges among them; raises Expected without a kind.

    MemState's MCP server takes the kind as an argument; in a session the kind is the session's.
    """
    kind = asked.study_topic_kind.strip()
    if not kind:
        raise windows.Expected(_NO_SESSION)
    window = windows.window_of(asked.cursor, call, world, include_archived=True, kind=kind)
    return windows.graph_answer(window, asked, call, world, within=True)


def list_topics(asked: reading.ListTopics, call: Call, world: World, kind: str = "") -> ToolAnswer:
    """Title, summary and kind of topics, of the kind alone if there is one."""
    window = windows.window_of(
        asked.cursor, call, world, include_archived=asked.include_archived, kind=kind
    )
    nodes = [
        ({"head": head(topic), "id": topic.id}, ())
        for topic in window.topics[asked.offset : asked.offset + _MOST_HEADS]
    ]

    def parts_of(parts: Sequence[Any], _edges: Sequence[Any]) -> JsonObject:
        return {
            "topics": [each["head"] for each in parts],
            "topic_ids": [each["id"] for each in parts],
        }

    begun = {"ok": True, **parts_of((), ()), "total": len(window.topics)}
    return windows.page_answer(begun, window, nodes, parts_of, asked.offset)


def topics_schema_page(asked: reading.TopicsSchemaPage, call: Call, world: World) -> ToolAnswer:
    """Fields of topics without values; as many topics as the limit, or as have room."""
    kind, archived = asked.topic_kind, asked.include_archived
    window = windows.window_of(asked.cursor, call, world, include_archived=archived, kind=kind)
    begun = {
        "ok": True,
        "topics": [],
        "offset": asked.offset,
        "limit": asked.page_size,
        "total": len(window.topics),
    }
    chosen = window.topics[asked.offset : asked.offset + asked.page_size]
    nodes = [
        ({**shown, "field_count": len(shown["fields"])}, ())
        for shown in map(outline, windows.current_topics(chosen, call, world))
    ]
    return windows.page_answer(
        begun, window, nodes, lambda parts, _: {"topics": parts}, asked.offset
    )


def get_topic_schema(asked: reading.GetTopicSchema, call: Call, world: World) -> ToolAnswer:
    """The fields of a topic in the asked detail. Raises NotFound."""
    topic = load_topic(asked.topic_id, call.principal.trust, world.topics)
    [body] = windows.current_topics([topic], call, world)
    document = {
        "ok": True,
        "topic_id": topic.id,
        **pick(body, "title", "summary", "topic_kind", "archived"),
        "detail": asked.detail.value,
        "fields": fields(body, with_values=asked.detail is not Detail.MINIMAL),
        **pick(body, "salience"),
    }
    if asked.detail is Detail.HISTORY:
        document["fields"] = _with_histories(document["fields"], topic, call, world)
    return windows.document_answer(
        document, "memory_get_topic_schema", "/fields/NAME/value", asked, world
    )


def get_topic(asked: reading.GetTopic, call: Call, world: World) -> ToolAnswer:
    """A topic with values, histories and audit trail. Raises NotFound."""
    body = _whole_topic(asked.topic_id, call, world)
    document = {"ok": True, "topic": whole_topic(body)}
    return windows.document_answer(
        document, "memory_get_topic", "/topic/fields/NAME/history", asked, world
    )


def get_field(asked: reading.GetFieldHistory, call: Call, world: World) -> ToolAnswer:
    """A field, a bundle, or a field in a bundle. Raises NotFound, and Expected.

    With all revisions, the newest first; `memory_get_field` may leave the revisions out.
    """
    tool, history = "memory_get_field_history", True
    if isinstance(asked, reading.GetField):
        tool, history = "memory_get_field", asked.with_history

    def read(name: str) -> "TopicField":
        """The field, with archived revisions if the history is wanted."""
        request = ReadField(id=asked.topic_id, name=name, with_history=history, archived=history)
        return cast("TopicField", read_topic.read_field(request, call, world).body)

    about = {"topic_id": asked.topic_id, "field_name": asked.field_name}
    if asked.nested_field_name:
        about = {"nest_key": asked.field_name, "nested_field_name": asked.nested_field_name}
        found = read(_nested_name(asked, call, world))
    else:
        try:
            found = read(asked.field_name)
        except NotFound:
            topic = _topic_of_field(asked.topic_id, call, world)
            bundles = sorted(shown_groups(topic))
            having = (each for each in bundles if asked.field_name in inner_fields(topic, each))
            bundle = next(having, None)
            if bundle is None:
                raise
            found = read(whole_name(bundle, asked.field_name))
            about |= {"nest_key": bundle, "nested_field_name": asked.field_name}
    document = {"ok": True, **about, "field": read_field(found, with_history=history)}
    return windows.document_answer(document, tool, "/field/value", asked, world)


def _nested_name(asked: reading.GetFieldHistory, call: Call, world: World) -> str:
    """The whole name of the named field in the named bundle."""
    topic = _topic_of_field(asked.topic_id, call, world)
    if asked.field_name in topic.living_fields:
        raise windows.Expected("field is not a nested bundle")
    if asked.field_name not in shown_groups(topic):
        raise NotFound(read_topic.FIELD_NOT_FOUND)
    if asked.nested_field_name not in inner_fields(topic, asked.field_name):
        raise windows.Expected("nested field not found")
    return whole_name(asked.field_name, asked.nested_field_name)


def _topic_of_field(topic_id: str, call: Call, world: World) -> Topic:
    """The topic; raises NotFound in the words of an absent field."""
    try:
        return load_topic(topic_id, call.principal.trust, world.topics)
    except NotFound as error:
        raise NotFound(read_topic.FIELD_NOT_FOUND) from error


def _whole_topic(topic_id: str, call: Call, world: World) -> "TopicReply":
    return cast("TopicReply", read_topic.read_topic(ReadTopic(id=topic_id), call, world).body)


def _with_histories(shown: Any, topic: Topic, call: Call, world: World) -> Any:
    """The fields with the revisions of `read_topic`; a field without room there has none."""
    read = _whole_topic(topic.id, call, world)["fields"]
    for name, field in shown.items():
        if name in read:
            whole = read_field(read[name], with_history=True)
            field["history"] = whole["history"]
    return shown
