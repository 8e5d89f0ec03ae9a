"""The tools of Study phase A, confined to the topics of one session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NoReturn

import pytest

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import Unavailable
from membrane.domain.search.prompts import tokens_in
from membrane.domain.study.catalog import catalog_of
from membrane.domain.study.hierarchy import hierarchy_of
from membrane.domain.tools.requests import Profile
from membrane.domain.tools.schemas import input_schema
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.usecases.chat.sandbox import OFFERED, Session, sandbox_tools
from membrane.usecases.tools.call_tool import call_tool
from membrane.usecases.tools.memstate.table import MEMSTATE_TOOLS, PLANNING, READING, WRITING
from membrane.usecases.tools.table import tools_of
from membrane.usecases.tools.tool import Tool, ToolAnswer
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.tool_world import tooled
from tests.fakes.topics import FakeTopics
from tests.worlds.memstate_tools import Keeper, Reply
from tests.worlds.tools import key

OUTSIDE = {"error": "topic not in this Study session"}
END_OUTSIDE = {"error": "Study phase A: only link topics in this session (same topic_kind)."}
SOURCE_IS_DETAIL = {
    "error": "Nesting limit: from_topic cannot be a detail topic (it already has an incoming "
    "['part_of', 'study_child'] edge). Use at most one parent→child level."
}
TARGET_IS_PARENT = {
    "error": "Nesting limit: to_topic cannot become a detail topic (it is itself the source of a "
    "['part_of', 'study_child'] edge). Use at most one parent→child level."
}
PARENT_IS_DETAIL = {
    "error": "Nesting limit: parent topic already has an incoming ['part_of', 'study_child'] "
    "edge. Use at most one parent→child level."
}

NESTING = ("study_child", "part_of")

CATALOG = catalog_of(hierarchy_of("# Pumps\n\nPumps move water."), "one", tokens_in)
ONE, TWO = Session("one", CATALOG), Session("two", CATALOG)


@dataclass(frozen=True, slots=True)
class Student(Keeper):
    """Calls the tools of a session with one key."""

    session: Session = field(default=ONE)

    def answer(self, tool: str, **arguments: Any) -> ToolAnswer:
        """The whole answer."""
        answer = call_tool(self.tools[tool], arguments, self.principal, self.services)
        assert tokens_in(answer.text) <= MAX_TEXT_TOKENS
        return answer

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools of the session, by name."""
        own = {each.name: each for each in tools_of(Profile.MEMSTATE, self.principal)}
        return dict(sandbox_tools(self.session, own))

    def read(self, topic_id: str) -> Reply:
        """A topic of the session in full."""
        return dict(self.do("memory_get_topic", topic_id=topic_id)["topic"])

    def titles(self) -> list[str]:
        """The titles of the listed topics."""
        listed = self.do("memory_list_topics", include_archived=True)
        assert listed["total"] == len(listed["topics"]) == len(listed["topic_ids"])
        return sorted(each["title"] for each in listed["topics"])

    def promote(self, parent: str, **others: Any) -> Reply:
        """The result of the promotion of the field `phone`."""
        return self.do("memory_promote_fields_to_nested_topic", **promotion(parent, **others))


@pytest.fixture
def keeper() -> Keeper:
    """Outside of every session."""
    return Keeper()


@pytest.fixture
def student(keeper: Keeper) -> Student:
    """In a session over the same memory and with the same key."""
    return Student(keeper.services, keeper.principal)


def promotion(parent: str, **others: Any) -> Reply:
    return {
        "parent_topic_id": parent,
        "field_names": ["phone"],
        "child_title": "Contact",
        **others,
    }


def link(source: str, target: str, kind: str = "knows") -> Reply:
    return {"from_topic_id": source, "to_topic_id": target, "kind": kind}


# --- the set of tools --------------------------------------------------------------------------


def test_the_20_tools_of_phase_a_are_offered() -> None:
    helpers = {each.name for each in READING} - {"memory_graph_snapshot"}
    studying = {"study_unit_catalog", "study_graph_snapshot"}

    assert {each.name for each in WRITING} | helpers | studying == OFFERED
    assert len(OFFERED) == 20


