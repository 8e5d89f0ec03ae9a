"""A conversation: the route, the rounds, the tools, and the end (MemState's chat)."""

from typing import NoReturn

import pytest

from membrane.domain.chat.requests import MAX_TOOL_ROUNDS, Route
from membrane.domain.chat.turns import ModelTurn, ResultsTurn, ToolCall, UserTurn
from membrane.domain.language.errors import (
    InvalidArgument,
    NotConfigured,
    ResourceExhausted,
    Unavailable,
)
from membrane.domain.models.failures import BusyModel, NotAsked
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.requests.editing import ChangeSystemContext
from membrane.usecases.chat.ask_model import OutOfTime
from membrane.usecases.chat.converse import chat
from membrane.usecases.chat.rounds import HELP
from membrane.usecases.chat.run_calls import Runner
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.reading.system_context import change_system_context
from tests.fakes.chat_models import TOKENS, TimeLeft, calls, chatting, says
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.worlds.chat import Talk, request_of
from tests.worlds.tools import key

CREATE = ("memory_create_topic", {"title": "Ada", "topic_id": "ada"})
CREATE_ONE = ("memory_create_topic", {"title": "One of many"})
LIST: tuple[str, object] = ("memory_list_topics", {})


def test_a_question_is_routed_and_answered() -> None:
    talk = Talk([says("query"), says("  You are Ada. ")])

    end = talk.say("who am I?")

    assert end.stopped_by is None
    assert end.reply == {
        "reply": "You are Ada.",
        "tool_log": [],
        "model": "scripted-1",
        "provider": "scripted",
        "intent": "query",
        "intent_source": "classifier",
        "max_tool_rounds": 32,
        "tokens": {"used": 2 * TOKENS, "questions": 2},
    }


@pytest.mark.parametrize("answer", ["", "perhaps", "neither"])
def test_an_unclear_route_is_both(answer: str) -> None:
    assert Talk([says(answer), says("hi")]).say("x").reply["intent"] is Route.BOTH


def test_an_override_asks_nothing_about_the_route() -> None:
    talk = Talk([says("done")])

    reply = talk.say("x", intent_override="ingest").reply

    assert (reply["intent"], reply["intent_source"]) == (Route.INGEST, "override")
    assert len(talk.model.asked) == 1


def test_the_classifier_waits_a_minute_and_the_rounds_three() -> None:
    talk = Talk([says("query"), says("hi")])

    talk.say("x")

    assert talk.model.timeouts_s == [60.0, 180.0]


@pytest.mark.parametrize(("route", "tools"), [("query", 7), ("ingest", 23), ("both", 26)])
def test_each_route_offers_memstates_tools(route: str, tools: int) -> None:
    talk = Talk([says("hi")])

    talk.say("x", intent_override=route)

    assert len(talk.model.asked[0].tools) == tools


def test_a_key_offers_no_tool_that_it_may_not_call() -> None:
    talk = Talk([says("hi")], key("read"))

    talk.say("x", intent_override="both")

    assert len(talk.model.asked[0].tools) == 14


@pytest.mark.parametrize(
    ("route", "tools"),
    [
        ("query", ["recall", "read", "about"]),
        (
            "both",
            [
                "recall",
                "remember",
                "record_outcome",
                "correct",
                "forget",
                "read",
                "about",
                "working_state",
            ],
        ),
    ],
)
def test_the_tools_of_membrane_are_a_profile(route: str, tools: list[str]) -> None:
    talk = Talk([says("hi")])

    talk.say("x", profile="agent", intent_override=route)

    assert [each.name for each in talk.model.asked[0].tools] == tools


def test_calls_run_in_order_and_their_results_are_read_by_the_model() -> None:
    talk = Talk([says("ingest"), calls(CREATE, LIST, text="One moment."), says("Done.")])

    reply = talk.say("I am Ada").reply

    assert [each["tool"] for each in reply["tool_log"]] == [CREATE[0], LIST[0]]
    assert reply["tool_log"][0]["result"] == {"ok": True, "topic_id": "ada"}
    assert reply["tool_log"][1]["result"]["topic_ids"] == ["ada"]
    user, model, results = talk.model.asked[-1].turns
    assert user == UserTurn("I am Ada")
    assert isinstance(model, ModelTurn)
    assert isinstance(results, ResultsTurn)
    assert model.text == "One moment."
    assert [each.id for each in model.calls] == [each.call_id for each in results.results]
    assert results.results[0].text == '{"ok":true,"topic_id":"ada"}'
    assert not results.results[0].is_error


def test_the_frames_of_a_conversation_come_in_memstates_order() -> None:
    talk = Talk([says("ingest"), calls(CREATE), says("Done.")])

    frames = talk.frames("I am Ada")

    assert [each["type"] for each in frames] == [
        "intent",
        "llm_round",
        "tool_start",
        "tool_end",
        "llm_round",
        "reply",
    ]
    intent, _, start, end, _, reply = frames
    assert intent == {"type": "intent", "route": "ingest", "intent_source": "classifier"}
    assert (start["index"], start["tool"], start["args"]) == (0, *CREATE)
    assert start["viz"]["label"] == "Creating topic Ada"
    assert end["result"] == {"ok": True, "topic_id": "ada"}
    assert end["viz"]["topic_ids"] == ["ada"]
    assert reply == {"type": "reply", "text": "Done."}


