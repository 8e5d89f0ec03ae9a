"""The answers of MemState's tools: a result or the error, a document, or a page of topics.

A list pages through topics by id, as many at a time as have room in an answer.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.fields import record_named
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.tools.memstate import documents, reading
from membrane.domain.tools.memstate.topics import edges_by_source, node, outline
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, up_to_tokens
from membrane.domain.topics.nesting import shown_fields
from membrane.domain.topics.requests.reading import ListTopics
from membrane.domain.topics.salience import Access, field_salience
from membrane.domain.topics.showing import (
    entry,
    field_or_group,
    number_communities,
    whole_field,
    whole_topic,
)
from membrane.domain.topics.topic import Field, Topic, TopicStatus
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.loading import load_topics, saliences_now
from membrane.usecases.topics.neighbourhood import refs_of
from membrane.usecases.topics.reading.list_topics import MOST_READ, next_page
from membrane.usecases.topics.reading.read_graph import subgraph_of

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import TopicField

Run = Callable[[Any, Call, World], ToolAnswer]

_ERROR_TOKENS = 1_800
"""The most tokens of an error, which may name a field or topic of the request."""

_BESIDE_PART_TOKENS = 60
"""For the numbers beside a part of a document."""

CUT_HINT = "Where a part ends in …, memory_get_topic reads on."

_READ_ON = "Where a part ends in …, call {tool} again with path, as {sample}, and offset."


class Expected(InvalidArgument):
    """A refusal that MemState's tools expect: the answer does not name the tool."""


def with_refusals_as_answers(name: str, run: Run, expected: tuple[type[DomainError], ...]) -> Run:
    """The tool with refusals as answers; an unexpected refusal names the tool, as in MemState.

    A silent or busy store is reported to operators as well. Any exception but a DomainError passes.
    """

    def answer(asked: Any, call: Call, world: World) -> ToolAnswer:
        try:
            return run(asked, call, world)
        except DomainError as error:
            if isinstance(error, TRANSIENT):
                world.report(call.rpc, FAULT, error)
            reply: JsonObject = {"ok": False, "error": _text_of(error)}
            if not isinstance(error, (Expected, *expected)):
                reply["tool"] = name
            return ToolAnswer(reply, compact_json(reply), is_error=True)

    return answer


def answer_of(reply: Body, written: Sequence[str] = ()) -> ToolAnswer:
    """The answer with a reply that is known to fit the budget."""
    return ToolAnswer(reply, compact_json(reply), tuple(written))


def document_answer(
    document: documents.Document, tool: str, sample: str, asked: Any, world: World
) -> ToolAnswer:
    """The document within the budget or, with a path, the part of the document from the offset on.

    `sample` is a path for the hint. Raises InvalidArgument for a path that leads nowhere.
    """
    hint = _READ_ON.format(tool=tool, sample=sample)
    if not asked.path:
        return answer_of(documents.cut_to_fit(document, hint))
    part = _in_place(documents.part_at(document, asked.path), world)
    beside: JsonObject = {"ok": True, "offset": asked.offset, "cut": hint}
    room = MAX_TEXT_TOKENS - documents.cost_of(beside) - _BESIDE_PART_TOKENS
    rest = documents.rest_of(part, asked.offset, room)
    reply: JsonObject = {
        "ok": True,
        "part": rest.shown,
        "offset": asked.offset,
        "length": rest.total,
        "next_offset": rest.next_offset,
    }
    return answer_of({**reply, "cut": hint} if rest.has_cut else reply)


def _in_place(part: Any, world: World) -> Any:
    if isinstance(part, documents.Value) and isinstance(part.value, LargeValue):
        return documents.Value(json.loads(world.records.value(part.value)))
    return part


def _text_of(error: DomainError) -> str:
    whole = str(error)
    text = up_to_tokens(whole, _ERROR_TOKENS)
    return whole if text == whole else f"{text}…"


_MAX_CURSOR_TOKENS = 600

_NO_CURSOR = "Further topics: the cursor has no room in an answer. Give the key fewer scopes."

_BESIDE_TOKENS = 80
"""For the numbers of a page."""

