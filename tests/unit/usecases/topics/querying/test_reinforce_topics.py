"""What a query shows becomes more salient, by a message and once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.access import Access
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import LadderStep, MergeLink, TopicStatus
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from tests.builders.topic_editors import happened
from tests.fakes.topic_world import ToldReason
from tests.fakes.topics import FakeTopics
from tests.worlds.queried_topics import Asked

AT = "2026-03-01T09:00:00.25Z"


@dataclass(slots=True)
class OvertakenTopics(FakeTopics):
    """Another reader comes first once, just after it was looked how a topic was read."""

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """See DynamoTopics."""
        found = dict(FakeTopics.accesses(self, topic_ids))
        if "ada" not in self.reads:
            self.keep_access("ada", Access(), Access())
        return found


@pytest.fixture
def asked() -> Asked:
    """An empty memory."""
    return Asked()


def access(asked: Asked, topic_id: str = "ada") -> Access:
    """How the topic was read."""
    return asked.topics.reads.get(topic_id, Access())


def message(**changes: Any) -> dict[str, Any]:
    """Of a query that showed one topic."""
    return {"id": "m1", "at": AT, "principal": "owner", "topics": ["ada"], **changes}


def test_a_query_sends_one_message_that_names_what_it_showed(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris", "pet": "a cat"})
    asked.add("adam", "Ada", {"pet": "a dog"})

    found = asked.found("Ada", field_names=["city", "no"])

    ((told, delay_s),) = asked.told.told
    assert delay_s == 0
    assert told == {
        "reinforce": {
            "id": told["reinforce"]["id"],
            "at": AT,
            "principal": "owner",
            "topics": found,
            "fields": {"ada": ["city"]},
            "named": False,
        }
    }


def test_a_query_that_shall_not_or_that_shows_nothing_sends_none(asked: Asked) -> None:
    asked.add("ada", "Ada")

    asked.query("Ada", reinforce=False)
    asked.query("nobody")

    assert asked.told.told == []


def test_an_answer_does_not_depend_on_the_message(asked: Asked) -> None:
    def failing(_: object) -> None:
        raise Unavailable("the queue did not answer")

    asked.add("ada", "Ada")
    asked.services = replace(asked.services, send_to_reasoning=ToldReason(failing=failing))

    assert asked.found("Ada") == ["ada"]
    assert asked.reports.told == [("QueryTopics", FAULT)]


def test_a_read_adds_once_however_often_its_message_comes(asked: Asked) -> None:
    asked.add("ada", "Ada")
    before = asked.one("Ada", topic_ids=["ada"])["salience"]

    asked.deliver()

    after = asked.one("Ada", reinforce=False)["salience"]
    assert (before, after) == (1.0, pytest.approx(1.1))
    assert len(access(asked).trail) == 1


def test_reading_changes_no_version_and_no_audit(asked: Asked) -> None:
    asked.add("ada", "Ada")
    before = asked.standing("ada")

    asked.query("Ada")
    asked.deliver()

    assert asked.standing("ada") == before


def test_what_was_added_fades_as_the_topic_does_and_ends_at_the_most(asked: Asked) -> None:
    asked = Asked(TopicPolicy(half_life_s=86_400, bump=0.4, max_access=1.0))
    asked.add("ada", "Ada")
    for _ in range(5):
        asked.query("Ada")
    asked.deliver()
    assert access(asked).topic.salience == pytest.approx(1.0)

    asked.clock.advance(days=1)
    asked.query("Ada")
    asked.deliver()

    assert access(asked).topic.salience == pytest.approx(0.9)


def test_fields_that_are_asked_for_by_name_are_reinforced_too(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris", "pet": "a cat"})

    asked.query("Ada", field_names=["pet"])
    asked.deliver()

    assert set(access(asked).fields) == {"pet"}
    shown = asked.one("Ada", explain=True, reinforce=False)["explanation"]["salience"]
    assert shown == {"base": 1.0, "access": pytest.approx(0.1), "fields": pytest.approx(0.05)}


def test_a_trail_tells_of_the_newest_fifty_reads(asked: Asked) -> None:
    asked.add("ada", "Ada", {"pet": "a cat"})
    for number in range(60):
        reinforce_topics(
            message(id=f"m{number}", principal=f"p{number}", fields={"ada": ["pet", "no"]}),
            asked.services,
        )

    trail = access(asked).trail

    assert [each.principal for each in trail] == [f"p{number}" for number in range(10, 60)]
    assert {each.fields for each in trail} == {("pet",)}
    assert trail[0].at_s == epoch_seconds(asked.clock.now)


def test_a_message_from_tomorrow_counts_from_now(asked: Asked) -> None:
    asked.add("ada", "Ada")

    reinforce_topics(message(at="2027-01-01T00:00:00Z"), asked.services)

    assert access(asked).topic.at_s == epoch_seconds(asked.clock.now)


def test_a_lost_race_is_run_again(asked: Asked) -> None:
    asked.add("ada", "Ada")
    store = OvertakenTopics(
        asked.topics.records, topics=asked.topics.topics, reads=asked.topics.reads
    )
    services = replace(asked.services, topics=store)

    reinforce_topics(message(), services)

    assert access(asked).version == 2
    assert access(asked).topic.salience == pytest.approx(0.1)


def test_a_merged_topic_stands_for_what_it_became_and_a_deleted_one_for_nothing(
    asked: Asked,
) -> None:
    asked.add("ada", "Ada")
    asked.add("old", "Ada L")
    asked.add("gone", "Gone")
    alias = asked.standing("old")
    merged = MergeLink("ada", AT, "the same", TopicStatus.ACTIVE)
    asked.topics.topics["old"] = replace(alias, status=TopicStatus.MERGED, merged=merged)
    gone = asked.standing("gone")
    asked.topics.topics["gone"] = replace(gone, status=TopicStatus.DELETED)

    reinforce_topics(message(topics=["old", "gone", "never"]), asked.services)

    assert set(asked.topics.reads) == {"ada"}


def test_an_archived_topic_that_is_asked_for_by_id_is_revived(asked: Asked) -> None:
    asked.add("ada", "Ada")
    asked.change("ada", archived=True)

    asked.query("Ada", topic_ids=["ada"])
    asked.deliver()

    topic = asked.standing("ada")
    assert (topic.status, topic.step) == (TopicStatus.ACTIVE, LadderStep.NONE)
    assert happened(asked.services, "ada").count("revived") == 1


def test_an_archived_topic_that_only_happens_to_be_found_stays_archived(asked: Asked) -> None:
    asked.add("ada", "Ada")
    asked.change("ada", archived=True)

    asked.query("Ada", include_archived=True)
    asked.deliver()

    assert asked.standing("ada").status is TopicStatus.ARCHIVED


@pytest.mark.parametrize(
    "damaged",
    [{}, {"id": ""}, {"at": "then"}, {"topics": "ada"}, {"topics": [1]}, {"fields": {"ada": 1}}],
)
def test_what_is_no_such_message_is_refused(asked: Asked, damaged: dict[str, Any]) -> None:
    asked.add("ada", "Ada")
    told = {**message(), **damaged} if damaged else {}

    with pytest.raises(InvalidArgument):
        reinforce_topics(told, asked.services)

    assert asked.topics.reads == {}


def test_names_of_fields_never_make_an_access_too_large(asked: Asked) -> None:
    asked.add("ada", "Ada")
    names = [f"{number:03}" + "x" * 250 for number in range(199)]
    for name in names:
        asked.append("ada", name, 1)

    for number in range(60):
        told = message(id=f"m{number}", fields={"ada": names})
        reinforce_topics(told, asked.services)

    kept = access(asked)
    assert sum(map(len, kept.fields)) <= 40_000
    assert sum(len(name) for read in kept.trail for name in read.fields) <= 20_000
    assert kept.topic.salience == pytest.approx(6.0)
