"""The study of a long message in two phases (MemState's Study)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from membrane.domain.access.trust import Trust
from membrane.domain.chat.turns import Answer, Question, ResultsTurn, UserTurn
from membrane.domain.language.errors import Unavailable
from membrane.domain.study.decision import THRESHOLD_CHARACTERS
from membrane.domain.topics.topic import Topic
from membrane.usecases.chat.converse import converse
from tests.fakes.chat_models import Step, calls, says
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.topics import FakeTopics
from tests.worlds.chat import Talk, request_of
from tests.worlds.tools import key

DOCUMENT = "# Pumps\n\nPumps move water.\n\n# Valves\n\nValves stop water.\n\n"
LONG = DOCUMENT + "x" * THRESHOLD_CHARACTERS


def create(title: str, **others: Any) -> tuple[str, dict[str, Any]]:
    return "memory_create_topic", {"title": title, "topic_id": title.lower(), **others}


PUMPS, VALVES = create("Pumps"), create("Valves")
LINK = (
    "memory_add_relationship",
    {"from_topic_id": "pumps", "to_topic_id": "valves", "kind": "uses"},
)
PLACE = ("memory_update_topic", {"topic_id": "pumps", "topic_kind": "device"})


def studying(*steps: Step, **others: Any) -> Talk:
    return Talk([says("ingest"), *steps], **others)


def usual() -> Talk:
    return studying(calls(PUMPS, VALVES), says("Two topics."), calls(LINK, PLACE), says("Linked."))


def test_a_long_message_is_studied_in_two_phases() -> None:
    talk = usual()

    reply = talk.say(LONG).reply

    assert reply["reply"].endswith("--- Phase A ---\nTwo topics.\n\n--- Phase B ---\nLinked.")
    assert [(each["tool"], each["phase"]) for each in reply["tool_log"]] == [
        (PUMPS[0], "study_a"),
        (VALVES[0], "study_a"),
        (LINK[0], "study_b"),
        (PLACE[0], "study_b"),
    ]
    assert reply["study_ingest"] is True
    assert reply["study_session_kind"].startswith("study:")
    assert (reply["study_phases"], reply["max_tool_rounds"]) == (2, 72)


def test_the_frames_name_the_phase_and_the_index_restarts() -> None:
    frames = usual().frames(LONG)

    steps = [(each["type"], each.get("phase"), each.get("index")) for each in frames]
    assert steps == [
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
        ("tool_start", "study_b", 1),
        ("tool_end", "study_b", 1),
        ("llm_round", "study_b", None),
        ("reply", None, None),
    ]


def test_phase_a_reads_the_catalog_and_the_whole_document_with_20_tools() -> None:
    talk = usual()

    talk.say(LONG)

    first = talk.model.asked[1]
    told = first.turns[-1]
    assert isinstance(told, UserTurn)
    assert len(first.tools) == 20
    assert "coarse tokens=" in told.text
    assert told.text.endswith(LONG)
    assert "study:" in told.text


def test_phase_b_reads_the_topics_and_the_words_of_phase_a() -> None:
    talk = usual()

    talk.say(LONG)

    second = talk.model.asked[3]
    told = second.turns[-1]
    assert isinstance(told, UserTurn)
    assert len(second.tools) == 23
    assert "- pumps: Pumps\n- valves: Valves" in told.text
    assert "Two topics." in told.text
    assert "xxxxx" not in told.text


def test_in_phase_a_topics_have_the_kind_of_the_session() -> None:
    device = create("Pumps", topic_kind="device")
    talk = studying(calls(device, ("memory_list_topics", {})), says("a"), says("b"))

    reply = talk.say(LONG).reply

    (topic,) = reply["tool_log"][1]["result"]["topics"]
    assert topic["topic_kind"] == reply["study_session_kind"]


def test_at_the_end_no_topic_has_the_kind_of_the_session() -> None:
    talk = usual()

    talk.say(LONG)

    topics = talk.keeper.do("memory_list_topics")["topics"]
    assert {each["title"]: each["topic_kind"] for each in topics} == {
        "Pumps": "device",
        "Valves": "",
    }


def test_a_key_without_revise_ends_the_session_too() -> None:
    talk = studying(calls(PUMPS), says("a"), says("b"), principal=key("read", "ingest"))

    talk.say(LONG)

    (topic,) = talk.keeper.do("memory_list_topics")["topics"]
    assert topic["topic_kind"] == ""


@pytest.mark.parametrize(
    "steps",
    [
        [calls(PUMPS), Unavailable("no answer")],
        [calls(PUMPS), says("a"), Unavailable("no answer")],
        [calls(PUMPS), says("a"), calls(PLACE), Unavailable("no answer")],
    ],
    ids=["in phase A", "between the phases", "in phase B"],
)
def test_a_failure_leaves_no_topic_in_the_session_and_tells_what_was_done(
    steps: list[Step],
) -> None:
    talk = studying(*steps)

    end = talk.say(LONG)

    (topic,) = talk.keeper.do("memory_list_topics")["topics"]
    assert not topic["topic_kind"].startswith("study:")
    assert isinstance(end.stopped_by, Unavailable)
    assert end.reply["tool_log"][0]["tool"] == PUMPS[0]


def test_a_caller_who_leaves_leaves_no_topic_in_the_session() -> None:
    talk = studying(calls(PUMPS), says("a"), says("b"))
    steps = converse(request_of(LONG), talk.call(), talk.services)
    for frame in steps:
        if frame["type"] == "tool_end":
            break

    steps.close()

    (topic,) = talk.keeper.do("memory_list_topics")["topics"]
    assert topic["topic_kind"] == ""


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("x" * THRESHOLD_CHARACTERS, {}),
        (f"  {'x' * THRESHOLD_CHARACTERS}\n", {}),
        (LONG, {"study_ingest": False}),
        (LONG, {"intent_override": "query"}),
        (LONG, {"profile": "agent"}),
    ],
    ids=["short", "short with space", "switched off", "a question", "other tools"],
)
def test_other_messages_are_answered_as_usual(text: str, others: dict[str, Any]) -> None:
    talk = Talk([says("ingest"), says("noted")])

    reply = talk.say(text, **others).reply

    assert "study_ingest" not in reply
    assert "Phase A" not in reply["reply"]


def test_one_character_more_is_a_document() -> None:
    talk = Talk([says("both"), says("a"), says("b")])

    assert talk.say("x" * (THRESHOLD_CHARACTERS + 1)).reply["study_phases"] == 2


def test_a_topic_outside_of_the_session_is_out_of_reach_in_phase_a() -> None:
    talk = studying(
        calls(("memory_update_topic", {"topic_id": "ada", "title": "Mine"})), says("a"), says("b")
    )
    talk.keeper.do("memory_create_topic", title="Ada", topic_id="ada")

    (entry,) = talk.say(LONG).reply["tool_log"]

    assert entry["result"] == {"ok": False, "error": "topic not in this Study session"}
    results = talk.model.asked[2].turns[-1]
    assert isinstance(results, ResultsTurn)
    assert talk.keeper.do("memory_get_topic", topic_id="ada")["topic"]["title"] == "Ada"


def test_a_repeat_under_an_idempotency_key_writes_nothing_twice() -> None:
    write = ("memory_append_field", {"topic_id": "pumps", "field_name": "move", "value": "water"})
    steps = [calls(PUMPS, write), says("a"), says("b")]
    talk = studying(*steps, says("ingest"), *steps)

    first, second = (talk.say(LONG, "key-1").reply["tool_log"] for _ in range(2))

    assert [each["result"] for each in first] == [each["result"] for each in second]
    assert all(each["result"]["ok"] for each in first)
    assert talk.keeper.do("memory_list_topics")["total"] == 1


def test_a_refusal_in_phase_a_names_the_offered_tools_alone() -> None:
    talk = studying(calls(("recall", {"query": "x"})), says("a"), says("b"))

    (entry,) = talk.say(LONG).reply["tool_log"]

    assert "study_graph_snapshot" in entry["result"]["error"]
    assert "memory_graph_snapshot" not in entry["result"]["error"]


def test_a_topic_with_the_title_of_a_known_topic_leaves_the_session_too() -> None:
    talk = studying(calls(("memory_create_topic", {"title": "Ada"})), says("a"), says("b"))
    talk.keeper.do("memory_create_topic", title="Ada", topic_id="ada")

    end = talk.say(LONG)

    topics = talk.keeper.do("memory_list_topics")["topics"]
    assert end.stopped_by is None
    assert [(each["title"], each["topic_kind"]) for each in topics] == [("Ada", "")] * 2


class BrokenTopics(FakeTopics):
    """A store that refuses to change a topic."""

    is_broken = False

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """See DynamoTopics."""
        if self.is_broken:
            raise Unavailable("no answer")
        return FakeTopics.load_all(self, topic_ids, trust)


def test_a_store_that_fails_at_the_end_costs_no_answer_and_is_reported() -> None:
    topics = BrokenTopics(FakeRecords(FakeClock()))

    def break_store(_question: Question) -> Answer:
        topics.is_broken = True
        return says("Linked.")

    talk = studying(calls(PUMPS), says("a"), break_store, settings={"topics": topics})

    end = talk.say(LONG)

    assert end.reply["reply"].endswith("Linked.")
    assert isinstance(talk.services.report, Reports)
    assert ("Chat", "FAULT") in talk.services.report.told


def test_a_store_that_fails_between_the_phases_stops_the_conversation_with_its_log() -> None:
    topics = BrokenTopics(FakeRecords(FakeClock()))

    def break_store(_question: Question) -> Answer:
        topics.is_broken = True
        return says("One topic.")

    talk = studying(calls(PUMPS), break_store, says("b"), settings={"topics": topics})

    end = talk.say(LONG)

    assert str(end.stopped_by) == "no answer"
    assert end.reply["tool_log"][0]["tool"] == PUMPS[0]
