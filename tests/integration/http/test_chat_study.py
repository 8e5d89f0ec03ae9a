"""The study of a long message in two phases, the first confined to its topics (MemState)."""

import json
from typing import Any

import pytest

from membrane_local.http_messages import Request
from tests.worlds.api import Reply
from tests.worlds.chat_endpoint import Answer, in_turn
from tests.worlds.talks import SILENT, Talk, body_of, calls, frames_in, word

THRESHOLD = 10_000
"""A longer message is a document."""
DOCUMENT = "# Pumps\n\nPumps move water.\n\n# Valves\n\nValves stop water.\n\n"
LONG = DOCUMENT + "x" * THRESHOLD

Call = tuple[str, dict[str, Any]]


def create(topic_id: str, **others: Any) -> Call:
    return "memory_create_topic", {"title": topic_id.title(), "topic_id": topic_id, **others}


def append(topic_id: str, **values: Any) -> list[Call]:
    return [
        ("memory_append_field", {"topic_id": topic_id, "field_name": name, "value": value})
        for name, value in values.items()
    ]


def link(source: str, target: str, kind: str = "knows", tool: str = "add") -> Call:
    ends = {"from_topic_id": source, "to_topic_id": target, "kind": kind}
    return f"memory_{tool}_relationship", ends


def promote(parent: str, **others: Any) -> Call:
    child = {"parent_topic_id": parent, "field_names": ["phone"], "child_title": "Contact"}
    return "memory_promote_fields_to_nested_topic", {**child, **others}


PUMPS, VALVES = create("pumps"), create("valves")
LINK = link("pumps", "valves", "uses")
PLACE: Call = ("memory_update_topic", {"topic_id": "pumps", "topic_kind": "device"})
LIST: Call = ("memory_list_topics", {})
GRAPH: Call = ("study_graph_snapshot", {})

OUTSIDE = "topic not in this Study session"
END_OUTSIDE = "Study phase A: only link topics in this session (same topic_kind)."
EDGE = "['part_of', 'study_child'] edge"
ONE_LEVEL = "Use at most one parent→child level."
SOURCE_IS_DETAIL = (
    "Nesting limit: from_topic cannot be a detail topic "
    f"(it already has an incoming {EDGE}). {ONE_LEVEL}"
)
TARGET_IS_PARENT = (
    "Nesting limit: to_topic cannot become a detail topic "
    f"(it is itself the source of a {EDGE}). {ONE_LEVEL}"
)
PARENT_IS_DETAIL = f"Nesting limit: parent topic already has an incoming {EDGE}. {ONE_LEVEL}"


def studied(talk: Talk, **others: Any) -> Reply:
    """The reply to a document of which two topics are made, and then linked."""
    steps = calls(PUMPS, VALVES), word("Two topics."), calls(LINK, PLACE), word("Linked.")
    return talk.say(LONG, word("ingest"), *steps, **others)


def results(
    talk: Talk, *made: Call, key: str | None = None, text: str = LONG
) -> list[dict[str, Any]]:
    """The results of calls in phase A."""
    steps = word("ingest"), calls(*made), word("a"), word("b")
    log = talk.say(text, *steps, key=key).body["tool_log"]
    assert {each["phase"] for each in log} == {"study_a"}
    return [each["result"] for each in log]


def errors(talk: Talk, *made: Call, key: str | None = None) -> list[str]:
    """The same as sentences; a result without one is empty."""
    return [str(each.get("error", "")) for each in results(talk, *made, key=key)]


def kinds(talk: Talk) -> dict[str, str]:
    return {each["title"]: each["kind"] for each in talk.api.get("/v1/topics").body["topics"]}


def test_a_long_message_is_studied_in_two_phases(talk: Talk) -> None:
    reply = studied(talk).body

    assert reply["reply"].endswith("--- Phase A ---\nTwo topics.\n\n--- Phase B ---\nLinked.")
    assert [(each["tool"], each["phase"]) for each in reply["tool_log"]] == [
        (PUMPS[0], "study_a"),
        (VALVES[0], "study_a"),
        (LINK[0], "study_b"),
        (PLACE[0], "study_b"),
    ]
    assert (reply["study_ingest"], reply["study_phases"], reply["max_tool_rounds"]) == (True, 2, 72)
    assert reply["study_session_kind"].startswith("study:")
    assert kinds(talk) == {"Pumps": "device", "Valves": ""}