def test_the_tools_are_those_of_the_table_in_its_order(student: Student) -> None:
    tools = student.tools

    assert list(tools) == [each.name for each in MEMSTATE_TOOLS]
    assert all(name == each.name for name, each in tools.items())


def test_the_rights_of_the_key_hold() -> None:
    writer = Student(principal=key("read", "ingest"))

    assert "memory_create_topic" in writer.tools
    assert "memory_delete_topic" not in writer.tools
    assert "memory_update_topic" not in writer.tools
    assert "memory_create_topic" not in Student(principal=key("read")).tools


def test_the_whole_graph_is_refused(student: Student) -> None:
    assert student.refusal("memory_graph_snapshot") == {
        "error": "In Study phase A use study_graph_snapshot, not memory_graph_snapshot."
    }


@pytest.mark.parametrize("planner", [each.name for each in PLANNING])
def test_a_planner_is_refused(student: Student, planner: str) -> None:
    assert student.refusal(planner) == {
        "error": "In Study phase A only topics of this session are open; "
        f"call {planner} in phase B."
    }


# --- the kind of the session -------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"topic_kind": "person"}, {"topic_kind": "study:two"}])
def test_a_new_topic_has_the_kind_of_the_session(student: Student, given: Reply) -> None:
    topic_id = student.do("memory_create_topic", title="Ada", **given)["topic_id"]

    assert student.read(topic_id)["topic_kind"] == "study:one"


def test_a_changed_topic_stays_in_the_session(student: Student) -> None:
    ada = student.topic("Ada")

    student.do("memory_update_topic", topic_id=ada, summary="a pilot", topic_kind="person")

    topic = student.read(ada)
    assert (topic["summary"], topic["topic_kind"]) == ("a pilot", "study:one")


@pytest.mark.parametrize("given", [{}, {"child_topic_kind": "card"}])
def test_a_promoted_topic_has_the_kind_of_the_session(student: Student, given: Reply) -> None:
    ada = student.topic("Ada", phone="1")

    child = student.promote(ada, **given)["child_topic_id"]

    assert student.read(child)["topic_kind"] == "study:one"


def test_lists_show_the_session_alone(keeper: Keeper, student: Student) -> None:
    keeper.topic("Rome", age=3)
    ada = student.topic("Ada", age=36)

    listed = student.do("memory_list_topics")
    page = student.do("memory_topics_schema_page", topic_kind="")

    assert (listed["topic_ids"], listed["total"]) == ([ada], 1)
    assert listed["topics"][0]["topic_kind"] == "study:one"
    assert ([each["id"] for each in page["topics"]], page["total"]) == ([ada], 1)


def test_a_list_shows_archived_topics_on_request_and_goes_by_pages(student: Student) -> None:
    ids = [student.topic("A" * 500) for _ in range(20)]
    student.do("memory_update_topic", topic_id=ids[0], archived=True)

    def listed(**given: Any) -> list[str]:
        pages = student.pages("memory_list_topics", **given)
        assert len(pages) > 1
        return [each for page in pages for each in page["topic_ids"]]

    assert listed() == sorted(ids[1:])
    assert listed(include_archived=True) == sorted(ids)


@pytest.mark.parametrize("given", [{}, {"study_topic_kind": "study:two"}])
def test_the_graph_shows_the_session_alone(keeper: Keeper, student: Student, given: Reply) -> None:
    rome = keeper.topic("Rome")
    ada, bob = student.topic("Ada"), student.topic("Bob")
    student.relate(ada, bob)
    keeper.relate(ada, rome)
    Student(keeper.services, keeper.principal, TWO).topic("Other")

    graph = student.do("study_graph_snapshot", **given)["data"]

    assert {each["id"] for each in graph["nodes"]} == {ada, bob}
    assert [(each["from"], each["to"]) for each in graph["edges"]] == [(ada, bob)]


def test_two_sessions_do_not_see_one_another(student: Student) -> None:
    other = Student(student.services, student.principal, TWO)
    ada, rome = student.topic("Ada"), other.topic("Rome")

    assert student.titles() == ["Ada"]
    assert other.titles() == ["Rome"]
    assert student.refusal("memory_get_topic", topic_id=rome) == OUTSIDE
    assert other.refusal("memory_get_topic", topic_id=ada) == OUTSIDE
    assert student.refusal("memory_add_relationship", **link(ada, rome)) == END_OUTSIDE