_EDGES_SHARE = 2
"""The edges of the first topic of a page get at least one part in so many of the room."""


Node = tuple[documents.Document, Sequence[documents.Document]]
"""A topic of a page, with the edges that begin at the topic."""


class Window(NamedTuple):
    """The visible topics by id, as many as one walk through the memory reads."""

    topics: Sequence[Topic]
    next_cursor: str | None


def window_of(
    cursor: str | None, call: Call, world: World, *, include_archived: bool, kind: str = ""
) -> Window:
    """The topics of the kind, if any, behind the cursor.

    The first window has the topics just written by the caller. Raises InvalidArgument for a foreign
    cursor and if scopes must be named.
    """
    request = ListTopics(include_archived=include_archived, cursor=cursor)
    found, next_cursor = next_page(
        request, MOST_READ, call, world, include_archived=include_archived
    )
    by_id = {topic.id: topic for topic in found}
    if cursor is None:
        by_id |= _just_written(call, world, include_archived=include_archived)
    topics = [by_id[each] for each in sorted(by_id)]
    return Window([each for each in topics if kind in ("", each.kind)], next_cursor)


def current_topics(found: Sequence[Topic], call: Call, world: World) -> Iterator[JsonObject]:
    """The topics in the shape of a read, with the current values, without audit trail."""
    refs = refs_of(found, call.principal.trust, world.topics)
    saliences = saliences_now(found, world)
    for topic in found:
        yield _current_topic(topic, saliences.access_of(topic), saliences.now_s, refs)


def _current_topic(
    topic: Topic, access: Access, now_s: float, refs: Mapping[str, str]
) -> JsonObject:
    def shape_of(name: str, field: Field) -> "TopicField":
        salience = field_salience(topic, name, access, now_s)
        shape = whole_field(field, salience, refs.get(field.ref_topic_id or ""))
        shape["history"] = [entry(field.current)] if field.current else []
        return shape

    names = shown_fields(topic, detached=True)
    shapes = ((name, field_or_group(topic, name, shape_of)) for name in names)
    fields = {name: shown[0] for name, shown in shapes if shown is not None}
    return {**whole_topic(topic, access, now_s), "fields": fields}


def page_answer(
    begun: JsonObject,
    window: Window,
    nodes: Sequence[Node],
    parts_of: Callable[[list[Any], list[Any]], JsonObject],
    offset: int,
    *,
    edge_offset: int = 0,
) -> ToolAnswer:
    """As many nodes with all edges as have room; of the first node at least some edges.

    The nodes begin at the offset in the window. A positive `edge_offset` leaves out the first node,
    and so many edges of the first node. `begun` is the reply without nodes, `parts_of` makes the
    parts of the reply from nodes and edges.
    """
    beside = documents.cost_of({**begun, **_cursor_part(window), "cut": CUT_HINT})
    room = MAX_TEXT_TOKENS - beside - _BESIDE_TOKENS
    shown, shown_edges, has_cut, next_edge_offset = list[Any](), list[Any](), False, 0
    end = offset + len(nodes)
    for position, (each, edges) in enumerate(nodes):
        skip = 0 if position else edge_offset
        waiting = edges[skip:]
        share = room // _EDGES_SHARE if waiting and not position else 0
        head = documents.fill([] if skip else [each], room - share, is_begun=position > 0)
        tail = documents.fill(waiting, room - head.cost, is_begun=position > 0)
        is_whole = bool(skip or head.shown) and len(tail.shown) == len(waiting)
        if is_whole or not position:
            shown += head.shown
            shown_edges += tail.shown
            has_cut = has_cut or head.has_cut or tail.has_cut
            room -= head.cost + tail.cost
        if not is_whole:
            end = offset + position
            next_edge_offset = 0 if position else skip + len(tail.shown)
            break
    is_last = end >= len(window.topics)
    place: JsonObject = {
        "has_more": not is_last or window.next_cursor is not None,
        "next_offset": None if is_last else end,
        **(_cursor_part(window) if is_last else {}),
    }
    if next_edge_offset:
        place["next_edge_offset"] = next_edge_offset
    if has_cut:
        place["cut"] = CUT_HINT
    return answer_of({**begun, **parts_of(shown, shown_edges), **place})