def test_the_phases_read_the_catalog_and_what_was_made(talk: Talk) -> None:
    studied(talk)

    (_, first), (_, second) = (talk.asked[at]["messages"][:2] for at in (1, 3))
    assert "coarse tokens=" in first["content"]
    assert "study:" in first["content"]
    assert first["content"].endswith(LONG)
    assert "- pumps: Pumps\n- valves: Valves" in second["content"]
    assert "Two topics." in second["content"]
    assert "xxxxx" not in second["content"]
    phase_a, phase_b = talk.offered(1), talk.offered(3)
    assert (len(phase_a), len(phase_b)) == (20, 23)
    assert {"study_unit_catalog", "study_graph_snapshot"} <= {*phase_a}
    assert not {*phase_a} & {"memory_graph_snapshot", "memory_reorganize_merge_topics"}


def test_the_frames_name_the_phase_and_the_index_restarts(talk: Talk) -> None:
    steps = calls(PUMPS, VALVES), word("a"), calls(PLACE), word("b")

    frames = talk.hear(LONG, word("ingest"), *steps)

    assert [(each["type"], each.get("phase"), each.get("index")) for each in frames[:-1]] == [
        ("intent", None, None),
        ("llm_round", "study_a", None),
        ("tool_start", "study_a", 0),
        ("tool_end", "study_a", 0),
        ("tool_start", "study_a", 1),
        ("tool_end", "study_a", 1),
        ("llm_round", "study_a", None),
        ("llm_round", "study_b", None),
        ("tool_start", "study_b", 0),
        ("tool_end", "study_b", 0),
        ("llm_round", "study_b", None),
        ("reply", None, None),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [calls(PUMPS), SILENT],
        [calls(PUMPS), word("a"), SILENT],
        [calls(PUMPS), word("a"), calls(PLACE), SILENT],
    ],
    ids=["in phase A", "between the phases", "in phase B"],
)
def test_a_failure_leaves_no_topic_in_the_session_and_tells_what_was_done(
    talk: Talk, steps: list[Answer]
) -> None:
    reply = talk.say(LONG, word("ingest"), *steps)

    assert reply.body["stopped"]["status"] == 503
    assert reply.body["tool_log"][0]["tool"] == PUMPS[0]
    assert not kinds(talk)["Pumps"].startswith("study:")


def test_a_caller_who_leaves_leaves_no_topic_in_the_session(talk: Talk) -> None:
    talk.endpoint.answer = in_turn([word("ingest"), calls(PUMPS), word("a"), word("b")])

    def leave(reply: Any) -> None:
        for piece in reply.chunks:
            if frames_in(bytes(piece))[0]["type"] == "tool_end":
                return

    headers = {"host": "127.0.0.1", "authorization": f"Bearer {talk.api.secret}"}
    request = Request(
        "POST", "/v1/chat/stream", "", headers, json.dumps(body_of(LONG, {})).encode(), emit=leave
    )
    talk.api.application.answer(request)

    assert kinds(talk) == {"Pumps": ""}


def test_a_key_without_revise_ends_the_session_too(talk: Talk) -> None:
    key = talk.api.key_for(permissions=("read", "ingest"))

    closed = errors(talk, PUMPS, ("memory_delete_topic", {"topic_id": "pumps"}), PLACE, key=key)

    assert [bool(each) for each in closed] == [False, True, True]
    assert kinds(talk) == {"Pumps": ""}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("x" * THRESHOLD, {}),
        (f"  {'x' * THRESHOLD}\n", {}),
        (LONG, {"study_ingest": False}),
        (LONG, {"intent_override": "query"}),
        (LONG, {"profile": "agent"}),
    ],
    ids=["short", "short with space", "switched off", "a question", "other tools"],
)
def test_other_messages_are_answered_as_usual(
    talk: Talk, text: str, others: dict[str, Any]
) -> None:
    reply = talk.say(text, *([] if "intent_override" in others else [word("ingest")]),
                     word("noted"), **others).body  # fmt: skip

    assert (reply["reply"], "study_ingest" in reply) == ("noted", False)