def test_a_topic_out_of_the_keys_sight_is_outside_of_the_session(student: Student) -> None:
    hidden = Student(student.services, key(scopes=("team:b",)))

    assert student.refusal("memory_get_topic", topic_id=hidden.topic("Ada")) == OUTSIDE


def test_a_topic_that_left_the_session_is_outside(keeper: Keeper, student: Student) -> None:
    ada = student.topic("Ada")

    keeper.do("memory_update_topic", topic_id=ada, topic_kind="person")

    assert student.refusal("memory_get_topic", topic_id=ada) == OUTSIDE


# --- named topics ------------------------------------------------------------------------------

ON_A_TOPIC: list[tuple[str, Reply]] = [
    ("memory_get_topic", {}),
    ("memory_get_topic_schema", {}),
    ("memory_get_field", {"field_name": "phone"}),
    ("memory_get_field_history", {"field_name": "phone"}),
    ("memory_update_topic", {"title": "Mine"}),
    ("memory_delete_topic", {}),
    ("memory_append_field", {"field_name": "phone", "value": "2"}),
    ("memory_delete_field", {"field_name": "phone"}),
    ("memory_set_field_ref", {"field_name": "phone"}),
    ("memory_nest_fields_in_topic", {"field_names": ["phone"], "nest_key": "contact"}),
    ("memory_unnest_fields_in_topic", {"nest_key": "facts"}),
]


@pytest.mark.parametrize(
    ("tool", "given"), ON_A_TOPIC, ids=[tool.removeprefix("memory_") for tool, _ in ON_A_TOPIC]
)
def test_a_topic_outside_is_refused_and_untouched(
    keeper: Keeper, student: Student, tool: str, given: Reply
) -> None:
    rome = keeper.topic("Rome", phone="1", age=3)
    keeper.do("memory_nest_fields_in_topic", topic_id=rome, field_names=["age"], nest_key="facts")
    before = keeper.do("memory_get_topic", topic_id=rome)

    assert student.refusal(tool, topic_id=rome, **given) == OUTSIDE
    assert student.refusal(tool, topic_id="absent", **given) == OUTSIDE
    assert keeper.do("memory_get_topic", topic_id=rome) == before


@pytest.mark.parametrize(
    ("tool", "given"), ON_A_TOPIC, ids=[tool.removeprefix("memory_") for tool, _ in ON_A_TOPIC]
)
def test_a_topic_of_the_session_is_open(student: Student, tool: str, given: Reply) -> None:
    ada = student.topic("Ada", phone="1", age=3)
    student.do("memory_nest_fields_in_topic", topic_id=ada, field_names=["age"], nest_key="facts")

    assert student.do(tool, topic_id=ada, **given)["ok"] is True


def test_an_absent_id_is_refused_in_the_words_of_the_tool(student: Student) -> None:
    assert student.refusal("memory_update_topic") == {"error": "topic_id required"}
    assert student.refusal("memory_get_topic", topic_id="") == {"error": "topic_id required"}
    assert student.refusal(
        "memory_promote_fields_to_nested_topic", **promotion("", relationship_kind="part_of")
    ) == {"error": "parent_topic_id required"}


def test_a_topic_outside_is_not_promoted(keeper: Keeper, student: Student) -> None:
    rome = keeper.topic("Rome", phone="1")
    before = keeper.do("memory_get_topic", topic_id=rome)

    for parent in (rome, "absent"):
        refusal = student.refusal("memory_promote_fields_to_nested_topic", **promotion(parent))
        assert refusal == OUTSIDE
    assert keeper.do("memory_get_topic", topic_id=rome) == before
    assert keeper.do("memory_list_topics")["total"] == 1


