"""The tools of Study phase A: MemState's tools, confined to the topics of one session.

A topic belongs to the session if the topic has the session's kind, or was made by the session.
Rules and refusals are those of
MemState's `llm/tool_runner.py`. The differences:

- The planners, which show the structure of all topics, are refused.
- A topic with details may not become a detail. MemState looks only at the source of the new edge.
- The catalog comes by pages, because an answer has at most 2,000 tokens.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.memstate.arguments import Offset
from membrane.domain.tools.memstate.documents import Long, cost_of, fill
from membrane.domain.tools.memstate.reading import ListTopics, StudyUnitCatalog
from membrane.domain.tools.memstate.writing import PromoteFields, Relationship
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.domain.topics.titles import OF_SESSION
from membrane.domain.topics.topic import Link, Topic, edge_links, own_ids
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate import windows
from membrane.usecases.tools.memstate.reading import list_topics
from membrane.usecases.tools.memstate.table import GRAPH_SNAPSHOT, MEMSTATE_TOOLS
from membrane.usecases.tools.tool import Tool, ToolAnswer
from membrane.usecases.topics.loading import load_topics

NESTING = frozenset({"study_child", "part_of"})
"""The kinds of edges that make the target a detail of the source: one level at most."""

_OUTSIDE = "topic not in this Study session"
_END_OUTSIDE = "Study phase A: only link topics in this session (same topic_kind)."
_NEW_REF_OUTSIDE = "ref_topic_id must be a topic in this Study session"
_REF_OUTSIDE = "ref_topic_id must be in this Study session"
_ONE_LEVEL = "Use at most one parent→child level."
_SOURCE_IS_DETAIL = (
    "Nesting limit: from_topic cannot be a detail topic (it already has an incoming "
    f"{sorted(NESTING)} edge). {_ONE_LEVEL}"
)
_TARGET_IS_PARENT = (
    "Nesting limit: to_topic cannot become a detail topic (it is itself the source of a "
    f"{sorted(NESTING)} edge). {_ONE_LEVEL}"
)
_PARENT_IS_DETAIL = (
    f"Nesting limit: parent topic already has an incoming {sorted(NESTING)} edge. {_ONE_LEVEL}"
)
_NO_WHOLE_GRAPH = f"In Study phase A use study_graph_snapshot, not {GRAPH_SNAPSHOT}."
_ONLY_SESSION = "In Study phase A only topics of this session are open; call {name} in phase B."

_MOST_EDGES = 5_000
"""The most edges of a topic and direction to examine; a session makes fewer."""

_BESIDE_TOKENS = 30
"""For the numbers of a page of the catalog."""


class Session(NamedTuple):
    """The study of one document."""

    id: str
    catalog: JsonObject
    """The answer of `study_unit_catalog`, with all `units`."""
    made: Sequence[str] = ()
    """The ids of the topics that the session has made, which grow with the session."""

    @property
    def kind(self) -> str:
        """The kind of the session's topics."""
        return f"{OF_SESSION}{self.id}"


class CatalogPage(StudyUnitCatalog):
    """The catalog from a unit on."""

    offset: Offset = 0


