"""Reasoning about a scope: what has changed in it, all of it, or what somebody asks to see."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, Unavailable
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.requests.editing import ChangeTopic, CreateTopic, Reason
from membrane.domain.topics.requests.reading import ReadActions
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import MAX_MARKED
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.reading.read_actions import read_actions
from membrane.usecases.topics.reasoning.passes import MOST_IDS, SOME, WHOLE, take_passes
from membrane.usecases.topics.reasoning.reason import reason_on_request
from membrane.usecases.topics.reasoning.reason_in_background import reason_about, reason_everywhere
from membrane.usecases.topics.scope_walk import IsOutOfTime
from tests.builders.requests import ALPHA, OWNER, call
from tests.builders.topic_editors import append, ask, made
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import ToldReason, fake_topics, of_another_embedder, topical
from tests.fakes.topics import FakeTopics
from tests.worlds.merged_topics import standing

ALL = "project:alpha"


def never(needed_s: float = 0.0) -> bool:
    """There is plenty of time."""
    return needed_s < 0


def after(looks: int) -> IsOutOfTime:
    """Time is up after so many looks."""
    numbers = count(1)

    def is_out_of_time(needed_s: float = 0.0) -> bool:
        return next(numbers) > looks or needed_s < 0

    return is_out_of_time


def is_at_work(services: TopicServices, scope: str = ALL) -> bool:
    """Whether anything of the scope is noted, or still to be looked at."""
    kept = [services.topics.find_document(name, scope) for name in (WHOLE, SOME)]
    is_under_way = any(each is not None and each.progress for each in kept)
    return is_under_way or services.topics.marks(scope) is not None


def handed_over(services: TopicServices) -> list[dict[str, Any]]:
    """The messages sent since this was asked last."""
    assert isinstance(services.send_to_reasoning, ToldReason)
    messages = [message for message, _ in services.send_to_reasoning.told]
    services.send_to_reasoning.told.clear()
    return messages


def took(message: dict[str, Any], services: TopicServices, is_out_of_time: Any = never) -> None:
    """What the function does with a message."""
    reason_about(message["scope"], services, is_out_of_time, message.get("pass"))


def too_many() -> list[str]:
    """More than are noted one by one."""
    return [f"other{number}" for number in range(MAX_MARKED + 1)]


def titled(services: TopicServices, title: str, scope: str = ALL, **given: Any) -> str:
    """The id of a new topic in a scope."""
    asked = CreateTopic(title=title, scope=scope, **given)
    return str(ask(asked, services)["topic_id"])


def indexed(services: TopicServices) -> None:
    """Let the search index know all topics."""
    for each in fake_topics(services).topics.values():
        index_topics([ChangedSource(each.id, (each.scope,))], services)


def reasoned(services: TopicServices, principal: Principal = OWNER, **asked: Any) -> dict[str, Any]:
    """What the caller is told."""
    request = Reason(**{"scope": ALL, **asked})
    return dict(reason_on_request(request, call(request, principal), services).body)


def logged(services: TopicServices, principal: Principal = OWNER, **asked: Any) -> dict[str, Any]:
    """What the log shows the caller."""
    request = ReadActions(**{"scope": ALL, **asked})
    return dict(read_actions(request, call(request, principal), services).body)


def living(services: TopicServices) -> set[str]:
    """Ids of the topics that are in no other."""
    return {each.id for each in fake_topics(services).topics.values() if each.merged is None}


@dataclass(slots=True)
class Damaged(FakeTopics):
    """A store in which some titles cannot be looked for."""

    errors: list[Exception] = field(default_factory=list)
    looked: int = 0
    """How often a title was looked for."""

    def ids_by_title(self, title_key: bytes, limit: int) -> Any:
        """See DynamoTopics."""
        self.looked += 1
        if self.errors:
            raise self.errors.pop()
        return FakeTopics.ids_by_title(self, title_key, limit)


def test_what_was_marked_is_merged_and_marked_no_more(services: TopicServices) -> None:
    one, other, apart = (titled(services, title) for title in ("Ada", "ada", "Bob"))
    services.topics.mark(ALL, [other])

    reason_about(ALL, services, never)

    assert living(services) == {one, apart}
    assert not is_at_work(services)
    assert services.topics.find_document("communities", ALL) is not None


def test_a_scope_of_which_nothing_is_noted_is_left_alone(services: TopicServices) -> None:
    one, other = titled(services, "Ada"), titled(services, "Ada")

    reason_about(ALL, services, never)

    assert living(services) == {one, other}
    assert services.topics.find_document("communities", ALL) is None


def test_alike_topics_are_found_by_the_search_index(services: TopicServices) -> None:
    one = titled(services, "The Acme company in Rome")
    other = titled(services, "Acme company in Rome")
    for each in (one, other):
        ask(ChangeTopic(id=each, summary="makes anvils and rockets"), services)
        append(services, each, "founded", 1900)
    indexed(services)
    services.topics.mark(ALL, [other])

    reason_about(ALL, services, never)

    assert len(living(services)) == 1
    ((_, action),) = services.topics.logged_actions(ALL, 10)
    assert action["similarity"] >= services.topic_policy.duplicate_similarity


def test_without_the_search_index_topics_of_one_title_are_merged_still(
    services: TopicServices,
) -> None:
    titled(services, "Ada")
    other = titled(services, "Ada")
    indexed(services)
    of_another_embedder(services)
    services.topics.mark(ALL, [other])

    reason_about(ALL, services, never)

    assert len(living(services)) == 1


def test_where_too_much_was_noted_all_of_the_scope_is_looked_at(services: TopicServices) -> None:
    ids = [titled(services, f"Ada {number % 3}") for number in range(9)]
    services.topics.mark(ALL, too_many())

    reason_about(ALL, services, never)

    assert len(living(services)) == 3
    assert len(ids) == 9
    assert services.topics.marks(ALL) is None


def test_without_time_it_goes_on_where_it_was_and_ends_in_the_same(
    services: TopicServices,
) -> None:
    for number in range(9):
        titled(services, f"Ada {number % 3}", salience=number + 1.0)
    services.topics.mark(ALL, too_many())

    messages, steps = [{"scope": ALL}], 0
    while messages:
        took(messages.pop(), services, after(2))
        messages = handed_over(services)
        steps += 1

    assert 3 <= steps <= 6
    assert len(living(services)) == 3
    assert not is_at_work(services)


def test_single_topics_are_gone_through_from_run_to_run_too(clock: FakeClock) -> None:
    store = Damaged(FakeRecords(clock))
    services = topical(topics=store)
    ids = [titled(services, f"Ada {number}") for number in range(7)]
    services.topics.mark(ALL, ids)

    messages, steps = [{"scope": ALL}], 0
    while messages:
        took(messages.pop(), services, after(2))
        messages = handed_over(services)
        steps += 1

    assert store.looked == 7
    assert 4 <= steps <= 5
    assert not is_at_work(services)


def test_what_is_noted_meanwhile_is_looked_at_alone(services: TopicServices) -> None:
    for number in range(9):
        titled(services, f"Bob {number}")
    services.topics.mark(ALL, too_many())
    reason_about(ALL, services, after(2))
    (message,) = handed_over(services)
    late = titled(services, "Ada")
    other = titled(services, "Ada")
    is_first = services.topics.mark(ALL, [other])

    reason_about(ALL, services, never)

    assert is_first
    assert len({late, other} & living(services)) == 1
    assert services.topics.marks(ALL) is None
    assert handed_over(services) == []
    took(message, services)
    assert not is_at_work(services)


def test_while_somebody_writes_a_whole_scope_is_gone_through_once_and_by_one(
    clock: FakeClock,
) -> None:
    store = Damaged(FakeRecords(clock))
    services = topical(topics=store)
    ids = [titled(services, f"Ada {number}") for number in range(60)]
    services.topics.mark(ALL, too_many())

    queue: list[dict[str, Any]] = [{"scope": ALL}]
    for _ in range(6):
        for _ in range(12):
            for message in queue:
                took(message, services, after(10))
            queue = handed_over(services)
            clock.advance(minutes=5)
            if services.topics.mark(ALL, ids[:1]):
                queue.append({"scope": ALL})
        reason_everywhere(services, after(10))
        queue += handed_over(services)

    assert len(queue) <= 1
    assert 60 <= store.looked < 60 + 2 * 6 * 12
    assert services.topics.find_document(WHOLE, ALL).progress == {}  # type: ignore[union-attr] # it is kept


def test_a_pass_that_nobody_goes_on_with_is_taken_up_again_and_its_message_is_worth_nothing(
    services: TopicServices, clock: FakeClock
) -> None:
    for number in range(9):
        titled(services, f"Ada {number % 3}")
    services.topics.mark(ALL, too_many())
    reason_about(ALL, services, after(2))
    (lost,) = handed_over(services)

    reason_everywhere(services, after(4))
    assert handed_over(services) == []
    clock.advance(minutes=15)
    reason_everywhere(services, after(4))
    (message,) = handed_over(services)

    took(lost, services)
    assert is_at_work(services)
    took(message, services)
    assert not is_at_work(services)
    assert len(living(services)) == 3


def test_of_two_that_go_on_with_a_pass_one_goes_on(services: TopicServices) -> None:
    for number in range(9):
        titled(services, f"Ada {number}")
    services.topics.mark(ALL, too_many())
    reason_about(ALL, services, after(2))
    (message,) = handed_over(services)
    first = True

    def meanwhile(needed_s: float = 0.0) -> bool:
        """The same message comes twice."""
        nonlocal first
        if first:
            first = False
            took(message, services, after(2))
            return False
        return needed_s >= 0

    took(message, services, meanwhile)

    assert handed_over(services) == [message]


def test_where_another_whole_pass_is_called_for_it_comes_after_the_first(
    services: TopicServices,
) -> None:
    for number in range(9):
        titled(services, f"Ada {number}")
    services.topics.mark(ALL, too_many())
    reason_about(ALL, services, after(2))
    (message,) = handed_over(services)
    services.topics.mark(ALL, too_many())

    reason_about(ALL, services, never)
    assert handed_over(services) == []
    took(message, services)

    assert handed_over(services) == [{"scope": ALL}]
    reason_about(ALL, services, never)
    assert not is_at_work(services)


def test_single_topics_that_grow_too_many_call_for_the_whole_scope(
    services: TopicServices,
) -> None:
    for start in range(0, MOST_IDS, MAX_MARKED):
        services.topics.mark(ALL, [f"t{number}" for number in range(start, start + MAX_MARKED)])
        take_passes(ALL, services)

    services.topics.mark(ALL, ["one-more"])
    (progress,) = take_passes(ALL, services)

    assert progress.topic_ids is None
    assert services.topics.marks(ALL) is None


def test_a_topic_that_fails_by_itself_is_reported_and_the_others_are_looked_at(
    clock: FakeClock,
) -> None:
    store, reports = Damaged(FakeRecords(clock)), Reports()
    services = topical(topics=store, report=reports)
    ids = [titled(services, "Ada"), titled(services, "Bob"), titled(services, "bob")]
    services.topics.mark(ALL, ids)
    fault = ValueError("damaged")
    store.errors.append(fault)

    reason_about(ALL, services, never)

    assert reports.faults == [fault]
    assert len(living(services)) == 2


def test_what_a_store_that_does_not_answer_leaves_is_done_by_whoever_comes_next(
    clock: FakeClock,
) -> None:
    store = Damaged(FakeRecords(clock))
    services = topical(topics=store)
    services.topics.mark(ALL, [titled(services, "Ada"), titled(services, "Ada")])
    store.errors.append(Unavailable("no answer"))

    with pytest.raises(Unavailable):
        reason_about(ALL, services, never)
    assert is_at_work(services)
    reason_about(ALL, services, never)

    assert len(living(services)) == 1
    assert not is_at_work(services)


def test_the_schedule_looks_at_every_scope_and_takes_the_steps_that_are_due(
    services: TopicServices, clock: FakeClock
) -> None:
    old = titled(services, "Old", "b")
    clock.advance(days=365)
    for scope in ("a", "", "c"):
        services.topics.mark(scope, [made_in(services, scope), made_in(services, scope)])

    told = reason_everywhere(services, never)

    assert (told.forgotten.steps, told.is_left) == (3, False)
    assert standing(services, old).status is TopicStatus.ARCHIVED
    assert len(living(services)) == 4


def test_a_scheduled_run_goes_on_behind_the_scopes_that_were_looked_at(
    services: TopicServices,
) -> None:
    for scope in "abc":
        services.topics.mark(scope, [made_in(services, scope), made_in(services, scope)])

    runs = 0
    while reason_everywhere(services, after(5)).is_left:
        runs += 1

    assert runs >= 1
    assert isinstance(services.send_to_reasoning, ToldReason)
    for message in handed_over(services):
        took(message, services)
    assert len(living(services)) == 3
    kept = services.topics.find_document("reason", "")
    assert kept is not None
    assert kept.progress == {"after": None}


def test_by_default_it_is_only_told_what_would_be_done(
    services: TopicServices, clock: FakeClock
) -> None:
    old = titled(services, "Old")
    clock.advance(days=365)
    one, other = titled(services, "Ada"), titled(services, "Ada")
    before = dict(fake_topics(services).topics)

    told = reasoned(services)

    assert fake_topics(services).topics == before
    assert (told["dry_run"], told["planned"], told["complete"]) == (True, 4, True)
    assert {each["action"] for each in told["actions"]} == {
        f"merged:{other}->:{one}:Ada",
        f"summarised:{old}",
        f"detached:{old}",
        f"archived:{old}",
    }
    assert services.topics.logged_actions(ALL, 10) == []


def test_what_was_planned_is_what_is_done_and_logged(
    services: TopicServices, clock: FakeClock
) -> None:
    titled(services, "Old")
    clock.advance(days=365)
    for _ in range(3):
        titled(services, "Ada")
    planned = reasoned(services)

    done = reasoned(services, dry_run=False)

    assert done["actions"] == planned["actions"]
    assert reasoned(services)["actions"] == []
    log = logged(services)["actions"]
    assert {each["action"] for each in log} == {each["action"] for each in done["actions"]}
    assert {each["principal"] for each in log} == {"owner"}


def test_a_plan_leaves_out_what_the_caller_may_not_see(
    services: TopicServices, clock: FakeClock
) -> None:
    for _ in range(2):
        titled(services, "Secret", sensitivity="hyper")
    clock.advance(days=365)

    assert reasoned(services, ALPHA)["actions"] == []
    assert reasoned(services, ALPHA, dry_run=False)["actions"] == []

    assert len(living(services)) == 2
    assert reasoned(services)["planned"] == 4


def test_only_who_may_write_into_a_scope_has_it_reasoned_about(services: TopicServices) -> None:
    with pytest.raises(PermissionDenied):
        reasoned(services, ALPHA, scope="project:beta")


def test_a_caller_is_answered_before_time_is_up_and_told_that_there_is_more(
    clock: FakeClock,
) -> None:
    seconds = (5.0 * number for number in count())
    services = topical(topics=FakeTopics(FakeRecords(clock)), elapsed_s=lambda: next(seconds))
    for number in range(6):
        titled(services, f"Ada {number}")

    assert reasoned(services)["complete"] is False


def slow(clock: FakeClock, step_s: float = 2.0) -> TopicServices:
    """A world in which a call comes to seven topics and no more."""
    seconds = (step_s * number for number in count())
    return topical(topics=FakeTopics(FakeRecords(clock)), elapsed_s=lambda: next(seconds))


def pages(services: TopicServices, **asked: Any) -> list[list[dict[str, Any]]]:
    """What call after call tells, to the end."""
    told = [reasoned(services, **asked)]
    while not told[-1]["complete"]:
        told.append(reasoned(services, cursor=told[-1]["next_cursor"], **asked))
    assert "next_cursor" not in told[-1]
    return [each["actions"] for each in told]


def test_a_plan_of_several_calls_tells_everything_once_what_is_due_first(clock: FakeClock) -> None:
    services = slow(clock)
    elsewhere = titled(services, "Old", "project:beta")
    old = [titled(services, f"Old {number}", salience=1 + number / 8) for number in range(9)]
    twins = [titled(services, "Old twins") for _ in range(3)]
    clock.advance(days=365)
    for number in range(20):
        titled(services, f"Ada {number}")
    late = [titled(services, "Bob", salience=1 + number) for number in range(9)]

    told = pages(services)

    words = [each["action"] for page in told for each in page]
    assert len(told) > 4
    assert len(words) == len(set(words)) == 3 * len([*old, "twin"]) + 2 + 8
    assert elsewhere not in "".join(words)
    assert {each["topics"][0] for each in told[0]} <= {*old, *twins}
    merged = [each["topics"][0] for page in told for each in page if "merged" in each["action"]]
    assert len({*merged} & {*late}) == 8
    assert len({*merged} & {*twins}) == 2


def test_what_several_calls_planned_is_what_several_calls_do(clock: FakeClock) -> None:
    services = slow(clock)
    for number in range(9):
        titled(services, f"Old {number}")
    clock.advance(days=365)
    for number in range(20):
        titled(services, f"Ada {number % 3}", salience=1 + number)
    planned = pages(services)

    done = pages(services, dry_run=False)

    def words(told: list[list[dict[str, Any]]]) -> set[str]:
        return {each["action"] for page in told for each in page}

    assert words(done) == words(planned)
    assert pages(services) == [[]] * len(pages(services))


def test_a_cursor_is_good_for_the_same_plan_alone(clock: FakeClock) -> None:
    services = slow(clock)
    for number in range(9):
        titled(services, f"Ada {number}")
    cursor = reasoned(services)["next_cursor"]

    with pytest.raises(InvalidArgument, match="another request"):
        reasoned(services, cursor=cursor, dry_run=False)
    with pytest.raises(InvalidArgument):
        reasoned(services, cursor="nonsense")


def test_where_calls_end_at_once_each_still_comes_to_a_topic(clock: FakeClock) -> None:
    services = slow(clock, step_s=60)
    titled(services, "Old")
    clock.advance(days=365)
    titled(services, "Ada")

    told = pages(services)

    assert [len(page) for page in told] == [3, 0, 0]


def test_the_log_is_read_page_by_page_the_newest_first(
    services: TopicServices, clock: FakeClock
) -> None:
    for number in range(5):
        clock.advance(seconds=1)
        titled(services, f"Ada {number}")
        other = titled(services, f"Ada {number}")
        services.topics.mark(ALL, [other])
        reason_about(ALL, services, never)

    pages, cursor = [], None
    while True:
        page = logged(services, limit=2, cursor=cursor)
        pages.append([each["title"] for each in page["actions"]])
        cursor = page.get("next_cursor")
        if cursor is None:
            break

    assert pages == [["Ada 4", "Ada 3"], ["Ada 2", "Ada 1"], ["Ada 0"]]


def test_the_log_tells_nothing_of_what_may_not_be_seen_by_now(services: TopicServices) -> None:
    one = titled(services, "Ada")
    services.topics.mark(ALL, [titled(services, "Ada")])
    reason_about(ALL, services, never)
    assert len(logged(services, ALPHA)["actions"]) == 1

    ask(ChangeTopic(id=one, sensitivity=Sensitivity.HYPER), services)

    assert logged(services, ALPHA)["actions"] == []
    assert logged(services, ALPHA, scope="project:beta")["actions"] == []
    assert len(logged(services)["actions"]) == 1


def made_in(services: TopicServices, scope: str) -> str:
    """One of several of the same title."""
    if scope:
        return titled(services, "Ada", scope)
    return made(services)