def test_a_promotion_is_undone_only_within_the_session(keeper: Keeper, student: Student) -> None:
    tool = "memory_undo_promote_nested_topic"
    ada = student.topic("Ada", phone="1")
    child = student.promote(ada)["child_topic_id"]
    rome = keeper.topic("Rome", phone="1")
    card = keeper.do("memory_promote_fields_to_nested_topic", **promotion(rome))["child_topic_id"]

    for parent_id, child_id in ((rome, card), (ada, card), (rome, child), (ada, "absent")):
        refusal = student.refusal(tool, parent_topic_id=parent_id, child_topic_id=child_id)
        assert refusal == OUTSIDE
    assert keeper.do("memory_get_topic", topic_id=card)["topic"]["fields"]["phone"]
    student.do(tool, parent_topic_id=ada, child_topic_id=child)
    assert sorted(student.fields(ada)) == ["phone"]


def test_an_edge_is_removed_only_within_the_session(keeper: Keeper, student: Student) -> None:
    tool = "memory_remove_relationship"
    ada, bob = student.topic("Ada"), student.topic("Bob")
    rome, paris = keeper.topic("Rome"), keeper.topic("Paris")
    for source, target in ((rome, paris), (ada, rome), (rome, ada), (ada, bob)):
        keeper.relate(source, target)

    for source, target in ((rome, paris), (ada, rome), (rome, ada), (ada, "absent")):
        assert student.refusal(tool, **link(source, target)) == OUTSIDE
    assert student.do(tool, **link(ada, bob)) == {"ok": True}
    assert len(keeper.do("memory_graph_snapshot")["data"]["edges"]) == 3


def test_an_edge_is_added_only_within_the_session(keeper: Keeper, student: Student) -> None:
    ada, bob, rome = student.topic("Ada"), student.topic("Bob"), keeper.topic("Rome")

    for source, target in ((rome, ada), (ada, rome), (ada, "absent"), ("", ada), (rome, rome)):
        assert student.refusal("memory_add_relationship", **link(source, target)) == END_OUTSIDE
    assert keeper.do("memory_graph_snapshot")["data"]["edges"] == []
    student.relate(ada, bob)
    assert len(keeper.do("memory_graph_snapshot")["data"]["edges"]) == 1


def test_an_edge_without_a_kind_is_refused_in_the_words_of_the_tool(student: Student) -> None:
    ends = {"from_topic_id": student.topic("Ada"), "to_topic_id": student.topic("Bob")}

    assert student.refusal("memory_add_relationship", **ends) == {"error": "kind required"}


# --- references --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "given", "error"),
    [
        (
            "memory_append_field",
            {"value": "Rome"},
            "ref_topic_id must be a topic in this Study session",
        ),
        ("memory_set_field_ref", {}, "ref_topic_id must be in this Study session"),
    ],
)
def test_a_field_refers_only_to_topics_of_the_session(
    keeper: Keeper, student: Student, tool: str, given: Reply, error: str
) -> None:
    ada, bob, rome = student.topic("Ada"), student.topic("Bob"), keeper.topic("Rome")
    asked = {"topic_id": ada, "field_name": "home", **given}

    for ref in (rome, "absent"):
        assert student.refusal(tool, **asked, ref_topic_id=ref) == {"error": error}
        assert student.fields(ada) == {}
    student.do(tool, **asked, ref_topic_id=bob)
    assert student.fields(ada)["home"]["ref_topic_id"] == bob
    for clearing in (None, ""):
        student.do(tool, **asked, ref_topic_id=clearing)
        assert student.fields(ada)["home"]["ref_topic_id"] is None
    outside = {**asked, "topic_id": rome, "ref_topic_id": rome}
    assert student.refusal(tool, **outside) == OUTSIDE


# --- one level of details ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", NESTING)
@pytest.mark.parametrize("further", NESTING)
def test_a_detail_has_no_details(student: Student, kind: str, further: str) -> None:
    book, part, line = (student.topic(each) for each in ("Book", "Part", "Line"))
    student.relate(book, part, kind)

    assert student.refusal("memory_add_relationship", **link(part, line, further)) == (
        SOURCE_IS_DETAIL
    )
    student.relate(part, line, "mentions")
    student.relate(book, line, further)


@pytest.mark.parametrize("kind", NESTING)
@pytest.mark.parametrize("further", NESTING)
def test_a_topic_with_details_becomes_no_detail(student: Student, kind: str, further: str) -> None:
    book, part, line = (student.topic(each) for each in ("Book", "Part", "Line"))
    student.relate(part, line, kind)

    assert student.refusal("memory_add_relationship", **link(book, part, further)) == (
        TARGET_IS_PARENT
    )
    student.relate(book, part, "mentions")
    student.relate(book, line, further)