def test_a_model_that_says_nothing_offers_help() -> None:
    assert Talk([says("both"), says(" ")]).say("hm").reply["reply"] == HELP


def test_a_model_that_says_nothing_after_calls_says_nothing() -> None:
    assert Talk([says("both"), calls(LIST), says("")]).say("hm").reply["reply"] == ""


def test_the_rounds_have_an_end() -> None:
    talk = Talk([calls(LIST)])

    reply = talk.say("x", intent_override="query", max_tool_rounds=3).reply

    assert reply["reply"] == (
        "Stopped after 3 tool rounds (max 3); check tool_log for partial results."
    )
    assert len(reply["tool_log"]) == len(talk.model.asked) == 3


def test_a_tool_outside_the_route_has_no_effect() -> None:
    talk = Talk([says("query"), calls(CREATE), says("I could not.")])

    (entry,) = talk.say("x").reply["tool_log"]

    assert entry["result"]["ok"] is False
    assert "not open here" in entry["result"]["error"]
    assert talk.keeper.do("memory_list_topics")["total"] == 0


def test_a_planner_is_not_open_to_a_question() -> None:
    talk = Talk([says("query"), calls(("memory_reorganize_merge_topics", {})), says("no")])

    (entry,) = talk.say("x").reply["tool_log"]

    assert entry["result"]["ok"] is False


def test_a_refusal_of_a_tool_is_read_by_the_model() -> None:
    absent = ("read", {"id": "absent"})
    talk = Talk([says("query"), calls(absent), says("I do not know.")])

    (entry,) = talk.say("x", profile="agent").reply["tool_log"]

    assert entry["result"]["ok"] is False
    turn = talk.model.asked[-1].turns[-1]
    assert isinstance(turn, ResultsTurn)
    assert turn.results[0].is_error
    assert entry["result"]["error"] in turn.results[0].text


def test_arguments_that_are_no_object_are_refused_by_the_tool() -> None:
    talk = Talk([says("query"), calls(("read", "{broken")), says("sorry")])

    (entry,) = talk.say("x", profile="agent").reply["tool_log"]

    assert entry["args"] == {"unreadable": "{broken"}
    assert entry["result"] == {"ok": False, "error": "the arguments must be a JSON object"}


def test_no_tool_takes_a_user() -> None:
    prefixed = key("read", "ingest", scopes=("user:*",), user_prefix="user:")
    talk = Talk([says("ingest"), calls(("remember", {"text": "x", "user": "bob"})), says("no")])
    talk.principal = prefixed.acting_for("ann")

    (entry,) = talk.say("x", profile="agent").reply["tool_log"]

    assert "user is not an argument" in entry["result"]["error"]


def test_the_writes_are_those_of_the_key() -> None:
    talk = Talk([says("ingest"), calls(("remember", {"text": "tea"})), says("ok")])

    (entry,) = talk.say("I like tea", profile="agent").reply["tool_log"]

    held = talk.services.records.load(entry["result"]["id"])
    assert isinstance(held, StoredRecord)
    assert held.record.audit_log[0].principal == talk.principal.actor_id


class SilentRecords(FakeRecords):
    """A store that does not answer a read."""

    def load(self, record_id: str, *, whole: bool = False) -> NoReturn:  # noqa: ARG002 - the port's
        """See DynamoRecords."""
        raise Unavailable(f"{record_id} could not be read")


def test_a_store_that_does_not_answer_is_a_refusal_for_the_model_and_a_fault_for_operators() -> (
    None
):
    records = SilentRecords(FakeClock())
    read = calls(("read", {"id": "m"}))
    talk = Talk([says("query"), read, says("Try later.")], settings={"records": records})

    reply = talk.say("x", profile="agent").reply

    assert reply["reply"] == "Try later."
    assert reply["tool_log"][0]["result"] == {"ok": False, "error": "m could not be read"}
    assert isinstance(talk.services.report, Reports)
    assert ("Chat", "FAULT") in talk.services.report.told


@pytest.mark.parametrize(
    "failure",
    [Unavailable("the model did not answer"), NotAsked("refused"), BusyModel("busy", 10_000)],
)
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_what_was_written_before_a_failure_is_in_the_answer(
    failure: Exception, rounds: int
) -> None:
    made = [calls(("memory_create_topic", {"title": f"T{at}"})) for at in range(rounds)]
    talk = Talk([says("ingest"), *made, failure])

    end = talk.say("x")

    assert end.stopped_by is failure
    assert len(end.reply["tool_log"]) == rounds
    assert f"Stopped after {rounds} calls of tools, which stand" in end.reply["reply"]
    assert talk.keeper.do("memory_list_topics")["total"] == rounds


