"""The structured content of the answers of MemState's tools.

A failed tool answers with `ok` false and `error` instead. `cut` says how to read cut parts on.
"""

from typing import Any, NotRequired

from typing_extensions import TypedDict


class Succeeded(TypedDict):
    ok: bool


class Cut(Succeeded):
    cut: NotRequired[str]
    """How to read on where a mark ends a part; absent where nothing is cut."""


class Page(Cut):
    """A page of topics, by id."""

    total: int
    """Topics of the list; at most 1,000 where `next_cursor` leads to further topics."""
    has_more: bool
    next_offset: int | None
    next_edge_offset: NotRequired[int]
    """Where the edges of the topic at `next_offset` go on; absent for the first edge."""
    next_cursor: NotRequired[str]
    """Leads to the topics behind this list; absent without further topics."""
    note: NotRequired[str]
    """Why a cursor to further topics is missing; absent otherwise."""


class GraphPage(Page):
    data: dict[str, Any]
    """`nodes`, and the `edges` that begin at the nodes."""
    truncated: NotRequired[bool]
    """Whether a topic has more edges than the service examined."""


class TopicPage(Page):
    topics: list[dict[str, Any]]
    topic_ids: list[str]


class SchemaPage(Page):
    topics: list[dict[str, Any]]
    offset: int
    limit: int


class TopicPart(Cut):
    """A topic or field, or with a path a part of the answer."""

    part: NotRequired[Any]
    """The part at the path, from `offset` on; absent without a path."""
    offset: NotRequired[int]
    length: NotRequired[int]
    """Characters or elements of the whole part."""
    next_offset: NotRequired[int | None]


class TopicSchema(TopicPart):
    topic_id: NotRequired[str]
    title: NotRequired[str]
    summary: NotRequired[str]
    topic_kind: NotRequired[str]
    archived: NotRequired[bool]
    detail: NotRequired[str]
    fields: NotRequired[dict[str, Any]]
    salience: NotRequired[float]


class WholeTopic(TopicPart):
    topic: NotRequired[dict[str, Any]]


class WholeField(TopicPart):
    topic_id: NotRequired[str]
    field_name: NotRequired[str]
    nest_key: NotRequired[str]
    nested_field_name: NotRequired[str]
    field: NotRequired[dict[str, Any]]


class WrittenTopic(Succeeded):
    topic_id: str


class DeletedTopic(Succeeded):
    deleted: str
    restore: str
    """How to bring the topic back."""


class Removed(Succeeded):
    existed: NotRequired[bool]
    """False where nothing was to remove; absent otherwise."""


class DeletedField(Removed):
    deleted: str


class AppendedField(Succeeded):
    version_id: str


class NestedFields(Cut):
    topic_id: str
    nest_key: str
    moved_fields: list[str]


class UnnestedFields(Cut):
    topic_id: str
    nest_key: str
    restored_fields: list[str]


class PromotedFields(Cut):
    child_topic_id: str
    moved_fields: list[str]
    relationship_kind: str
    parent_link_field: str | None


class UndonePromotion(Cut):
    parent_topic_id: str
    restored_fields: list[str]
    removed_ref_fields: list[str]
    deleted_child_topic_id: str


class Planned(Page):
    tool: str
    operation: str
    criteria: str
    guidelines: str
    metrics: dict[str, Any]
    """`topic_count` and `related_edge_count`; `counted_topics` if only their edges are counted."""
    topics_schema_snapshot: dict[str, Any]
    """`topics`, and the `edges` that begin at the topics."""


class UnitCatalog(Succeeded):
    catalog: dict[str, Any]
    note: str
