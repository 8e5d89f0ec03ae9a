"""Two topics that are one become one, and two again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.access import Access, Read, Signal
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.reasoning.merging import MAX_ABSORBED, MAX_CHAIN
from membrane.domain.topics.requests.editing import (
    AppendField,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    DeleteTopic,
    NestFields,
    PromoteFields,
    SetFieldRef,
    UnmergeTopic,
)
from membrane.domain.topics.salience import raise_signal
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.reasoning.follow_up import follow_up
from membrane.usecases.topics.reasoning.merging import merge_topics, unmerge_topic
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import ALPHA, OWNER, call
from tests.builders.topic_editors import append, ask, happened, made, refused
from tests.fakes.clock import FakeClock
from tests.fakes.topic_world import fake_topics
from tests.worlds.merged_topics import merge, standing, unmerge, values


def titled(services: TopicServices, title: str = "Ada", **given: Any) -> str:
    """The id of a new topic."""
    return str(ask(CreateTopic(title=title, **given), services)["topic_id"])


def are_merged(services: TopicServices, one: str, other: str) -> bool:
    """Whether the service merges the two by itself."""
    return merge_topics(one, other, SERVICE, services)


def test_clashing_fields_keep_both_histories_and_what_is_newer_is_so(
    services: TopicServices, clock: FakeClock
) -> None:
    one = made(services, city="Rome", age=1)
    clock.advance(seconds=1)
    other = made(services, city="Oslo", job="nurse")
    append(services, one, "age", 2)

    assert are_merged(services, one, other)

    keeper, alias = standing(services, one), standing(services, other)
    assert values(services, one, "city") == ["Oslo", "Rome"]
    assert values(services, one, "age") == [2, 1]
    assert values(services, one, "job") == ["nurse"]
    assert keeper.absorbed == (other,)
    assert (alias.status, alias.merged and alias.merged.into) == (TopicStatus.MERGED, one)
    assert happened(services, one)[-1] == EventKind.MERGED
    assert happened(services, other)[-1] == EventKind.MERGED_INTO


def test_a_merge_is_one_change_of_two_heads_whatever_they_hold(services: TopicServices) -> None:
    one, other = made(services, city="Rome"), made(services)
    for number in range(200):
        append(services, other, "log", number)
    before = len(fake_topics(services).changes)

    are_merged(services, one, other)

    (change,) = fake_topics(services).changes[before:]
    assert len(change.topics) == 2
    assert (change.revisions, change.removed, change.edges) == ((), (), ())


def test_the_richer_stays_then_the_older(services: TopicServices, clock: FakeClock) -> None:
    older = made(services, city="Rome")
    clock.advance(seconds=1)
    richer = made(services, city="Rome", age=1)
    clock.advance(seconds=1)
    youngest = made(services, city="Rome")

    are_merged(services, older, richer)
    are_merged(services, youngest, older)

    assert standing(services, richer).absorbed == (older, youngest)


def test_what_is_archived_goes_into_what_is_active(services: TopicServices) -> None:
    archived, active = made(services, city="Rome", age=1), made(services)
    ask(ChangeTopic(id=archived, archived=True), services)

    assert are_merged(services, archived, active)

    assert standing(services, active).absorbed == (archived,)
    assert unmerge(services, archived)["topic_id"] == archived
    assert standing(services, archived).status is TopicStatus.ARCHIVED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "Ada"}, {"title": "Bob"}),
        ({"title": "untitled"}, {"title": "untitled"}),
        ({"title": "  "}, {"title": "  "}),
        ({"topic_kind": "person"}, {"topic_kind": "ship"}),
        ({"scope": "a"}, {"scope": "b"}),
        ({"sensitivity": "low"}, {"sensitivity": "high"}),
    ],
)
def test_what_is_not_one_is_not_merged(
    services: TopicServices, one: dict[str, Any], other: dict[str, Any]
) -> None:
    first = titled(services, **one) if "title" in one else titled(services, "Ada", **one)
    second = titled(services, **other) if "title" in other else titled(services, "Ada", **other)

    assert not are_merged(services, first, second)

    assert standing(services, first).merged is None
    assert standing(services, second).merged is None


def test_titles_are_compared_as_they_are_read(services: TopicServices) -> None:
    one, other = titled(services, "Ada  LOVELACE"), titled(services, "ada lovelace")

    assert are_merged(services, one, other)


def test_two_archived_ones_are_left_alone(services: TopicServices) -> None:
    one, other = made(services), made(services)
    for each in (one, other):
        ask(ChangeTopic(id=each, archived=True), services)

    assert not are_merged(services, one, other)


def test_what_was_found_is_looked_at_again_in_the_write(services: TopicServices) -> None:
    one, other, third = made(services, city="Rome"), made(services), made(services)
    ask(ChangeTopic(id=other, title="Bob"), services)
    ask(DeleteTopic(id=third), services)

    assert not are_merged(services, one, other)
    assert not are_merged(services, one, third)
    assert not are_merged(services, one, "gone")
    assert not are_merged(services, one, one)


def test_of_a_group_all_end_in_one_although_pairs_are_out_of_date(services: TopicServices) -> None:
    one, other, third = made(services, a=1, b=1), made(services, a=1), made(services)

    merges = [are_merged(services, *pair) for pair in ((other, third), (one, other), (one, third))]

    assert merges == [True, True, False]
    assert set(standing(services, one).absorbed) == {other, third}


def test_alike_topics_are_merged_where_their_fields_agree(services: TopicServices) -> None:
    one = made(services, "The Acme company in Rome", city="Rome", founded=1900)
    same = made(services, "Acme company in Rome", city="rome", founded=1900)
    differs = made(services, "Acme company of Rome", city="Oslo", founded=1901)
    other_number = made(services, "Acme company in Rome 2", city="Rome", founded=1900)

    assert are_merged(services, one, same)
    assert not are_merged(services, one, differs)
    assert not are_merged(services, one, other_number)


def test_the_keeper_has_the_higher_salience_and_gets_it_back(
    services: TopicServices, clock: FakeClock
) -> None:
    keeper, other = titled(services, salience=1.0), titled(services, salience=4.0)
    clock.advance(days=30)
    before = standing(services, keeper).base

    merge(services, keeper, other)

    raised = standing(services, keeper).base
    assert raised.salience == pytest.approx(2.0)
    assert raised.born_s == before.born_s
    unmerge(services, other)
    assert standing(services, keeper).base == before


def test_summary_reference_and_group_come_along_and_go_again(services: TopicServices) -> None:
    target, keeper, other = made(services, "target"), made(services), made(services, a=1, b=2)
    ask(ChangeTopic(id=other, summary="of the other"), services)
    ask(SetFieldRef(id=other, name="a", ref_topic_id=target), services)
    ask(NestFields(id=other, nest_key="g", field_names=("b",)), services)
    before = standing(services, keeper)

    merge(services, keeper, other)

    merged = standing(services, keeper)
    assert merged.summary == "of the other"
    assert merged.fields["a"].ref_topic_id == target
    assert merged.groups.keys() == {"g"}
    unmerge(services, other)
    after = standing(services, keeper)
    assert (after.summary, after.fields, after.groups) == ("", before.fields, before.groups)
    assert standing(services, other).fields["a"].ref_topic_id == target


def test_a_reference_that_was_another_before_is_that_again(services: TopicServices) -> None:
    first, second = made(services, "first"), made(services, "second")
    keeper, other = made(services, a=1), made(services)
    ask(SetFieldRef(id=keeper, name="a", ref_topic_id=first), services)
    given = {"id": other, "field_name": "a", "value": 2, "ref_topic_id": second}
    ask(AppendField.model_validate(given), services)
    append(services, other, "a", 3)

    merge(services, keeper, other)

    assert standing(services, keeper).fields["a"].ref_topic_id == second
    unmerge(services, other)
    assert standing(services, keeper).fields["a"].ref_topic_id == first


def test_a_deleted_field_lives_with_the_others_and_is_deleted_again(
    services: TopicServices,
) -> None:
    keeper, other = made(services, a=1), made(services, a=2)
    ask(DeleteField(id=keeper, name="a"), services)

    merge(services, keeper, other)

    assert "a" in standing(services, keeper).living_fields
    unmerge(services, other)
    assert "a" not in standing(services, keeper).living_fields
    assert values(services, other, "a") == [2]


def test_how_the_other_was_read_counts_for_the_keeper_once(services: TopicServices) -> None:
    keeper, other = made(services, a=1, b=2), made(services)
    now_s = standing(services, other).base.born_s
    read = Access(Signal(0.5, now_s), {"a": Signal(0.2, now_s)}, (Read(now_s, "reader"),), ("m-1",))
    services.topics.keep_access(other, Access(), read)

    are_merged(services, keeper, other)
    follow_up(standing(services, other), SERVICE, services)

    access = services.topics.accesses([keeper])[keeper]
    assert access.topic == Signal(0.5, now_s)
    assert access.fields == {"a": Signal(0.2, now_s)}
    assert access.trail == (Read(now_s, "reader"),)


def read(services: TopicServices, topic_id: str, salience: float) -> None:
    """Let it be read so much, now; and one of its fields half as much."""
    now_s = epoch_seconds(services.now())
    before = services.topics.accesses([topic_id]).get(topic_id, Access())
    fields = {"a": Signal(salience / 2, now_s)}
    after = replace(before, topic=Signal(salience, now_s), fields=fields)
    services.topics.keep_access(topic_id, before, after)


def signals(services: TopicServices, *topic_ids: str) -> list[tuple[Any, Any]]:
    """How salient reading has made each of them, and its field, as of now."""
    found = []
    for topic_id in topic_ids:
        access = services.topics.accesses([topic_id]).get(topic_id, Access())
        each = (access.topic, access.fields.get("a", Signal()))
        now_s, topic = epoch_seconds(services.now()), standing(services, topic_id)
        one, other = (raise_signal(signal, 0.0, 99.0, topic, now_s).salience for signal in each)
        found.append((pytest.approx(one), pytest.approx(other)))
    return found


def test_what_leaves_takes_its_reads_with_it(services: TopicServices, clock: FakeClock) -> None:
    keeper, other, alone = (made(services, a=1) for _ in range(3))
    for each in (keeper, alone):
        read(services, each, 0.4)
    read(services, other, 0.6)
    merge(services, keeper, other)
    follow_up(standing(services, other), SERVICE, services)
    assert signals(services, keeper) == [(1.0, 0.5)]
    clock.advance(days=30)

    unmerge(services, other)
    follow_up(standing(services, other), SERVICE, services)

    assert signals(services, keeper, other) == [(0.2, 0.1), (0.3, 0.15)]
    assert signals(services, keeper) == signals(services, alone)


def test_what_the_most_has_cut_off_is_not_taken_from_the_keeper(services: TopicServices) -> None:
    keeper, other = (made(services, a=1) for _ in range(2))
    for each in (keeper, other):
        read(services, each, 8.0)
    merge(services, keeper, other)
    follow_up(standing(services, other), SERVICE, services)

    unmerge(services, other)

    assert signals(services, keeper, other) == [(8.0, 4.0), (8.0, 4.0)]


@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_reads_leave_a_chain_with_their_own_topic_in_any_order(
    services: TopicServices, order: tuple[int, int]
) -> None:
    last, middle, first = (made(services, a=1) for _ in range(3))
    for each, salience in ((last, 0.1), (middle, 0.2), (first, 0.4)):
        read(services, each, salience)
    merge(services, middle, first)
    follow_up(standing(services, first), SERVICE, services)
    merge(services, last, middle)
    follow_up(standing(services, middle), SERVICE, services)
    assert signals(services, last) == [(0.7, 0.35)]

    for number in order:
        unmerge(services, (first, middle)[number])

    assert signals(services, last, middle, first) == [(0.1, 0.05), (0.2, 0.1), (0.4, 0.2)]


def test_merging_is_logged_with_its_reason_and_its_scores(services: TopicServices) -> None:
    keeper, other = made(services, a=1, b=2), made(services, a=1)

    are_merged(services, keeper, other)
    follow_up(standing(services, other), SERVICE, services)

    ((_, action),) = services.topics.logged_actions("", 10)
    assert action["action"] == f"merged:{other}->:{keeper}:Ada"
    assert action["why"] == "same scope, kind and title"
    assert action["topics"] == [other, keeper]
    assert (action["agreement"], action["principal"]) == (1.0, "reason")
    assert other not in dict(services.topics.due(1e12, 10))


def test_one_topic_takes_in_50_and_the_log_says_why_no_more(services: TopicServices) -> None:
    keeper = made(services, a=1)
    for _ in range(MAX_ABSORBED):
        assert are_merged(services, keeper, made(services))
    last = made(services)

    assert [are_merged(services, keeper, last) for _ in range(2)] == [False, False]

    refusals = [
        each
        for _, each in services.topics.logged_actions("", 100)
        if "not_merged" in each["action"]
    ]
    assert [each["topics"] for each in refusals] == [[last, keeper]]
    assert refusals[0]["why"] == "one topic takes in 50 others at most"


def test_no_chain_of_aliases_grows_longer_than_readers_follow(services: TopicServices) -> None:
    ids = [made(services)]
    for _ in range(MAX_CHAIN):
        ids.append(made(services))
        merge(services, ids[-1], ids[-2])
    last = made(services, richer=1)

    assert not are_merged(services, ids[-1], last)

    assert append(services, ids[0], "told", 1)
    assert values(services, ids[-1], "told") == [1]


def test_what_was_unmerged_is_not_merged_again_nor_by_way_of_a_third(
    services: TopicServices,
) -> None:
    one, other, third = made(services, a=1, b=1), made(services), made(services, a=1)
    are_merged(services, one, other)

    unmerge(services, other)

    assert not are_merged(services, one, other)
    assert are_merged(services, one, third)
    assert not are_merged(services, other, third)


def test_unmerging_answers_who_was_in_whom_and_repeats_it_under_one_key(
    services: TopicServices,
) -> None:
    keeper, other = made(services, a=1), made(services, a=2)
    merge(services, keeper, other)
    request = UnmergeTopic(id=other, why="two people", idempotency_key="k")

    first, second = (
        unmerge_topic(request, call(request, OWNER, key="k"), services) for _ in range(2)
    )

    assert (first.body["topic_id"], first.body["unmerged_from"]) == (other, keeper)
    assert (second.body, second.replayed) == (first.body, True)
    assert happened(services, other).count(EventKind.UNMERGED) == 1
    trail = services.topics.events(standing(services, keeper))
    assert (trail[-1].kind, trail[-1].why) == (EventKind.UNMERGED, "two people")
    newest, *_ = services.topics.logged_actions("", 10)
    assert newest[1]["action"] == f"unmerged:{other}"


def test_only_what_is_merged_can_be_unmerged(services: TopicServices) -> None:
    topic = made(services)

    with refused(services, FailedPrecondition, "the topic is not merged into another one"):
        unmerge(services, topic)
    with refused(services, NotFound, "topic not found"):
        unmerge(services, "gone")


def test_a_history_that_was_moved_on_holds_the_topic_in(services: TopicServices) -> None:
    keeper, other = made(services, a=1), made(services, b=2)
    merge(services, keeper, other)
    promotion = PromoteFields(id=keeper, field_names=("b",), child_title="child")
    ask(promotion, services)

    words = "a field of the merged topic was moved to another topic since: undo that first"
    with refused(services, FailedPrecondition, words):
        unmerge(services, other)


def test_it_comes_out_as_sensitive_as_what_it_was_in(services: TopicServices) -> None:
    keeper, other = made(services, a=1), made(services, a=2)
    merge(services, keeper, other)
    ask(ChangeTopic(id=keeper, sensitivity=Sensitivity.HIGH), services)

    unmerge(services, other)

    assert standing(services, other).sensitivity is Sensitivity.HIGH


def test_who_may_not_see_or_write_it_does_not_unmerge_it(services: TopicServices) -> None:
    keeper, other = (titled(services, scope="project:alpha") for _ in range(2))
    merge(services, keeper, other)
    beta = principal_of("beta", Permission, ["project:beta"], "hyper")
    request = UnmergeTopic(id=other)

    with pytest.raises(NotFound):
        unmerge_topic(request, call(request, beta), services)
    ask(ChangeTopic(id=keeper, sensitivity=Sensitivity.HYPER), services)
    with pytest.raises(NotFound):
        unmerge_topic(request, call(request, ALPHA), services)


def test_unscoped_topics_are_merged_by_nobody_who_may_not_write_them(
    services: TopicServices,
) -> None:
    keeper, other = made(services, a=1), made(services)

    with pytest.raises(PermissionDenied):
        merge_topics(keeper, other, SERVICE._replace(principal=ALPHA), services)

    assert standing(services, other).merged is None


def test_several_who_merge_the_same_at_once_end_in_one_topic_that_has_all(
    services: TopicServices,
) -> None:
    ids = [made(services, **{f"f{number}": "x"}) for number in range(6)]
    pairs = [(one, other) for one in ids for other in ids if one < other]

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda pair: are_merged(services, *pair), pairs))

    living = [each for each in ids if standing(services, each).merged is None]
    assert done.count(True) == len(ids) - 1
    assert len(living) == 1
    assert set(standing(services, living[0]).absorbed) == set(ids) - set(living)
    assert len(standing(services, living[0]).fields) == len(ids)
