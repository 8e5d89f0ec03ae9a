"""Reasoning about topics over HTTP: what is planned, done and logged, and what is forgotten."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.http.test_topic_changes import NO_SCOPE
from tests.worlds.topic_client import DAY_S, Topics, field, named

HALF_LIFE_S = 30 * DAY_S
STEPS = ("summarised", "detached", "archived")


def steps(topics: Topics, topic_id: str) -> list[str]:
    """Those that were taken towards forgetting a topic."""
    return [each for each in topics.kinds(topic_id) if each in STEPS]


def forget(topics: Topics, seconds: float) -> None:
    """Let so much time pass, and every step be taken that is due."""
    topics.wait(seconds)
    topics.schedule()


# --- forgetting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("half_lives", "taken"), [(1.0, 0), (1.8, 1), (3.4, 2), (4.4, 3)])
def test_each_step_is_taken_in_its_time_and_once(
    topics: Topics, half_lives: float, taken: int
) -> None:
    topics.freeze()
    made = topics.make(fields={"city": "Rome"})
    deleted, archived = topics.make("Bob"), topics.make("Carl")
    topics.delete(deleted)
    topics.change(archived, archived=True)

    forget(topics, half_lives * HALF_LIFE_S)
    topics.schedule()

    assert steps(topics, made) == list(STEPS[:taken])
    assert topics.read(made)["archived"] is (taken == 3)
    logged = [each["action"] for each in topics.actions()]
    assert sorted(logged) == sorted(f"{each}:{made}" for each in STEPS[:taken])


def test_summarising_moves_old_history_and_loses_none(tuned: Topics) -> None:
    tuned.freeze()
    made = tuned.tell(*(field("n", number) for number in range(3)), title="Ada")["topic_id"]

    forget(tuned, 2 * HALF_LIFE_S)

    assert [each["value"] for each in tuned.field(made, "n")["history"]] == [2, 1]
    assert tuned.values(made, "n") == [2, 1, 0]


def by_append(topics: Topics, topic_id: str) -> None:
    topics.append(topic_id, "f1", 77)


def by_ingest(topics: Topics, topic_id: str) -> None:
    topics.tell(field("f1", 77), topic_id=topic_id)


def by_query(topics: Topics, topic_id: str) -> None:
    topics.do("POST", "query", {"q": "", "topic_ids": [topic_id]})
    topics.settle()


def by_patch(topics: Topics, topic_id: str) -> None:
    topics.change(topic_id, archived=False)


@pytest.mark.parametrize("use", [by_append, by_ingest, by_query, by_patch])
def test_what_is_used_again_is_whole_and_stays(
    topics: Topics, use: Callable[[Topics, str], None]
) -> None:
    topics.freeze()
    fields = [field(f"f{number}", number) for number in range(30)]
    made = topics.tell(*fields, title="Ada")["topic_id"]
    forget(topics, 400 * DAY_S)
    assert topics.read(made)["archived"]

    use(topics, made)
    forget(topics, 3_600)

    shown = topics.read(made)
    assert not shown["archived"]
    assert not [each for each in shown["fields"].values() if each["detached"]]
    assert topics.kinds(made).count("revived") == 1


def test_a_write_brings_back_as_much_as_it_makes_salient(topics: Topics) -> None:
    topics.freeze()
    few = topics.make("Ada", {"f1": 1, "f2": 2})
    many = topics.tell(*(field(f"f{n}", n) for n in range(30)), title="Bob")["topic_id"]
    restored = topics.make("Carl", {"f1": 1, "f2": 2})
    forget(topics, 105 * DAY_S)
    assert steps(topics, few) == ["summarised", "detached"]
    topics.delete(restored)

    topics.append(few, "f1", 2)
    topics.append(many, "f1", 2)
    topics.do("POST", f"topics/{restored}/restore", {})

    detached = [
        sum(each["detached"] for each in topics.read(topic_id)["fields"].values())
        for topic_id in (few, many, restored)
    ]
    assert detached == [0, 29, 0]
    assert named(topics.one(topic_ids=[many])) == ["f1"]
    far = topics.one(topic_ids=[many], field_names=["f7"])
    assert far["fields"][0]["current"]["value"] == 7


def test_what_is_read_enough_takes_no_step_until_it_has_faded(topics: Topics) -> None:
    topics.freeze()
    made = topics.make(fields={"f1": 1})
    topics.wait(2 * HALF_LIFE_S)
    for _ in range(3):
        by_query(topics, made)

    topics.schedule()
    read = steps(topics, made)
    forget(topics, HALF_LIFE_S + DAY_S)

    assert (read, steps(topics, made)) == ([], ["summarised"])


# --- what somebody asks for ---------------------------------------------------------------------


def words(reply: dict[str, Any]) -> list[str]:
    return [each["action"] for each in reply["actions"]]


def test_by_default_it_is_only_told_what_would_be_done_and_that_is_done(topics: Topics) -> None:
    topics.freeze()
    old = topics.make("Old", scope="alpha")
    topics.wait(365 * DAY_S)
    one, other = topics.make("Ada", {"a": 1}, scope="alpha"), topics.make("Ada", scope="alpha")
    elsewhere = [topics.make("Ada", scope="beta") for _ in range(2)]

    with topics.unchanged():
        told = topics.do("POST", "reason", {"scope": "alpha"})
    done = topics.reason("alpha")

    assert (told["dry_run"], told["planned"], told["complete"]) == (True, 4, True)
    merge = f"merged:{other}->:{one}:Ada"
    assert set(words(told)) == {merge, *(f"{step}:{old}" for step in STEPS)}
    assert done["actions"] == told["actions"]
    assert topics.reason("alpha")["actions"] == []
    logged = topics.actions(scope="alpha")
    assert {each["action"] for each in logged} == set(words(told))
    assert {each["principal"] for each in logged} == {"local"}
    assert [topics.read(each)["id"] for each in elsewhere] == elsewhere


def test_a_plan_and_the_log_leave_out_what_the_key_may_not_see(topics: Topics) -> None:
    topics.freeze()
    alpha = topics.of("alpha")
    for _ in range(2):
        topics.make("Secret", scope="alpha", sensitivity="hyper")
    topics.wait(365 * DAY_S)

    assert alpha.reason("alpha", dry_run=True)["actions"] == []
    assert alpha.reason("alpha")["actions"] == []
    assert topics.reason("alpha", dry_run=True)["planned"] == 4
    body = {"scope": "beta"}
    assert alpha.refusal("POST", "reason", body) == (403, NO_SCOPE)
    keeper = topics.make("Ada", {"a": 1}, scope="alpha")
    topics.make("Ada", scope="alpha")
    alpha.reason("alpha")
    before = alpha.actions(scope="alpha")
    topics.change(keeper, sensitivity="hyper")
    assert (len(before), alpha.actions(scope="alpha"), alpha.actions(scope="beta")) == (1, [], [])
    assert len(topics.actions(scope="alpha")) == 1


def test_the_log_is_read_page_by_page_the_newest_first(topics: Topics) -> None:
    for number in range(5):
        topics.make(f"Ada {number}", {"a": 1})
        topics.make(f"Ada {number}")
        topics.reason()

    found, cursor = [], ""
    while True:
        page = topics.do("GET", f"reason/actions?limit=2&cursor={cursor}")
        found.append([each["title"] for each in page["actions"]])
        if "next_cursor" not in page:
            break
        cursor = page["next_cursor"]

    assert found == [["Ada 4", "Ada 3"], ["Ada 2", "Ada 1"], ["Ada 0"]]


def test_the_schedule_looks_at_every_scope(topics: Topics) -> None:
    old = topics.make("Old", scope="b")
    topics.wait(365 * DAY_S)
    twins = [[topics.make("Ada", scope=scope) for _ in range(2)] for scope in ("a", "", "c")]
    topics.settle()

    topics.schedule()

    assert topics.read(old)["archived"]
    assert [len({topics.read(each)["id"] for each in pair}) for pair in twins] == [1, 1, 1]
