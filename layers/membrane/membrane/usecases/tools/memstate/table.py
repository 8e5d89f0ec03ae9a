"""The table of MemState's 26 tools, in MemState's order: seven read, twelve write, five plan.

Names, arguments, results and refusals are MemState's. The differences:

- An answer has at most 2,000 tokens. Lists come by pages (`next_offset`, `next_edge_offset`;
  `next_cursor` beyond 1,000 topics); the arguments `path` and `offset` read cut parts on.
- A read raises no salience.
- A deleted topic can be restored, and the answer says how. Deleted fields keep the history.
- A write is one change, whole or not at all; no history is cut (`max_history` has no effect).
- A write without a type keeps the type of the field; a value of a different type is refused.
- `archived` takes words such as `no` by their meaning; any text but these words is refused.
- An absent `title` or `kind`, an unknown type and an unknown argument are refused.
- An absent topic is refused by every tool. Where nothing was to remove, the answer has `existed`
  false. Clearing the reference of an absent field is refused.
- Fields in a bundle are written as `bundle.name`.
"""

from typing import Any, NamedTuple

from membrane.domain.language import errors
from membrane.domain.language.fields import Part
from membrane.domain.language.vocabulary import Permission
from membrane.domain.tools.memstate import reading as ask
from membrane.domain.tools.memstate import replies
from membrane.domain.tools.memstate import writing as edit
from membrane.domain.tools.memstate.reading import Operation
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate import reading, windows, writing
from membrane.usecases.tools.tool import ADDS, CHANGES, READS, Effect, Tool, ToolAnswer

_READ, _INGEST, _REVISE = Permission.READ, Permission.INGEST, Permission.REVISE

_REPEATABLE = CHANGES._replace(idempotent=True)
_ADDS_ONCE = ADDS._replace(idempotent=True)

_OF_STRUCTURE = (
    errors.AlreadyExists,
    errors.FailedPrecondition,
    errors.InvalidArgument,
    errors.NotFound,
)
"""The refusals that tools for bundles and promotions expect."""


class _Use(NamedTuple):
    """Who may call a tool, and the effect."""

    permission: Permission
    effect: Effect = READS
    expected: tuple[type[errors.DomainError], ...] = (errors.NotFound,)


_READS = _Use(_READ)

GRAPH_SNAPSHOT = "memory_graph_snapshot"


def _tool(  # noqa: PLR0917 - the columns of the table
    name: str,
    title: str,
    description: str,
    arguments: type[Part],
    reply: type,
    run: windows.Run,
    use: _Use = _READS,
) -> Tool:
    def run_unless_missing(asked: Any, call: Call, world: World) -> ToolAnswer:
        if asked.missing:
            raise windows.Expected(f"{' and '.join(asked.missing)} required")
        return run(asked, call, world)

    answer = windows.with_refusals_as_answers(name, run_unless_missing, use.expected)
    columns = (name, title, description, arguments, reply, use.permission, answer, use.effect)
    return Tool(*columns, takes_text=True)


# fmt: off
READING = (
    _tool(GRAPH_SNAPSHOT, "Graph of topics",
          "Topics with current values, and the edges and references between topics, by pages. "
          "Call it to see how topics hang together; to find a topic, list the topics.",
          ask.GraphSnapshot, replies.GraphPage, reading.graph_snapshot),
    _tool("memory_list_topics", "List topics",
          "Ids, titles, summaries and kinds of topics. Call it before a new topic is made: the "
          "subject may have a topic already.",
          ask.ListTopics, replies.TopicPage, reading.list_topics),
    _tool("memory_topics_schema_page", "Page of topic schemas",
          "Names, types and references of the fields of topics, without values.",
          ask.TopicsSchemaPage, replies.SchemaPage, reading.topics_schema_page),
    _tool("memory_get_topic_schema", "Schema of a topic",
          "The fields of a topic, on request with values or histories. Call it before a field "
          "is written: the fact may have a field already.",
          ask.GetTopicSchema, replies.TopicSchema, reading.get_topic_schema),
    _tool("memory_get_topic", "Read a topic",
          "All about a topic: summary, values, histories, audit trail.",
          ask.GetTopic, replies.WholeTopic, reading.get_topic),
    _tool("memory_get_field", "Read a field",
          "Current value of a field, with the history unless refused.",
          ask.GetField, replies.WholeField, reading.get_field),
    _tool("memory_get_field_history", "Read the history of a field",
          "All values of a field, the newest first, with reasons.",
          ask.GetFieldHistory, replies.WholeField, reading.get_field),
)