def sandbox_tools(session: Session, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """The tools by name, in the table's order, confined to the session.

    `tools` are MemState's tools that the key may call. A tool that is not OFFERED always refuses.
    """
    return {
        each.name: _confine(tools[each.name], session)
        for each in MEMSTATE_TOOLS
        if each.name in tools
    }


def _confine(tool: Tool, session: Session) -> Tool:
    def run(asked: Any, call: Call, world: World) -> ToolAnswer:
        sandbox = _Sandbox(session, call, world)
        if tool.name in _ANSWERS:
            return _ANSWERS[tool.name](asked, sandbox)
        if tool.name in _RULES:
            return tool.run(_RULES[tool.name](asked, sandbox), call, world)
        if tool.name == GRAPH_SNAPSHOT:
            raise windows.Expected(_NO_WHOLE_GRAPH)
        raise windows.Expected(_ONLY_SESSION.format(name=tool.name))

    answer: windows.Run = windows.with_refusals_as_answers(tool.name, run, ())
    arguments = CatalogPage if tool.arguments is StudyUnitCatalog else tool.arguments
    return tool._replace(arguments=arguments, run=answer)


@dataclass(frozen=True, slots=True)
class _Sandbox:
    """The topics of the session, as far as visible to the caller."""

    session: Session
    call: Call
    world: World

    def require(self, *named: tuple[str, str]) -> Sequence[Topic]:
        """The topics of pairs of id and error; raises Expected with the error of an id outside."""
        ids = [topic_id for topic_id, _ in named]
        found = load_topics(ids, self.call.principal.trust, self.world.topics)
        for topic_id, error in named:
            if topic_id not in found or not self._is_own(found[topic_id]):
                raise windows.Expected(error)
        return [found[each] for each in ids]

    def _is_own(self, topic: Topic) -> bool:
        """Whether the topic belongs to the session; in a repeat, a made topic has no kind."""
        return topic.kind == self.session.kind or topic.id in self.session.made

    def nesting_of(self, *topics: Topic) -> Sequence[Link]:
        """The visible edges of the topics that make a topic a detail, aliases followed."""
        store = self.world.topics
        ids = dict.fromkeys(own for each in topics for own in own_ids(each))
        edges = store.edges([*ids], _MOST_EDGES)
        nesting = [each for each in edges if each.kind in NESTING]
        ends = (end for each in nesting for end in (each.from_id, each.to_id))
        there = load_topics(ends, self.call.principal.trust, store)
        return edge_links(nesting, {end: topic.id for end, topic in there.items()})


_Rule = Callable[[Any, _Sandbox], Any]
"""Takes the arguments, and returns the arguments for the tool; raises Expected."""


def _with_kind(argument: str) -> _Rule:
    """The argument has the session's kind, whatever the model says."""

    def rule(asked: Any, sandbox: _Sandbox) -> Any:
        return asked.model_copy(update={argument: sandbox.session.kind})

    return rule


def _within(**errors: str) -> _Rule:
    """Each argument names a topic of the session, or there is the argument's error.

    An empty argument passes: the tool refuses it, or clears a reference.
    """

    def rule(asked: Any, sandbox: _Sandbox) -> Any:
        named = ((getattr(asked, argument), error) for argument, error in errors.items())
        sandbox.require(*(each for each in named if each[0]))
        return asked

    return rule


def _in_turn(*rules: _Rule) -> _Rule:
    def rule(asked: Any, sandbox: _Sandbox) -> Any:
        for each in rules:
            asked = each(asked, sandbox)
        return asked

    return rule


def _link(asked: Relationship, sandbox: _Sandbox) -> Relationship:
    """Both ends are in the session, and a nesting edge keeps to one level."""
    source, target = sandbox.require(
        (asked.from_topic_id, _END_OUTSIDE), (asked.to_topic_id, _END_OUTSIDE)
    )
    if asked.kind not in NESTING:
        return asked
    links = sandbox.nesting_of(source, target)
    if any(each.to_id == source.id for each in links):
        raise windows.Expected(_SOURCE_IS_DETAIL)
    if target.id in {source.id, *(each.from_id for each in links)}:
        raise windows.Expected(_TARGET_IS_PARENT)
    return asked


def _promote(asked: PromoteFields, sandbox: _Sandbox) -> PromoteFields:
    """A nesting edge from the parent to the new topic keeps to one level."""
    if asked.relationship_kind.strip() in NESTING and asked.parent_topic_id:
        [parent] = sandbox.require((asked.parent_topic_id, _OUTSIDE))
        if any(each.to_id == parent.id for each in sandbox.nesting_of(parent)):
            raise windows.Expected(_PARENT_IS_DETAIL)
    return asked


_IN_TOPIC = _within(topic_id=_OUTSIDE)

_RULES: Mapping[str, _Rule] = {
    "memory_topics_schema_page": _with_kind("topic_kind"),
    "memory_get_topic_schema": _IN_TOPIC,
    "memory_get_topic": _IN_TOPIC,
    "memory_get_field": _IN_TOPIC,
    "memory_get_field_history": _IN_TOPIC,
    "memory_create_topic": _with_kind("topic_kind"),
    "memory_update_topic": _in_turn(_IN_TOPIC, _with_kind("topic_kind")),
    "memory_delete_topic": _IN_TOPIC,
    "memory_add_relationship": _link,
    "memory_remove_relationship": _within(from_topic_id=_OUTSIDE, to_topic_id=_OUTSIDE),
    "memory_append_field": _within(topic_id=_OUTSIDE, ref_topic_id=_NEW_REF_OUTSIDE),
    "memory_delete_field": _IN_TOPIC,
    "memory_set_field_ref": _within(topic_id=_OUTSIDE, ref_topic_id=_REF_OUTSIDE),
    "memory_nest_fields_in_topic": _IN_TOPIC,
    "memory_unnest_fields_in_topic": _IN_TOPIC,
    "memory_promote_fields_to_nested_topic": _in_turn(
        _within(parent_topic_id=_OUTSIDE), _promote, _with_kind("child_topic_kind")
    ),
    "memory_undo_promote_nested_topic": _within(parent_topic_id=_OUTSIDE, child_topic_id=_OUTSIDE),
    "study_graph_snapshot": _with_kind("study_topic_kind"),
}


def _list_topics(asked: ListTopics, sandbox: _Sandbox) -> ToolAnswer:
    """Title, summary and kind of the session's topics."""
    return list_topics(asked, sandbox.call, sandbox.world, sandbox.session.kind)


def _show_catalog(asked: CatalogPage, sandbox: _Sandbox) -> ToolAnswer:
    """As many units as have room, with the texts cut where one unit alone has no room."""
    catalog = sandbox.session.catalog
    units = [_cuttable(each) for each in catalog["units"]]
    begun = {"ok": True, "catalog": {**catalog, "units": []}}
    room = MAX_TEXT_TOKENS - cost_of(begun) - _BESIDE_TOKENS
    shown = fill(units[asked.offset :], room).shown
    end = asked.offset + len(shown)
    place = {"has_more": end < len(units), "next_offset": end if end < len(units) else None}
    return windows.answer_of({**begun, "catalog": {**catalog, "units": shown}, **place})


def _cuttable(unit: JsonObject) -> JsonObject:
    return {name: Long(each) if isinstance(each, str) else each for name, each in unit.items()}


_ANSWERS: Mapping[str, Callable[[Any, _Sandbox], ToolAnswer]] = {
    "memory_list_topics": _list_topics,
    "study_unit_catalog": _show_catalog,
}
"""The tools that answer from the session instead."""

OFFERED = frozenset({*_RULES, *_ANSWERS})
"""The names of the tools to offer to the model: the other tools of MemState refuse in phase A."""
