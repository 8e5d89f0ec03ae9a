"""Feeding topics: whatever becomes of a record, topics tell what the record says now."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import DomainError
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.domain.topics.requests.editing import (
    ChangeTopic,
    DeleteField,
    PromoteFields,
    UnmergeTopic,
)
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.topics.archive_history import archive_history
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.reasoning.merging import merge_topics, unmerge_topic
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import OWNER, call, change, supersede
from tests.builders.topic_editors import append, ask, happened, standing
from tests.unit.usecases.topics.placing.test_feed_topics import World

Change = Callable[[World, str], object]

WITHDRAWN: dict[str, Change] = {
    "retracted": lambda world, each: change(Retract(id=each), world.services),
    "superseded": lambda world, each: change(supersede(each), world.services),
    "deleted": lambda world, each: change(DeleteRecord(id=each), world.services),
    "erased": lambda world, each: change(DeleteRecord(id=each, erase=True), world.services),
}
"""What takes a record's statement out of topics."""


def reclassified(**asked: Any) -> Change:
    """The record is filed otherwise."""
    return lambda world, each: change(Reclassify(id=each, **asked), world.services)


MOVED: dict[str, Change] = {
    "raised": reclassified(sensitivity=Sensitivity.HYPER),
    "lowered": reclassified(sensitivity=Sensitivity.PUBLIC),
    "to another scope": reclassified(scope="other"),
}
"""What moves a record's statement to another topic."""

BACK: dict[str, tuple[Change, Change]] = {
    "taken up again": (
        WITHDRAWN["retracted"],
        reclassified(retracted=False),
    ),
    "restored": (
        WITHDRAWN["deleted"],
        lambda world, each: change(RestoreRecord(id=each), world.services),
    ),
}
"""What takes a statement out, and what brings it back."""


def told(world: World) -> dict[tuple[str, Sensitivity, str], list[Any]]:
    """By scope, sensitivity and field the values that living topics tell, sorted."""
    found: dict[tuple[str, Sensitivity, str], list[Any]] = {}
    for topic in living(world):
        for name, field in topic.living_fields.items():
            history = history_of(field, world.topics, archived=True)
            assert field.current == (history[0] if history else None)
            assert len(history) == field.history_length
            place = (topic.scope, topic.sensitivity, name)
            found[place] = sorted([*found.get(place, []), *(each.value for each in history)])
    return found


def living(world: World) -> list[Topic]:
    """The topics that readers find; the trail of each topic is whole."""
    every = [standing(world.services, each) for each in world.topics.topics]
    return [each for each in every if each.status is TopicStatus.ACTIVE]


def stored_text(world: World) -> str:
    """All that is stored of topics."""
    fake = world.topics
    return repr(
        (fake.topics, fake.revisions, fake.archives, fake.trails, fake.receipts, fake.statements)
    )


@pytest.fixture
def world() -> World:
    """In which observations feed topics."""
    return World()


def fed(world: World, **fields: Any) -> MemoryRecord:
    """A record of an observation, which a topic tells."""
    record = world.observe(**fields)
    world.feed(record)
    world.clock.now += timedelta(minutes=1)
    return record


@pytest.mark.parametrize("become", WITHDRAWN.values(), ids=WITHDRAWN)
def test_a_topic_that_told_nothing_else_goes_with_its_record(world: World, become: Change) -> None:
    record = fed(world, object="a secret")

    become(world, record.id)
    result = world.feed(record)

    assert (result.withdrawn, result.placed) == (1, 0)
    assert told(world) == {}
    assert "a secret" not in stored_text(world)


@pytest.mark.parametrize("become", WITHDRAWN.values(), ids=WITHDRAWN)
def test_what_other_records_say_stays(world: World, become: Change) -> None:
    first, same, second = fed(world), fed(world), fed(world, object=4)
    depth = fed(world, predicate="depth", object="28 m")

    become(world, second.id)
    world.feed(second)
    become(world, first.id)
    world.feed(first)

    place = ("team", Sensitivity.LOW)
    assert told(world) == {(*place, "cranes"): [3], (*place, "depth"): ["28 m"]}
    (topic,) = living(world)
    assert topic.fields["cranes"].current is not None
    assert topic.fields["cranes"].current.evidence == same.id
    assert topic.fields["depth"].current is not None
    assert topic.fields["depth"].current.evidence == depth.id


