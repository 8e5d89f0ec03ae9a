"""Old revisions leave the table for the bucket, and none is lost."""

from dataclasses import replace

import pytest

from membrane.domain.language.errors import Unavailable
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import Archive, Line, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import MAX_REMOVED, TopicChange
from membrane.usecases.topics.archive_history import archive_history
from tests.builders.requests import OWNER
from tests.builders.topic_editors import happened, history, standing
from tests.builders.topic_tellers import field, tell, told
from tests.fakes.clock import BackOff
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics

CALL = Call(OWNER, "Anything", None, b"")


def archived(services: TopicServices, topic_id: str, name: str) -> list[int]:
    """The values of a field that are in the bucket, the newest first."""
    lines = standing(services, topic_id).fields[name].lines
    kept = [
        revision
        for line in lines
        for archive in line.archives
        for revision in services.topics.load_archive(line, archive)
    ]
    return [each.value for each in sorted(kept, key=lambda each: each.place, reverse=True)]


def in_table(services: TopicServices, topic_id: str, name: str) -> list[int]:
    """The values of a field that the table has, the newest first."""
    lines = standing(services, topic_id).fields[name].lines
    kept = [each for line in lines for each in services.topics.history(line)]
    return [each.value for each in sorted(kept, key=lambda each: each.place, reverse=True)]


def written(services: TopicServices, times: int) -> str:
    """A topic with a field that was written so many times, with 0, 1, ..."""
    made = told(services, title="Ada")
    for number in range(times):
        fields = [field("count", number)]
        tell(services, placement="version_field", topic_id=made, fields=fields)
    return made


def capped(topics: FakeTopics, back_off: BackOff, most: int) -> TopicServices:
    """A world in which histories are short."""
    return topical(topics=topics, back_off=back_off, topic_policy=TopicPolicy(max_history=most))


def test_of_five_revisions_three_stay_and_two_are_archived(
    topics: FakeTopics, back_off: BackOff
) -> None:
    services = capped(topics, back_off, 3)

    made = written(services, 5)

    field_ = standing(services, made).fields["count"]
    assert in_table(services, made, "count") == [4, 3, 2]
    assert archived(services, made, "count") == [1, 0]
    assert field_.history_length == 5
    assert field_.current is not None
    assert field_.current.value == 4


def test_a_tenth_more_than_that_is_moved_together(topics: FakeTopics, back_off: BackOff) -> None:
    services = capped(topics, back_off, 20)

    made = written(services, 22)
    before = in_table(services, made, "count")
    tell(services, placement="version_field", topic_id=made, fields=[field("count", 22)])

    assert len(before) == 22
    assert in_table(services, made, "count") == list(range(22, 2, -1))
    assert archived(services, made, "count") == [2, 1, 0]
    [line] = standing(services, made).fields["count"].lines
    assert [each.count for each in line.archives] == [3]


def test_it_goes_on_until_all_that_is_too_much_has_left(services: TopicServices) -> None:
    made = written(services, 3 * MAX_REMOVED)

    moved = archive_history(made, 10, CALL, services)

    most = 3 * MAX_REMOVED
    assert moved == most - 10
    assert in_table(services, made, "count") == list(range(most - 1, most - 11, -1))
    assert archived(services, made, "count") == list(range(most - 11, -1, -1))
    [line] = standing(services, made).fields["count"].lines
    assert [each.count for each in line.archives] == [MAX_REMOVED, MAX_REMOVED, MAX_REMOVED - 10]
    assert happened(services, made)[-3:] == ["summarised"] * 3
    assert archive_history(made, 10, CALL, services) == 0


def test_what_stays_is_not_read_for_it(services: TopicServices, topics: FakeTopics) -> None:
    made = written(services, 3 * MAX_REMOVED)
    topics.read = 0

    archive_history(made, 10, CALL, services)

    assert topics.read == 3 * MAX_REMOVED - 10


