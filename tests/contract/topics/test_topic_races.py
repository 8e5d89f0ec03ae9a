"""Many writers of topics at once, each a real thread over a real connection."""

from collections.abc import Callable
from itertools import count

import pytest

from membrane.domain.topics.appending import FieldWrite, append_writes
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.writing import Decision, write
from membrane.wiring import services as wiring
from tests.builders.stored_topics import LINE, created, edges, read, topic
from tests.builders.topic_editors import first_broken
from tests.contract.records.test_uploads import AGENT
from tests.contract.topics.test_topic_long_changes import TOKEN, long_change, marked
from tests.fakes.topic_world import topical
from tests.worlds.depth import crowd
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

WRITERS = crowd()


@pytest.fixture
def world(table: Store) -> TopicServices:
    """The services as they are deployed: random ids, and the real pause between tries."""
    return topical(
        topics=table.topics,
        records=table.records,
        now=table.clock,
        new_id=wiring.new_id,
        back_off=wiring.back_off,
    )


def appending(world: TopicServices, value: str) -> Callable[[ChangeContext], Decision]:
    """Adds a revision to the only field of the topic."""

    def decide(context: ChangeContext) -> Decision:
        before = world.topics.load("topic-1")
        assert before is not None
        added = append_writes(before, [FieldWrite(name="colour", value=value)], context)
        draft = EventDraft(EventKind.FIELDS, {"fields": ["colour"]})
        after = next_version(before, draft, context=context, fields=added.fields)
        change = TopicChange(
            topics=[(before, after)], revisions=added.revisions, token=context.token
        )
        return Decision(change, {"value": value})

    return decide


def test_many_writers_of_one_field_all_succeed_and_each_leaves_one_revision(
    table: Store, world: TopicServices
) -> None:
    created(table, topic())
    numbers = count()

    def act() -> object:
        number = next(numbers)
        asked = Call(AGENT, "AppendField", f"key-{number}", bytes([number]) * 32)
        return write(appending(world, f"{number}"), asked, world).answer.replayed

    results = at_once([act] * WRITERS)

    assert results == [False] * WRITERS
    found = read(table)
    (line,) = found.fields["colour"].lines
    told = table.topics.history(line)
    assert sorted(int(each.value) for each in told) == list(range(WRITERS))
    assert line.count == WRITERS
    assert found.fields["colour"].current == told[0]
    assert len(table.topics.events(found)) == 1 + WRITERS
    assert first_broken("topic-1", table.topics.events(found)) is None


def test_two_may_settle_at_once_while_others_read(table: Store) -> None:
    table.topics.commit(long_change(count=300, edges=edges(100)))

    def settle() -> int:
        table.topics.settle(TOKEN)
        return 300

    def look() -> int:
        assert len(table.topics.edges(["topic-1"], 400)) == 100
        return len(table.topics.history(LINE))

    assert at_once([settle, look, look, settle, look]) == [300] * 5
    table.topics.settle(TOKEN)
    assert marked(table) == []
    assert look() == 300


def test_of_two_long_changes_at_once_one_wins_and_the_other_leaves_nothing(
    table: Store,
) -> None:
    created(table, topic())
    before = read(table)
    changes = [
        long_change(before, count=120, edges=edges(50), token=f"token-{number}")
        for number in range(4)
    ]

    def act(change: TopicChange) -> bool:
        try:
            table.topics.commit(change)
        except LostRace:
            return False
        return True

    won = at_once([lambda change=change: act(change) for change in changes])  # type: ignore[misc]  # its own

    assert sum(won) <= 1
    there = 120 if any(won) else 0
    for number in range(4):
        table.topics.settle(f"token-{number}")
    assert len(table.topics.history(LINE)) == there
    assert len(table.topics.edges(["topic-1"], 400)) == (50 if there else 0)
    assert marked(table) == []
