"""A capture amid another change, and a change amid a capture: as if one came after the other."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import pytest

from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.revision.requests import Reclassify
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.ports.services import Services
from tests.builders.captures import capture
from tests.builders.entities import add_entity
from tests.builders.requests import call
from tests.worlds.capture_stage import Act, CaptureStage
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import Moment
from tests.worlds.revision import CONTESTED, REPLACED, done
from tests.worlds.stores import Store

STEPS = 80
"""More than any of the acts takes; every test says that it reached the last."""

Crossing = Callable[[Services], Sequence[Act]]


def capturing(content: Any, services: Services, key: str = "k", **fields: Any) -> Act:
    return partial(capture, content, services, key=key, **fields)


def named(services: Services, **fields: Any) -> Act:
    """A capture that names Orchid."""
    return capturing({"ref": "r", "project": "Orchid", "text": "Orchid"}, services, **fields)


def stated(predicate: str, said: str, services: Services, key: str = "k") -> Act:
    fact = {"ref": "r", "subject": "Orchid", "predicate": predicate, "object": said}
    return capturing(fact, services, key, source_kind="observation")


def merging(into: str, other: str, services: Services) -> Act:
    request = MergeEntities(id=into, entity_ids=(other,))
    return partial(merge_entities, request, call(request, key="merge"), services)


def capture_and_capture(services: Services) -> Sequence[Act]:
    return [named(services), named(services, key="other")]


def captures_of_one_word(services: Services) -> Sequence[Act]:
    names = ("Orion Belt", "Orion Nebula")
    return [capturing({"ref": "r", "project": each}, services, key=each) for each in names]


def captures_of_two_levels(services: Services) -> Sequence[Act]:
    return [named(services), named(services, key="other", sensitivity="high")]


def capture_and_entity(services: Services) -> Sequence[Act]:
    return [named(services), partial(add_entity, "Orchid", services, id="orchid")]


def capture_and_merge(services: Services) -> Sequence[Act]:
    orchid, other = (add_entity(each, services) for each in ("Orchid", "Orchis"))
    return [named(services), merging(other.id, orchid.id, services)]


def capture_and_split(services: Services) -> Sequence[Act]:
    orchid, other = (add_entity(each, services) for each in ("Orchid", "Orchis"))
    merging(other.id, orchid.id, services)()
    request = SplitEntity(id=other.id, entity_id=orchid.id)
    return [named(services), partial(split_entity, request, call(request, key="s"), services)]


def capture_and(request: Callable[[str], Any]) -> Crossing:
    """A capture that names an entity, and a change of the entity."""

    def prepare(services: Services) -> Sequence[Act]:
        orchid = add_entity("Orchid", services)
        return [named(services), partial(done, request(orchid.id), services, key="change")]

    return prepare


def observed_twice(predicate: str, *said: str) -> Crossing:
    def prepare(services: Services) -> Sequence[Act]:
        stated(predicate, "tea", services, key="first")()
        return [stated(predicate, each, services, key=f"k{n}") for n, each in enumerate(said)]

    return prepare


def first_statements(services: Services) -> Sequence[Act]:
    return [stated(REPLACED, each, services, key=each) for each in ("ale", "milk")]


CROSSINGS: dict[str, Crossing] = {
    "two of one name": capture_and_capture,
    "two of one first word": captures_of_one_word,
    "two of two levels": captures_of_two_levels,
    "an entity of the name": capture_and_entity,
    "merge": capture_and_merge,
    "split": capture_and_split,
    "deletion": capture_and(lambda each: DeleteRecord(id=each)),
    "erasure": capture_and(lambda each: DeleteRecord(id=each, erase=True)),
    "a higher level": capture_and(lambda each: Reclassify(id=each, sensitivity=Sensitivity.HIGH)),
    "another scope": capture_and(lambda each: Reclassify(id=each, scope="shared")),
    "first statements": first_statements,
    "the same again": observed_twice(REPLACED, "tea", "tea"),
    "replaced": observed_twice(REPLACED, "ale", "milk"),
    "contested": observed_twice(CONTESTED, "ale", "milk"),
}


def attempted(act: Act) -> None:
    """The act, which may be refused."""
    with suppress(FailedPrecondition, NotFound):
        act()


@pytest.mark.parametrize("order", cases([(0, 1), (1, 0)], [(1, 0)]))
@pytest.mark.parametrize("prepare", CROSSINGS.values(), ids=CROSSINGS)
def test_whatever_crosses_a_capture_all_is_as_if_one_came_after_the_other(
    prepare: Crossing, order: tuple[int, int]
) -> None:
    stage = CaptureStage.of(lambda services, _: prepare(services))
    amidst, act = (stage.acts[each] for each in order)
    legal = [in_turn(stage, *stage.acts), in_turn(stage, *reversed(stage.acts))]

    for step in count():
        stage.begin()
        moment = Moment(step, partial(attempted, amidst))
        with amid(stage.table, moment):
            attempted(act)
        if not moment.has_come:
            break
        assert stage.state() in legal, f"crossed at step {step}"
    assert 3 < step < STEPS


def in_turn(stage: CaptureStage, *acts: Act) -> Any:
    stage.begin()
    for each in acts:
        attempted(each)
    return stage.state()


def test_no_capture_leads_to_an_entity_that_was_erased_before(table: Store) -> None:
    orchid = add_entity("Orchid", table.services)
    done(DeleteRecord(id=orchid.id, erase=True), table.services)

    body = capture({"project": "Orchid"}, table.services).body

    (made,) = body["created_records"]
    assert made["id"] != orchid.id
    assert list(table.records.incoming(orchid.id)) == []
