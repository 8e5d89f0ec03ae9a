"""A query as of an instant shows what was so then."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics.requests.editing import DeleteField, NestFields, RemoveRelationship
from membrane.usecases.ports.topics import TopicChange
from tests.builders.topic_editors import ask
from tests.fakes.clock import MORNING
from tests.worlds.queried_topics import Asked, names, values


@pytest.fixture
def asked() -> Asked:
    """An empty memory."""
    return Asked()


def day(number: int) -> str:
    """So many days after the first morning."""
    return rfc3339(MORNING + timedelta(days=number))


def on(asked: Asked, number: int) -> None:
    """Go on to that day."""
    asked.clock.now = MORNING + timedelta(days=number)


def shown(asked: Asked, as_of: str, **more: Any) -> Any:
    """The topic as it was then."""
    return asked.one(topic_ids=["ada"], as_of=as_of, **more)


def test_values_are_those_of_then_whenever_they_were_told(asked: Asked) -> None:
    on(asked, 100)
    asked.add("ada", "Ada")
    for value, since in (("Paris", 10), ("Oslo", 30), ("Rome", 20)):
        asked.append("ada", "city", value, valid_from=day(since))

    then = [values(shown(asked, day(number)), "city") for number in (10, 15, 20, 29, 30, 100)]

    assert then == [["Paris"], ["Paris"], ["Rome"], ["Rome"], ["Oslo"], ["Oslo"]]


def test_a_history_ends_at_that_instant(asked: Asked) -> None:
    on(asked, 100)
    asked.add("ada", "Ada")
    for value, since in (("Paris", 10), ("Oslo", 30), ("Rome", 20)):
        asked.append("ada", "city", value, valid_from=day(since))

    assert values(shown(asked, day(25), explain=True), "city") == ["Rome", "Paris"]


def test_a_field_without_a_value_then_is_left_out(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris"})
    on(asked, 2)
    asked.append("ada", "pet", "a cat")

    assert names(shown(asked, day(1))) == ["city"]
    assert names(shown(asked, day(2))) == ["city", "pet"]


def test_a_field_that_was_deleted_since_was_there(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris"})
    on(asked, 2)
    ask(DeleteField(id="ada", name="city"), asked.services)

    assert values(shown(asked, day(1)), "city") == ["Paris"]
    assert names(shown(asked, day(2))) == []


def test_a_group_that_was_made_later_is_none(asked: Asked) -> None:
    asked.add("ada", "Ada", {"zip": 1})
    on(asked, 2)
    ask(NestFields(id="ada", field_names=("zip",), nest_key="home"), asked.services)

    assert names(shown(asked, day(1))) == ["home.zip"]
    assert names(shown(asked, day(2))) == ["home"]


def test_a_value_has_the_type_that_its_field_had(asked: Asked) -> None:
    asked.add("ada", "Ada", {"age": 36})
    on(asked, 2)
    asked.append("ada", "age", "unknown", field_type="string")

    (age,) = shown(asked, day(1))["fields"]

    assert (age["field_type"], age["current"]["value"]) == ("int", 36)


def test_a_value_has_the_reference_that_it_was_written_with(asked: Asked) -> None:
    for each in ("ada", "bob", "eve"):
        asked.add(each, each.title())
    asked.append("ada", "boss", "Bob", ref_topic_id="bob")
    on(asked, 2)
    asked.append("ada", "boss", "Eve", ref_topic_id="eve")

    (boss,) = shown(asked, day(1))["fields"]

    assert (boss["current"]["value"], boss["ref_topic_id"]) == ("Bob", "bob")
    assert [each["id"] for each in shown(asked, day(1))["neighbors"]] == ["bob"]
    assert shown(asked, day(2))["fields"][0]["ref_topic_id"] == "eve"


def test_fields_of_which_too_many_changed_since_are_left_out_and_it_is_said(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.histories.MOST_HISTORIES", 2)
    asked.add("ada", "Ada", {"a": 1, "b": 1, "c": 1, "same": 1})
    on(asked, 2)
    for name in ("a", "b", "c"):
        asked.append("ada", name, 2)

    then = shown(asked, day(1))

    assert (names(then), then["fields_cut"]) == (["a", "b", "same"], True)
    assert "fields_cut" not in shown(asked, day(2))


def test_edges_are_those_of_then(asked: Asked) -> None:
    asked.add("ada", "Ada")
    asked.add("bob", "Bob")
    on(asked, 2)
    asked.relate("ada", "knows", "bob")
    on(asked, 4)
    ask(RemoveRelationship(id="ada", to_topic_id="bob", kind="knows"), asked.services)

    then = [len(shown(asked, day(number))["neighbors"]) for number in (1, 2, 3, 4)]

    assert then == [0, 1, 1, 0]
    assert shown(asked, day(4))["neighbors"] == []


def test_topics_that_were_made_later_are_left_out_but_for_what_was_so_already(
    asked: Asked,
) -> None:
    asked.add("early", "Lighthouse")
    on(asked, 2)
    asked.add("late", "Lighthouse", {"keeper": "Bob"})
    asked.add("told-late", "Lighthouse", {"height": 40})
    asked.append("told-late", "keeper", "Ada", valid_from=day(-100))

    found = asked.candidates("lighthouse", as_of=day(1))

    assert {each["topic_id"]: names(each) for each in found} == {
        "early": [],
        "told-late": ["keeper"],
    }
    assert asked.found(as_of=day(1), stages=[]) == ["told-late", "early"]


def test_what_was_not_there_yet_makes_way(asked: Asked) -> None:
    asked.add("early", "A lighthouse among other things at the harbour")
    on(asked, 2)
    for number in range(10):
        asked.add(f"late-{number}", "Lighthouse")

    assert asked.found("lighthouse", as_of=day(1), top_k=2) == ["early"]


def test_values_that_have_left_the_table_are_read_from_their_archive(asked: Asked) -> None:
    asked.add("ada", "Ada")
    for number in range(6):
        on(asked, number)
        asked.append("ada", "n", number)
    archive_all_but(asked, "ada", "n", 2)

    then = [values(shown(asked, day(number), explain=True), "n") for number in (5, 4, 3, 0)]

    assert then == [[5, 4, 3, 2, 1, 0], [4, 3, 2, 1, 0], [3, 2, 1, 0], [0]]
    assert values(asked.one(topic_ids=["ada"], explain=True), "n") == [5, 4]


def test_the_future_is_refused(asked: Asked) -> None:
    with pytest.raises(InvalidArgument):
        asked.query(as_of=day(1))


def test_the_salience_is_that_of_now(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris"})
    on(asked, 30)
    asked.append("ada", "city", "Rome")

    assert shown(asked, day(1))["salience"] == asked.one(topic_ids=["ada"])["salience"]


def archive_all_but(asked: Asked, topic_id: str, name: str, keep: int) -> None:
    """Put the older revisions of a field into the bucket."""
    topic = asked.standing(topic_id)
    (line,) = topic.fields[name].lines
    old = asked.topics.history(line)[keep:]
    archive = asked.topics.archive(line, old)
    left = replace(line, count=keep, archives=(archive,))
    field = replace(topic.fields[name], lines=(left,))
    after = replace(topic, fields={**topic.fields, name: field}, version=topic.version + 1)
    removed = [(line, each) for each in old]
    asked.topics.commit(TopicChange(topics=[(topic, after)], removed=removed))
    assert datetime.fromisoformat(archive.newest) < asked.clock.now