@pytest.mark.parametrize("become", MOVED.values(), ids=MOVED)
def test_a_record_that_may_not_stand_in_its_topic_moves_to_another(
    world: World, become: Change
) -> None:
    record = fed(world)
    (before,) = living(world)

    become(world, record.id)
    result = world.feed(record)

    now = world.services.records.load(record.id)
    assert now is not None
    assert (result.withdrawn, result.placed) == (1, 1)
    assert told(world) == {(now.scope, now.sensitivity, "cranes"): [3]}
    left = standing(world.services, before.id)
    assert (left.status, left.title, dict(left.fields)) == (TopicStatus.DELETED, "untitled", {})


@pytest.mark.parametrize(("away", "back"), BACK.values(), ids=BACK)
def test_a_record_that_comes_back_is_told_again(world: World, away: Change, back: Change) -> None:
    record = fed(world)
    before = told(world)
    away(world, record.id)
    world.feed(record)

    back(world, record.id)
    world.feed(record)

    assert told(world) == before


@pytest.mark.parametrize("become", (WITHDRAWN | MOVED).values(), ids=WITHDRAWN | MOVED)
def test_a_change_that_is_told_of_again_changes_nothing(world: World, become: Change) -> None:
    record = fed(world)
    become(world, record.id)
    world.feed(record)
    before = stored_text(world)

    world.feed(record, record)

    assert stored_text(world) == before


def test_a_record_that_changed_before_it_was_fed_is_fed_as_it_is(world: World) -> None:
    record = world.observe()
    MOVED["raised"](world, record.id)

    world.feed(record)

    assert told(world) == {("team", Sensitivity.HYPER, "cranes"): [3]}


def test_names_that_only_an_erased_record_gave_are_nowhere(world: World) -> None:
    kept = fed(world, subject="Sines", predicate="depth", object="28 m")
    gone = fed(world, subject="Sines", predicate="the secret plan", object="of the port")
    for number in range(20):  # the audit event of the plan leaves the topic's head
        append(world.services, world.topic.id, "depth", f"{number} m")

    WITHDRAWN["erased"](world, gone.id)
    world.feed(gone)

    text = stored_text(world)
    assert not [word for word in ("secret plan", "of the port") if word in text]
    assert world.topic.fields["depth"].lines[0].count == 21
    assert kept.id in text


def test_the_subject_of_an_erased_record_that_founded_a_topic_is_nowhere(world: World) -> None:
    record = fed(world, subject="Operation Dusk")

    WITHDRAWN["erased"](world, record.id)
    world.feed(record)

    assert "Operation Dusk" not in stored_text(world)


def test_a_topic_that_somebody_works_on_stays_without_the_record(world: World) -> None:
    record = fed(world)
    ask(ChangeTopic(id=world.topic.id, summary="A port"), world.services)

    WITHDRAWN["retracted"](world, record.id)
    world.feed(record)

    assert (world.topic.title, world.topic.status) == ("Sines", TopicStatus.ACTIVE)
    assert world.topic.fields == {}
    assert happened(world.services, world.topic.id)[-1] == "withdrawn"


def test_what_was_told_late_is_withdrawn_from_behind_what_is_so_now(world: World) -> None:
    first = world.observe(object="old")
    world.clock.now += timedelta(hours=1)
    second = world.observe(object="new")
    world.feed(second)
    world.feed(first)

    WITHDRAWN["retracted"](world, first.id)
    world.feed(first)

    assert world.history("cranes") == ["new"]


def test_what_lies_in_an_archive_is_withdrawn_from_there(world: World) -> None:
    records = [fed(world, object=f"value {number}") for number in range(6)]
    archive_history(world.topic.id, 2, SERVICE, world.services)

    WITHDRAWN["erased"](world, records[1].id)
    world.feed(records[1])

    assert told(world) == {
        ("team", Sensitivity.LOW, "cranes"): [f"value {number}" for number in (0, 2, 3, 4, 5)]
    }
    assert "value 1" not in stored_text(world)