def _cursor_part(window: Window) -> JsonObject:
    if window.next_cursor is None:
        return {}
    if documents.cost_of(window.next_cursor) > _MAX_CURSOR_TOKENS:
        return {"note": _NO_CURSOR}
    return {"next_cursor": window.next_cursor}


def _just_written(call: Call, world: World, *, include_archived: bool) -> dict[str, Topic]:
    """The topics of the last tool writes, which the list may not have yet."""
    tokens = world.recent_writes.read(call.principal.identity)
    written = load_topics(map(record_named, tokens), call.principal.trust, world.topics)
    return {
        topic.id: topic
        for topic in written.values()
        if include_archived or topic.status is not TopicStatus.ARCHIVED
    }


MOST_NODES = 25
"""Topics to examine for a page: each takes two requests for the edges, and few more have room."""


def graph_answer(
    window: Window,
    asked: reading.GraphSnapshot | reading.StudyGraphSnapshot,
    call: Call,
    world: World,
    *,
    within: bool = False,
) -> ToolAnswer:
    """The next topics of the window as nodes, with the edges that begin at the nodes.

    With `within`, edges to topics outside the window are left out. The answer says whether a topic
    has more edges than were examined.
    """
    chosen, trust = window.topics[asked.offset : asked.offset + MOST_NODES], call.principal.trust
    subgraph = subgraph_of(chosen, trust, world)
    edges = edges_by_source(subgraph.links, with_references=True)
    own = {topic.id for topic in window.topics}
    nodes = [
        (
            node(each),
            [edge for edge in edges.get(each["id"], ()) if not within or edge["to"] in own],
        )
        for each in subgraph.shown_nodes(trust, world)
    ]

    def parts_of(parts: list[Any], links: list[Any]) -> JsonObject:
        number_communities(parts, links)
        return {"data": {"nodes": parts, "edges": links}}

    begun = {"ok": True, **parts_of([], []), "total": len(window.topics)}
    offset, edge_offset = asked.offset, asked.edge_offset
    answer = page_answer(begun, window, nodes, parts_of, offset, edge_offset=edge_offset)
    return answer_of({**answer.reply, "truncated": True}) if subgraph.is_truncated else answer


MOST_COUNTED = 200
"""Topics whose edges are counted: each takes two requests."""

_CRITERIA = documents.Level(200, 0)
"""How much of the criteria an answer repeats."""


def planner_of(operation: reading.Operation) -> Run:
    """The planner: reads the structure of all topics, archived topics too, and changes nothing."""

    def plan(asked: reading.Plan, call: Call, world: World) -> ToolAnswer:
        window = window_of(asked.cursor, call, world, include_archived=True)
        total = len(window.topics)
        counted = window.topics[:MOST_COUNTED]
        chosen = window.topics[asked.offset : asked.offset + MOST_NODES]
        examined = {topic.id: topic for topic in (*counted, *chosen)}
        subgraph = subgraph_of(list(examined.values()), call.principal.trust, world)
        edges = edges_by_source(subgraph.links, with_references=False)
        count = sum(len(edges.get(topic.id, ())) for topic in counted)
        partly = {"counted_topics": len(counted)} if len(counted) < total else {}
        head = {
            "ok": True,
            "tool": operation.tool,
            "operation": operation.value,
            "criteria": documents.Cutter(_CRITERIA).show(documents.Long(asked.criteria.strip())),
            "guidelines": reading.GUIDELINES[operation],
            "metrics": {"topic_count": total, "related_edge_count": count, **partly},
            "topics_schema_snapshot": {"topics": [], "edges": []},
            "total": total,
        }
        nodes = [
            (outline(each), edges.get(each["id"], []))
            for each in current_topics(chosen, call, world)
        ]
        return page_answer(
            head,
            window,
            nodes,
            lambda parts, links: {"topics_schema_snapshot": {"topics": parts, "edges": links}},
            asked.offset,
            edge_offset=asked.edge_offset,
        )

    return plan