def test_one_character_more_is_a_document(talk: Talk) -> None:
    steps = word("both"), word("a"), word("b")

    assert talk.say("x" * (THRESHOLD + 1), *steps).body["study_phases"] == 2


def test_a_repeat_under_an_idempotency_key_writes_nothing_twice(talk: Talk) -> None:
    steps = word("ingest"), calls(PUMPS, *append("pumps", move="water")), word("a"), word("b")

    logs = [talk.say(LONG, *steps, idempotency_key="k").body["tool_log"] for _ in range(2)]

    first, second = ([each["result"] for each in log] for log in logs)
    assert first == second
    assert all(each["ok"] for each in first)
    assert len(kinds(talk)) == 1


# --- the topics of the session ---


def test_topics_have_the_kind_of_the_session_whatever_a_call_says(talk: Talk) -> None:
    made = [
        create("ada", topic_kind="person"),
        *append("ada", phone="1"),
        ("memory_update_topic", {"topic_id": "ada", "summary": "a pilot", "topic_kind": "person"}),
        promote("ada", child_topic_kind="card"),
        LIST,
        ("memory_topics_schema_page", {"topic_kind": ""}),
    ]

    *_, listed, page = results(talk, *made)

    found = {each["title"]: each["topic_kind"] for each in listed["topics"]}
    assert found.keys() == {"Ada", "Contact"}
    assert all(kind.startswith("study:") for kind in found.values())
    assert listed["total"] == page["total"] == 2


ON_A_TOPIC: list[Call] = [
    ("memory_get_topic", {}),
    ("memory_get_topic_schema", {}),
    ("memory_get_field", {"field_name": "phone"}),
    ("memory_get_field_history", {"field_name": "phone"}),
    ("memory_update_topic", {"title": "Mine"}),
    ("memory_append_field", {"field_name": "phone", "value": "2"}),
    ("memory_set_field_ref", {"field_name": "phone"}),
    ("memory_nest_fields_in_topic", {"field_names": ["phone"], "nest_key": "contact"}),
    ("memory_unnest_fields_in_topic", {"nest_key": "contact"}),
    ("memory_delete_field", {"field_name": "phone"}),
    ("memory_delete_topic", {}),
]


def on(topic_id: str) -> list[Call]:
    return [(tool, {"topic_id": topic_id, **given}) for tool, given in ON_A_TOPIC]


def test_topics_outside_of_the_session_are_out_of_reach_and_untouched(talk: Talk) -> None:
    talk.tool("memory_create_topic", title="Rome", topic_id="rome")
    talk.tool("memory_create_topic", title="Paris", topic_id="paris")
    talk.tool("memory_append_field", topic_id="rome", field_name="phone", value="1")
    talk.tool("memory_add_relationship", **link("rome", "paris")[1])
    before = talk.tool("memory_get_topic", topic_id="rome")

    for topic_id in ("rome", "absent"):
        assert {*errors(talk, *on(topic_id), promote(topic_id))} == {OUTSIDE}
    undo = {"parent_topic_id": "rome", "child_topic_id": "paris"}
    removed = [link("rome", "paris", tool="remove"), ("memory_undo_promote_nested_topic", undo)]
    assert errors(talk, *removed) == [OUTSIDE] * 2
    ada = create("ada")
    ends = [link("rome", "ada"), link("ada", "rome"), link("ada", "absent"), link("rome", "rome")]
    assert errors(talk, ada, *ends) == ["", *[END_OUTSIDE] * 4]
    refer = {"topic_id": "bob", "field_name": "home", "ref_topic_id": "rome"}
    references = [
        create("bob"),
        ("memory_append_field", {**refer, "value": "Rome"}),
        ("memory_set_field_ref", refer),
        ("memory_set_field_ref", {**refer, "ref_topic_id": "bob"}),
    ]
    assert errors(talk, *references) == [
        "",
        "ref_topic_id must be a topic in this Study session",
        "ref_topic_id must be in this Study session",
        "",
    ]
    assert talk.tool("memory_get_topic", topic_id="rome") == before