def test_an_archive_of_nothing_else_goes(world: World) -> None:
    records = [fed(world, object=f"value {number}") for number in range(2)]
    archive_history(world.topic.id, 1, SERVICE, world.services)

    WITHDRAWN["erased"](world, records[0].id)
    world.feed(records[0])

    assert world.topic.fields["cranes"].lines[0].archives == ()
    assert world.topics.archives == {}


def test_a_field_that_was_deleted_since_loses_its_value_too(world: World) -> None:
    record = fed(world, object="a secret")
    ask(DeleteField(id=world.topic.id, name="cranes"), world.services)

    WITHDRAWN["erased"](world, record.id)
    world.feed(record)

    assert "a secret" not in stored_text(world)
    assert world.topic.fields == {}


def test_a_field_that_was_promoted_since_is_found_in_the_child(world: World) -> None:
    record = fed(world, object="a secret")
    parent = world.topic.id
    asked = {"id": parent, "field_names": ["cranes"], "child_title": "Cranes"}
    child = ask(PromoteFields.model_validate(asked), world.services)["child_topic_id"]

    WITHDRAWN["erased"](world, record.id)
    world.feed(record)

    assert standing(world.services, child).fields == {}
    assert "a secret" not in stored_text(world)


@pytest.mark.parametrize("parts", [False, True])
def test_a_topic_that_was_merged_since_loses_the_value_in_both(
    world: World, *, parts: bool
) -> None:
    record = fed(world, subject="Sines", object="a secret")
    fed(world, subject="Sines", object="known", sensitivity="high")
    one, other = (each.id for each in living(world))
    ask(ChangeTopic(id=world_of(world, "known"), sensitivity=Sensitivity.LOW), world.services)
    assert merge_topics(one, other, SERVICE, world.services)
    alias = next(each.id for each in world.topics.topics.values() if each.merged)

    WITHDRAWN["erased"](world, record.id)
    world.feed(record)
    if parts:
        request = UnmergeTopic(id=alias)
        unmerge_topic(request, call(request, OWNER), world.services)

    assert "a secret" not in stored_text(world)
    assert [value for values in told(world).values() for value in values] == ["known"]


def world_of(world: World, value: object) -> str:
    """The topic that says so."""
    return next(
        each.id
        for each in world.topics.topics.values()
        if any(field.current and field.current.value == value for field in each.fields.values())
    )


CHANGES = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([*WITHDRAWN, *MOVED, *BACK, "fed"])), max_size=12
)


@given(CHANGES, st.randoms(use_true_random=False))
def test_in_whatever_order_changes_are_told_topics_tell_what_the_records_say_now(
    steps: list[tuple[int, str]], random: Any
) -> None:
    world = World()
    records = [world.observe(object=number) for number in range(3)]
    waiting = list(records)
    changes = WITHDRAWN | MOVED | {name: back for name, (_, back) in BACK.items()}
    for position, step in steps:
        record = records[position]
        if step == "fed" and waiting:
            world.feed(random.choice(waiting))
        elif step in changes:
            try_to(changes[step], world, record.id)
            waiting.append(record)
        world.clock.now += timedelta(minutes=1)

    random.shuffle(waiting)
    world.feed(*waiting)

    fresh = World()
    fresh.topics.records = world.topics.records
    fresh.services = fresh.over(world.topics.records)
    fresh.feed(*records)
    assert told(world) == told(fresh)


def try_to(become: Change, world: World, record_id: str) -> None:
    """What cannot be done to the record as it is now is not done."""
    with suppress(DomainError):
        become(world, record_id)


def test_what_is_stored_of_a_statement_is_no_word_of_the_record(world: World) -> None:
    fed(world, subject="Sines", predicate="cranes", object="a secret")

    (statement,) = world.topics.statements.values()

    shown = json.dumps(repr(statement))
    assert not [word for word in ("Sines", "cranes", "a secret") if word in shown]
