"""The heads of titles: who holds one, and who takes it."""

from dataclasses import replace

from membrane.domain.access.principals import principal_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import MergeLink, Topic, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.loading import EVERYTHING
from membrane.usecases.topics.titles import title_heads, title_of
from tests.builders.topic_editors import ask, standing
from tests.builders.topic_tellers import tell, told
from tests.fakes.topics import FakeTopics

BELOW = EVERYTHING._replace(ceiling=Sensitivity.LOW)
CLERK = principal_of("clerk", ["ingest"], ["*"], "low")


def holder(services: TopicServices, title: str = "Ada") -> Topic | None:
    """Who holds the title."""
    found = title_of("", "", title, services)
    return None if found is None else found.holder(EVERYTHING)


def test_what_names_nothing_has_no_head(services: TopicServices) -> None:
    made = standing(services, told(services))

    assert title_of("", "", "Untitled ", services) is None
    assert title_heads(made, EVERYTHING, services) == ()


def test_the_first_topic_of_a_title_holds_it(services: TopicServices, topics: FakeTopics) -> None:
    made = told(services, title="Ada")
    told(services, title="Ada")

    head = topics.records.heads[title_key("", "", "ada")]
    assert [each.record_id for each in head.holders] == [made]
    assert head.version == 1


def test_a_topic_that_was_renamed_holds_its_old_title_no_more(services: TopicServices) -> None:
    made = told(services, title="Ada")

    ask(ChangeTopic(id=made, title="Grace"), services)

    assert holder(services, "Ada") is None
    assert holder(services, "Grace") == standing(services, made)


def test_a_title_of_a_merged_topic_leads_to_what_it_was_merged_into(
    services: TopicServices, topics: FakeTopics
) -> None:
    alias, keeper = told(services, title="Ada"), told(services, title="Ada Lovelace")
    merged = MergeLink(keeper, "2026-03-01T09:00:00Z", "alike", TopicStatus.ACTIVE)
    topics.topics[alias] = replace(topics.topics[alias], status=TopicStatus.MERGED, merged=merged)

    assert holder(services, "Ada") == standing(services, keeper)


def test_holders_that_may_not_be_seen_stay_and_those_that_are_gone_leave(
    services: TopicServices, topics: FakeTopics
) -> None:
    hidden = told(services, title="Ada", sensitivity="high")
    key = title_key("", "", "Ada")
    placed = tell(services, CLERK, placement="new_topic", title="Ada", sensitivity="low")
    low = str(placed["topic_id"])
    before = [each.record_id for each in topics.records.heads[key].holders]
    topics.topics[low] = replace(topics.topics[low], status=TopicStatus.DELETED)

    fresh = replace(standing(services, hidden), id="new", sensitivity=Sensitivity.LOW)
    [head] = title_heads(fresh, BELOW, services)

    assert before == [hidden, low]
    assert [each.record_id for each in head.holders] == [hidden, "new"]
    assert title_heads(fresh, EVERYTHING, services) == ()


def test_the_least_sensitive_of_those_that_are_enough_is_told_of(services: TopicServices) -> None:
    low = told(services, title="Ada", sensitivity="low")
    high = told(services, title="Ada", sensitivity="high")

    title = title_of("", "", "Ada", services)

    assert title is not None
    asked = (None, Sensitivity.LOW, Sensitivity.MEDIUM, Sensitivity.HYPER)
    found = [title.holder(EVERYTHING, each) for each in asked]
    assert [each and each.id for each in found] == [low, low, high, None]
    assert title.holder(BELOW, Sensitivity.HIGH) is None


def test_a_head_names_one_holder_a_sensitivity_however_often_it_is_laid_down(
    services: TopicServices, topics: FakeTopics
) -> None:
    for _ in range(8):
        made = tell(services, CLERK, title="Ada", sensitivity="low")["topic_id"]
        ask(ChangeTopic(id=made, sensitivity=Sensitivity.HIGH), services)

    head = topics.records.heads[title_key("", "", "ada")]
    assert len(topics.topics) == 8
    assert len(head.holders) == 2