@pytest.mark.parametrize("steps", [[], [says("ingest")]])
def test_a_failure_before_any_tool_is_an_error(steps: list[object]) -> None:
    failure = Unavailable("the model did not answer")

    with pytest.raises(Unavailable) as raised:
        Talk([*steps, failure]).say("x")  # type: ignore[list-item]  # answers, then the failure

    assert raised.value is failure


def test_no_further_call_runs_without_time_and_the_done_ones_are_in_the_answer() -> None:
    left = TimeLeft()
    talk = Talk([says("ingest"), calls(*[CREATE_ONE] * 5)], settings={"time_left": left})
    run = Runner.run

    def slowly(runner: Runner, asked: ToolCall) -> ToolAnswer:
        left.seconds -= 400
        return run(runner, asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runner, "run", slowly)
        end = talk.say("x")

    assert isinstance(end.stopped_by, OutOfTime)
    assert len(end.reply["tool_log"]) == 3


def test_an_answer_runs_32_calls_at_most() -> None:
    talk = Talk([says("query"), calls(*[LIST] * 40), says("hi")])

    reply = talk.say("x").reply

    assert len(reply["tool_log"]) == 32
    *_, model, results = talk.model.asked[-1].turns
    assert isinstance(model, ModelTurn)
    assert isinstance(results, ResultsTurn)
    assert len(model.calls) == len(results.results) == 32


def test_a_key_that_may_not_read_gets_no_system_context() -> None:
    talk = Talk([says("hi")], key("ingest"))
    context = ChangeSystemContext(system_role="Secret role.", runtime_context="Berlin.")
    owner = key("admin", scopes=("*",))
    change_system_context(context, talk.call()._replace(principal=owner), talk.services)

    talk.say("x", intent_override="ingest")

    assert "Secret role." not in talk.model.asked[0].system


def test_the_topics_of_a_graph_are_hints() -> None:
    talk = Talk([calls(("memory_graph_snapshot", {})), says("done")])
    for title in ("Ada", "Home"):
        talk.keeper.topic(title)

    frames = talk.frames("x", intent_override="query")

    (end,) = (each for each in frames if each["type"] == "tool_end")
    nodes = [each["id"] for each in end["result"]["data"]["nodes"]]
    assert end["viz"]["topic_ids"] == nodes
    assert end["viz"]["label"] == "Scanning 2 topics"


def test_without_a_model_the_refusal_names_the_parameter() -> None:
    talk = Talk([])

    with pytest.raises(NotConfigured, match="ChatModel"):
        chat(request_of("x"), talk.call(), chatting(None))


def test_a_bad_dialogue_is_refused_before_the_model_is_looked_for() -> None:
    with pytest.raises(InvalidArgument):
        chat(request_of(" "), Talk([]).call(), chatting(None))


def test_a_repeated_conversation_writes_nothing_twice() -> None:
    write = calls(("remember", {"text": "tea"}), ("remember", {"text": "tea"}))
    talk = Talk([says("ingest"), write, says("ok"), says("ingest"), write, says("ok")])

    first, second = (talk.say("I like tea", "key-1", profile="agent") for _ in range(2))

    ids = [[each["result"]["id"] for each in end.reply["tool_log"]] for end in (first, second)]
    assert ids[0] == ids[1]


def test_the_newest_turns_reach_the_model() -> None:
    said = [("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4"), ("user", "5")]
    messages = [{"role": role, "content": text} for role, text in said]
    talk = Talk([says("hi")])

    talk.say("", messages=messages, intent_turns=2, intent_override="query")

    assert talk.model.asked[0].turns == [UserTurn("3"), ModelTurn("4"), UserTurn("5")]


def test_the_system_context_stands_at_the_end_of_the_prompt() -> None:
    talk = Talk([says("hi")])
    context = ChangeSystemContext(system_role="You are a pilot's aide.", runtime_context="Berlin.")
    owner = key("admin", scopes=("*",))
    change_system_context(context, talk.call()._replace(principal=owner), talk.services)

    talk.say("x", intent_override="query")

    system = talk.model.asked[0].system
    assert system.endswith("You are a pilot's aide.\n\nBerlin.")
    assert "This request reads." in system


@pytest.mark.parametrize(
    "field",
    [
        {"intent_turns": 0},
        {"intent_turns": 65},
        {"max_tool_rounds": 0},
        {"max_tool_rounds": MAX_TOOL_ROUNDS + 1},
        {"intent_override": "maybe"},
        {"profile": "none"},
        {"ollama_base_url": "http://169.254.169.254"},
        {"provider": "groq"},
        {"messages": [{"role": "user", "content": "x", "name": "y"}]},
    ],
)
def test_a_malformed_request_is_refused(field: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument):
        request_of("x", **field)


def test_the_tokens_of_the_day_are_a_failure_like_another() -> None:
    talk = Talk([says("ingest"), calls(CREATE), ResourceExhausted("spent")])

    assert talk.say("x").stopped_by is not None