WRITING = (
    _tool("memory_create_topic", "Make a topic",
          "A topic without fields for a subject that has none yet.",
          edit.CreateTopic, replies.WrittenTopic, writing.create_topic, _Use(_INGEST, ADDS)),
    _tool("memory_update_topic", "Change a topic",
          "Change title, summary, kind or salience; archive a topic, or bring it back.",
          edit.UpdateTopic, replies.WrittenTopic, writing.update_topic, _Use(_REVISE, _REPEATABLE)),
    _tool("memory_delete_topic", "Delete a topic",
          "Delete a topic, restorably. Call it when the user asks, or after a merge.",
          edit.DeleteTopic, replies.DeletedTopic, writing.delete_topic, _Use(_REVISE, _REPEATABLE)),
    _tool("memory_add_relationship", "Link two topics",
          "A directed edge of a kind; an existing edge stays.",
          edit.Relationship, replies.Succeeded, writing.add_relationship,
          _Use(_INGEST, _ADDS_ONCE)),
    _tool("memory_remove_relationship", "Unlink two topics",
          "Remove the edge of the kind.",
          edit.Relationship, replies.Removed, writing.remove_relationship,
          _Use(_REVISE, _REPEATABLE)),
    _tool("memory_append_field", "Write a field",
          "Write a value; earlier values stay in the history. Call it unasked for a fact that "
          "will matter again. Use the same field name for the same kind of fact.",
          edit.AppendField, replies.AppendedField, writing.append_field, _Use(_INGEST, ADDS)),
    _tool("memory_delete_field", "Delete a field",
          "Delete a field or a bundle; the history stays.",
          edit.DeleteField, replies.DeletedField, writing.delete_field, _Use(_REVISE, _REPEATABLE)),
    _tool("memory_set_field_ref", "Set a reference",
          "Let a field refer to a topic, or clear the reference.",
          edit.SetFieldRef, replies.Succeeded, writing.set_field_ref, _Use(_REVISE, _REPEATABLE)),
    _tool("memory_nest_fields_in_topic", "Bundle fields",
          "Group fields of a topic under one name.",
          edit.NestFields, replies.NestedFields, writing.nest_fields,
          _Use(_REVISE, CHANGES, _OF_STRUCTURE)),
    _tool("memory_unnest_fields_in_topic", "Dissolve a bundle",
          "Give the fields of a bundle their own names back.",
          edit.UnnestFields, replies.UnnestedFields, writing.unnest_fields,
          _Use(_REVISE, CHANGES, _OF_STRUCTURE)),
    _tool("memory_promote_fields_to_nested_topic", "Make fields a topic",
          "Move fields with their histories into a new topic, linked to the first.",
          edit.PromoteFields, replies.PromotedFields, writing.promote_fields,
          _Use(_REVISE, CHANGES, _OF_STRUCTURE)),
    _tool("memory_undo_promote_nested_topic", "Undo a promotion",
          "Move the fields of a promoted topic back, and delete the promoted topic.",
          edit.UndoPromotion, replies.UndonePromotion, writing.undo_promotion,
          _Use(_REVISE, CHANGES, _OF_STRUCTURE)),
)
# fmt: on

_TITLES = {
    Operation.CONSOLIDATION: ("Plan a consolidation", "unify fields and edges of one meaning"),
    Operation.MERGE_TOPICS: ("Plan merges", "merge topics about the same thing"),
    Operation.SPLIT_TOPICS: ("Plan splits", "part unrelated subjects into topics"),
    Operation.CONNECT_TOPICS: ("Plan edges", "link topics that belong together"),
    Operation.RETENTION_TRIM: ("Plan a trim", "archive faint topics and drop empty fields"),
}

PLANNING = tuple(
    _tool(
        operation.tool,
        title,
        f"Structure of all topics and guidelines to {aim}. Changes nothing: the write tools do.",
        ask.Plan,
        replies.Planned,
        windows.planner_of(operation),
    )
    for operation, (title, aim) in _TITLES.items()
)

# fmt: off
STUDYING = (
    _tool("study_unit_catalog", "Units of a studied document",
          "The units of the document of the present study session.",
          ask.StudyUnitCatalog, replies.UnitCatalog, reading.unit_catalog),
    _tool("study_graph_snapshot", "Graph of a study session",
          "Topics of a study session with the edges among them, by pages.",
          ask.StudyGraphSnapshot, replies.GraphPage, reading.study_snapshot),
)
# fmt: on

MEMSTATE_TOOLS: tuple[Tool, ...] = (*READING, *WRITING, *PLANNING, *STUDYING)
