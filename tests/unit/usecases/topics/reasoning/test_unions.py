"""Whatever is merged, written and unmerged in whatever order, everybody keeps what is his."""

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.topics.policy import TopicPolicy
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics
from tests.worlds.depth import examples
from tests.worlds.merged_topics import Model

TOPICS = 4

numbers = st.integers(0, TOPICS - 1)
deeds = st.one_of(
    st.tuples(st.just("append"), numbers, st.sampled_from("fg")),
    st.tuples(st.just("merge"), numbers, numbers),
    st.tuples(st.just("unmerge"), numbers, st.none()),
    st.tuples(st.just("archive"), numbers, st.none()),
)


@settings(max_examples=examples(150))
@given(st.lists(deeds, min_size=10, max_size=25))
def test_histories_are_those_of_who_wrote_them_after_any_merges_and_unmerges(
    done: list[tuple[str, int, str | int | None]],
) -> None:
    clock = FakeClock()
    model = Model(topical(topics=FakeTopics(FakeRecords(clock)), topic_policy=TopicPolicy()))
    for _ in range(TOPICS):
        model.make()
    ids = list(model.into)

    for deed in done:
        clock.advance(seconds=1)
        match deed:
            case ("append", int(number), str(name)):
                model.append(ids[number], name)
            case ("merge", int(number), int(other)):
                model.merge(ids[number], ids[other])
            case ("unmerge", int(number), _):
                model.unmerge(ids[number])
            case (_, int(number), _):
                model.archive(ids[number])

        model.check()


@given(st.lists(deeds, min_size=10, max_size=25))
def test_while_time_stands_still_what_is_written_last_is_what_is_so(
    done: list[tuple[str, int, str | int | None]],
) -> None:
    model = Model(topical(topics=FakeTopics(FakeRecords(FakeClock()))))
    for _ in range(TOPICS):
        model.make()
    ids = list(model.into)

    for deed in done:
        match deed:
            case ("append", int(number), str(name)):
                model.append(ids[number], name)
                model.check_last(ids[number], name)
            case ("merge", int(number), int(other)):
                model.merge(ids[number], ids[other])
            case ("unmerge", int(number), _):
                model.unmerge(ids[number])
            case (_, int(number), _):
                model.archive(ids[number])