def test_who_writes_moves_one_portion_alone(topics: FakeTopics, back_off: BackOff) -> None:
    services = capped(topics, back_off, 3)
    many = 4 * MAX_REMOVED
    made = told(services, *(field("count", number) for number in range(many)), title="Ada")
    first = len(in_table(services, made, "count"))
    topics.read = 0

    tell(services, placement="version_field", topic_id=made, fields=[field("count", many)])

    assert first == many - MAX_REMOVED
    assert topics.read == MAX_REMOVED
    assert len(archived(services, made, "count")) == 2 * MAX_REMOVED
    assert standing(services, made).fields["count"].history_length == many + 1


def test_who_writes_leaves_it_where_another_one_comes_first(
    topics: FakeTopics, back_off: BackOff
) -> None:
    racing = _Racing(topics)
    services = capped(racing, back_off, 3)
    made = written(services, 3)
    racing.is_racing = True

    tell(services, placement="version_field", topic_id=made, fields=[field("count", 3)])

    assert racing.times == 1
    assert not back_off.tries
    assert in_table(services, made, "count") == [3, 2, 1, 0]


def test_of_many_that_write_at_once_a_few_move_what_is_too_much(
    topics: FakeTopics, back_off: BackOff
) -> None:
    racing = _Racing(topics)
    services = capped(racing, back_off, 200)
    made = written(services, 220)
    racing.is_racing = True

    for number in range(45):
        fields = [field("count", number)]
        tell(services, placement="version_field", topic_id=made, fields=fields)

    assert racing.times == 3
    assert standing(services, made).fields["count"].history_length == 265


def test_the_current_value_always_stays(services: TopicServices) -> None:
    made = written(services, 3)

    archive_history(made, 0, CALL, services)

    assert in_table(services, made, "count") == [2]


def test_what_is_oldest_of_all_lines_leaves_first(services: TopicServices) -> None:
    made = told(
        services,
        field("count", 1, valid_from="2021-01-01T00:00:00Z"),
        field("count", 3, valid_from="2023-01-01T00:00:00Z"),
        field("count", 0, valid_from="2020-01-01T00:00:00Z"),
        field("count", 2, valid_from="2022-01-01T00:00:00Z"),
        title="Ada",
    )

    archive_history(made, 2, CALL, services)

    assert in_table(services, made, "count") == [3, 2]
    assert archived(services, made, "count") == [1, 0]


@pytest.mark.parametrize("status", [TopicStatus.MERGED, TopicStatus.DELETED])
def test_what_is_gone_is_left_alone(
    services: TopicServices, topics: FakeTopics, status: TopicStatus
) -> None:
    made = written(services, 3)
    topics.topics[made] = replace(topics.topics[made], status=status)

    assert archive_history(made, 1, CALL, services) == 0
    assert archive_history("no", 1, CALL, services) == 0
    assert len(history(services, made, "count")) == 3


def test_who_writes_is_answered_although_nothing_could_be_archived(
    topics: FakeTopics, back_off: BackOff
) -> None:
    services = capped(_Shut(topics), back_off, 3)

    made = written(services, 5)

    assert in_table(services, made, "count") == [4, 3, 2, 1, 0]


class _Racing(FakeTopics):
    """Where it races, somebody else comes before whoever moves revisions to the bucket."""

    def __init__(self, topics: FakeTopics) -> None:
        super().__init__(topics.records)
        self.is_racing = False
        self.times = 0

    def commit(self, change: TopicChange) -> None:
        """See DynamoTopics."""
        if self.is_racing and change.removed:
            self.times += 1
            raise LostRace
        super().commit(change)


class _Shut(FakeTopics):
    """The bucket does not answer."""

    def __init__(self, topics: FakeTopics) -> None:
        super().__init__(topics.records)

    def archive(self, line: Line, revisions: object) -> Archive:  # noqa: ARG002  # as the port has it
        """See DynamoTopics."""
        raise Unavailable("the bucket does not answer")