def test_a_topic_is_not_a_detail_of_itself(student: Student) -> None:
    book = student.topic("Book")

    refusal = student.refusal("memory_add_relationship", **link(book, book, "part_of"))

    assert refusal == TARGET_IS_PARENT


def test_an_existing_detail_may_be_linked_again(student: Student) -> None:
    book, part = student.topic("Book"), student.topic("Part")

    student.relate(book, part, "part_of")
    student.relate(book, part, "part_of")

    assert len(student.do("study_graph_snapshot")["data"]["edges"]) == 1


def test_a_removed_edge_and_a_deleted_parent_do_not_count(student: Student) -> None:
    book, part, line = (student.topic(each) for each in ("Book", "Part", "Line"))
    student.relate(book, part, "part_of")
    student.do("memory_remove_relationship", **link(book, part, "part_of"))
    student.relate(part, line, "part_of")
    student.do("memory_delete_topic", topic_id=part)

    student.relate(line, book, "part_of")


@pytest.mark.parametrize("kind", [*NESTING, " part_of "])
def test_a_detail_is_not_promoted_to_a_parent(student: Student, kind: str) -> None:
    book, part = student.topic("Book"), student.topic("Part", phone="1")
    student.relate(book, part, "study_child")

    refusal = student.refusal(
        "memory_promote_fields_to_nested_topic", **promotion(part, relationship_kind=kind)
    )

    assert refusal == PARENT_IS_DETAIL
    assert sorted(student.fields(part)) == ["phone"]
    student.promote(part)


def test_a_topic_without_a_parent_is_promoted_to_a_parent(student: Student) -> None:
    book, part = student.topic("Book", phone="1"), student.topic("Part")
    student.relate(book, part, "part_of")

    child = student.promote(book, relationship_kind="part_of")["child_topic_id"]

    assert student.refusal("memory_add_relationship", **link(child, part, "part_of")) == (
        SOURCE_IS_DETAIL
    )


# --- the catalog -------------------------------------------------------------------------------


def test_the_catalog_is_the_sessions(student: Student) -> None:
    assert student.do("study_unit_catalog") == {
        "ok": True,
        "catalog": CATALOG,
        "has_more": False,
        "next_offset": None,
    }


@pytest.mark.parametrize("letter", ["x", "水"])
def test_a_long_catalog_comes_by_pages(letter: str) -> None:
    title, word = letter * 3_000, letter * 30
    document = f"# {title}\n\n" + "\n\n".join(f"{word} {n}. {word} {word}." for n in range(30))
    catalog = catalog_of(hierarchy_of(document), "one", tokens_in)
    student = Student(session=Session("one", catalog))

    pages = student.pages("study_unit_catalog")

    assert len(pages) > 1
    shown = [each["id"] for page in pages for each in page["catalog"]["units"]]
    assert shown == [each["id"] for each in catalog["units"]]
    assert all(page["catalog"]["session_id"] == "one" for page in pages)
    assert all(before["next_offset"] for before, _ in pairwise(pages))


def test_the_model_is_offered_the_offset_of_the_catalog(student: Student) -> None:
    schema = input_schema(student.tools["study_unit_catalog"].arguments)

    assert list(schema["properties"]) == ["offset"]


# --- failures ----------------------------------------------------------------------------------


class BrokenTopics(FakeTopics):
    """A store whose reads fail."""

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> NoReturn:  # noqa: ARG002 - the port's
        """See DynamoTopics."""
        raise Unavailable("no answer")


def test_a_silent_store_is_an_answer_that_names_the_tool() -> None:
    student = Student(tooled(topics=BrokenTopics(FakeRecords(FakeClock()))))

    assert student.refusal("memory_get_topic", topic_id="ada") == {
        "error": "no answer",
        "tool": "memory_get_topic",
    }


def test_a_write_leaves_a_token_for_the_next_read(student: Student) -> None:
    written = student.answer("memory_create_topic", title="Ada").written

    assert written[0] in student.services.recent_writes.read(student.principal.identity)