def test_a_topic_of_the_session_is_open_to_every_tool(talk: Talk) -> None:
    fields = append("ada", phone="1", age=3)

    answers = errors(talk, create("ada"), *fields, *on("ada"))

    assert answers == [""] * len(answers)


def test_lists_and_graphs_show_the_session_alone(talk: Talk) -> None:
    talk.tool("memory_create_topic", title="Rome", topic_id="rome")
    made = create("ada"), create("bob"), link("ada", "bob"), LIST, GRAPH

    *_, listed, graph = results(talk, *made)
    (other,) = results(talk, LIST)  # of another session

    assert sorted(listed["topic_ids"]) == ["ada", "bob"]
    assert {each["id"] for each in graph["data"]["nodes"]} == {"ada", "bob"}
    assert [(each["from"], each["to"]) for each in graph["data"]["edges"]] == [("ada", "bob")]
    assert other["total"] == 0


def test_what_the_whole_memory_shows_waits_for_phase_b(talk: Talk) -> None:
    plan = "memory_reorganize_merge_topics"

    refused = errors(talk, ("memory_graph_snapshot", {}), (plan, {}), ("recall", {"query": "x"}))

    assert all("study_graph_snapshot" in each or plan in each for each in refused)
    assert all(refused)
    assert "memory_graph_snapshot" not in refused[2]


def test_an_absent_id_is_refused_in_the_words_of_the_tool(talk: Talk) -> None:
    made: list[Call] = [
        ("memory_update_topic", {}),
        ("memory_get_topic", {"topic_id": ""}),
        promote("", relationship_kind="part_of"),
        create("ada"),
        create("bob"),
        ("memory_add_relationship", {"from_topic_id": "ada", "to_topic_id": "bob"}),
    ]

    assert errors(talk, *made) == [
        *("topic_id required", "topic_id required", "parent_topic_id required"),
        *("", "", "kind required"),
    ]


@pytest.mark.parametrize(("kind", "further"), [("study_child", "part_of"), ("part_of",) * 2])
def test_details_have_one_level(talk: Talk, kind: str, further: str) -> None:
    made = [
        *(create(each) for each in ("book", "part", "line", "page")),
        *append("part", phone="1"),
        *append("book", phone="1"),
        link("book", "part", kind),
        link("book", "part", kind),
        link("part", "line", further),
        link("page", "book", further),
        link("line", "line", further),
        promote("part", relationship_kind=f" {further} "),
        link("part", "line", "mentions"),
        link("book", "line", further),
        promote("book", relationship_kind=further),
        link("book", "part", kind, "remove"),
        link("part", "page", further),
    ]

    assert errors(talk, *made)[6:] == [
        *("", ""),
        SOURCE_IS_DETAIL,
        TARGET_IS_PARENT,
        TARGET_IS_PARENT,
        PARENT_IS_DETAIL,
        *[""] * 5,
    ]


def test_a_promotion_is_undone_within_the_session(talk: Talk) -> None:
    *_, made = results(talk, create("ada"), *append("ada", phone="1"), promote("ada"))
    ends = {"parent_topic_id": "bob", "child_topic_id": made["child_topic_id"]}
    undo = "memory_undo_promote_nested_topic"

    refused = errors(talk, create("bob"), (undo, ends), (undo, {**ends, "parent_topic_id": "ada"}))

    assert refused == ["", OUTSIDE, OUTSIDE]


@pytest.mark.parametrize("letter", ["x", "水"])
def test_a_long_catalog_comes_by_pages(talk: Talk, letter: str) -> None:
    title, sentence = letter * 3_000, letter * 30
    document = f"# {title}\n\n" + "\n\n".join(
        f"{sentence} {n}. {sentence} {sentence}." for n in range(85)
    )
    asked = [{"offset": offset} for offset in (0, 1, 10**6)]

    first, later, beyond = results(
        talk, *[("study_unit_catalog", each) for each in asked], text=document
    )

    every = [each["id"] for each in first["catalog"]["units"]]
    assert (first["has_more"], first["next_offset"]) == (True, len(every))
    assert [each["id"] for each in later["catalog"]["units"]][: len(every) - 1] == every[1:]
    assert (beyond["catalog"]["units"], beyond["has_more"]) == ([], False)
