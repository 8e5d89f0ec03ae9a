"""Revisions that cross: at every call of one another comes in between, or many begin at once."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import pytest

from membrane.domain.language.errors import Aborted, FailedPrecondition, InvalidArgument, NotFound
from membrane.domain.language.fields import Part
from membrane.domain.lifecycle.requests import DeleteRecord, Reinforce, RestoreRecord
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_record import retrieve_by_id
from membrane.wiring import services as wiring
from tests.builders.requests import call, observation
from tests.fakes.stand_in import StandIn
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import Moment
from tests.worlds.revision import (
    CONTESTED,
    FORKED,
    KEPT,
    REPLACED,
    Stage,
    State,
    done,
    fact,
    held_in,
    id_of,
    require_whole,
    revising,
)
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

WRITERS = cases(32, 12)
STEPS = 80
"""More than any revision takes; every test says that it reached the last."""

REFUSED = (FailedPrecondition, NotFound, InvalidArgument)


def told(services: Services, predicate: str, said: str = "tea") -> str:
    """The id of a fact that is there at first."""
    return id_of(done(observation(predicate=predicate, object=said), services))


def superseding(old_id: str, said: str, predicate: str = KEPT) -> Supersede:
    given = {"id": old_id, "new_record": fact(predicate, said)}
    return Supersede.model_validate(given)


def merging(*ids: str) -> Merge:
    return Merge.model_validate({"ids": ids, "merged_record": fact(KEPT, "all")})


# --- Two that cross -----------------------------------------------------------------------------


def two_successors(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    return [superseding(old_id, "ale", REPLACED), superseding(old_id, "milk", REPLACED)]


def merge_and_supersede(services: Services) -> Sequence[Part]:
    ids = [told(services, KEPT, said) for said in ("tea", "ale")]
    return [merging(*ids), superseding(ids[1], "milk")]


def two_merges(services: Services) -> Sequence[Part]:
    ids = [told(services, KEPT, said) for said in ("tea", "ale", "milk")]
    return [merging(*ids[:2]), merging(*ids[1:])]


def merge_and_delete(services: Services) -> Sequence[Part]:
    ids = [told(services, KEPT, said) for said in ("tea", "ale")]
    return [merging(*ids), DeleteRecord(id=ids[1])]


def contest_and_retract(services: Services) -> Sequence[Part]:
    target_id, by = told(services, KEPT), told(services, KEPT, "ale")
    return [Contest(id=target_id, contesting_ref=by), Retract(id=target_id)]


def contest_and_delete_what_contests(services: Services) -> Sequence[Part]:
    target_id, by = told(services, KEPT), told(services, KEPT, "ale")
    return [Contest(id=target_id, contesting_ref=by), DeleteRecord(id=by)]


def resolve_and_retract_the_other(services: Services) -> Sequence[Part]:
    target_id, by = told(services, KEPT), told(services, KEPT, "ale")
    done(Contest(id=target_id, contesting_ref=by), services)
    return [Resolve(id=target_id, resolution="supersede"), Retract(id=by)]


def resolve_twice(services: Services) -> Sequence[Part]:
    target_id, by = told(services, KEPT), told(services, KEPT, "ale")
    done(Contest(id=target_id, contesting_ref=by), services)
    return [
        Resolve(id=target_id, resolution="supersede"),
        Resolve(id=target_id, resolution="keep"),
    ]


def fork_and_retract(services: Services) -> Sequence[Part]:
    source_id = told(services, FORKED)
    forked = {"id": source_id, "forked_record": fact(FORKED, "ale")}
    return [Fork.model_validate(forked), Retract(id=source_id)]


def supersede_and_move(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    return [superseding(old_id, "ale", REPLACED), Reclassify(id=old_id, scope="shared")]


def supersede_and_reinforce(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    return [superseding(old_id, "ale", REPLACED), Reinforce(id=old_id)]


def take_up_and_observe(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    done(Retract(id=old_id), services)
    return [
        Reclassify(id=old_id, retracted=False),
        observation(predicate=REPLACED, object="ale"),
    ]


def restore_and_observe(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    done(DeleteRecord(id=old_id), services)
    return [RestoreRecord(id=old_id), observation(predicate=REPLACED, object="ale")]


def move_and_observe(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    there = observation(predicate=REPLACED, object="ale", scope="shared")
    return [Reclassify(id=old_id, scope="shared"), there]


def observe_twice(predicate: str, said: str) -> Callable[[Services], Sequence[Part]]:
    """Two observations, with a fact there that both may conflict with."""

    def prepare(services: Services) -> Sequence[Part]:
        told(services, predicate)
        return [observation(predicate=predicate, object=each) for each in ("ale", said)]

    return prepare


def observe_first(services: Services) -> Sequence[Part]:
    """Two observations where nothing is there."""
    del services
    return [observation(predicate=REPLACED, object=each) for each in ("ale", "milk")]


def observe_and_retract(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    return [observation(predicate=REPLACED, object="ale"), Retract(id=old_id)]


def observe_and_supersede(services: Services) -> Sequence[Part]:
    old_id = told(services, REPLACED)
    seen = observation(predicate=REPLACED, object="ale")
    return [seen, superseding(old_id, "milk", REPLACED)]


CROSSINGS: dict[str, Callable[[Services], Sequence[Part]]] = {
    "two successors": two_successors,
    "merge and supersede": merge_and_supersede,
    "two merges": two_merges,
    "merge and delete": merge_and_delete,
    "contest and retract": contest_and_retract,
    "contest and delete what contests": contest_and_delete_what_contests,
    "resolve and retract the other": resolve_and_retract_the_other,
    "resolve twice": resolve_twice,
    "fork and retract": fork_and_retract,
    "supersede and move": supersede_and_move,
    "supersede and reinforce": supersede_and_reinforce,
    "take up and observe": take_up_and_observe,
    "restore and observe": restore_and_observe,
    "move and observe": move_and_observe,
    "observe first": observe_first,
    "observe twice, replace": observe_twice(REPLACED, "milk"),
    "observe twice the same, replace": observe_twice(REPLACED, "ale"),
    "observe twice, fork": observe_twice(FORKED, "milk"),
    "observe twice, contest": observe_twice(CONTESTED, "milk"),
    "observe and retract": observe_and_retract,
    "observe and supersede": observe_and_supersede,
}


ORDERS = {(0, 1): "one amid two", (1, 0): "two amid one"}


@pytest.mark.parametrize("order", cases([(0, 1), (1, 0)], [(0, 1)]), ids=ORDERS.get)
@pytest.mark.parametrize("prepare", CROSSINGS.values(), ids=CROSSINGS)
def test_whatever_crosses_all_is_as_if_one_had_come_after_the_other(
    prepare: Callable[[Services], Sequence[Part]], order: tuple[int, int]
) -> None:
    stage = Stage.of(prepare)
    legal = [in_turn(stage, first, second) for first, second in ((0, 1), (1, 0))]
    rival, act = order

    for step in count():
        stage.begin()
        moment = Moment(step, lambda: attempted(stage, rival))
        with amid(stage.table, moment):
            attempted(stage, act)

        if not moment.has_come:
            break
        assert stage.state() in legal, f"crossed at step {step}"
    assert 3 < step < STEPS


def attempted(stage: Stage, number: int) -> None:
    """One of the two asks, and may be refused."""
    with suppress(*REFUSED):
        stage.act(number)


def in_turn(stage: Stage, first: int, second: int) -> State:
    """What there is when one comes after the other."""
    stage.begin()
    attempted(stage, first)
    attempted(stage, second)
    return stage.state()


# --- Many at once -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Blind(StandIn):
    """A natural index that has not come to know of anything yet."""

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See DynamoNatural."""
        del natural_key, entries, before_s
        return []


@pytest.fixture
def world(table: Store) -> Services:
    """With random ids and salts, the real pause between tries, and an index that is late."""
    return replace(
        revising(table),
        new_id=wiring.new_id,
        new_salt=wiring.new_salt,
        back_off=wiring.back_off,
        natural=Blind(),
    )


def until_done(request: Part, key: str, services: Services) -> str:
    """The record that the answer is about; a caller whose write was aborted asks again."""
    while True:
        with suppress(Aborted):
            return id_of(done(request, services, key=key))


def test_of_many_writers_on_one_chain_each_adds_one_link(world: Services, table: Store) -> None:
    first_id = told(world, REPLACED, "0")

    def extend(number: int) -> None:
        """Supersede whatever is the latest, as often as another comes first."""
        at = first_id
        while True:
            asked = RetrieveById(id=at, resolve="latest")
            at = retrieve_by_id(asked, call(asked), world).id
            with suppress(FailedPrecondition, Aborted):
                done(superseding(at, f"{number}", REPLACED), world, key=f"{number} on {at}")
                return

    at_once([partial(extend, number) for number in range(1, WRITERS + 1)])

    facts = sound(table)
    assert len(facts) == 1 + WRITERS
    assert len(chain_from(first_id, facts)) == 1 + WRITERS


def test_of_many_that_observe_one_thing_otherwise_one_fact_is_left_and_the_rest_a_chain(
    world: Services, table: Store
) -> None:
    asked = [observation(predicate=REPLACED, object=f"{number}") for number in range(WRITERS)]

    at_once([partial(until_done, each, f"{each.object}", world) for each in asked])

    facts = sound(table)
    assert len(facts) == WRITERS
    assert len(active(facts)) == 1
    replaced = Counter(successor_of(each.record.payload) for each in facts.values())
    assert set(replaced.values()) == {1}, "each replaced one, and one was not replaced"
    (beginning,) = facts.keys() - replaced.keys()
    assert len(chain_from(beginning, facts)) == WRITERS


def test_of_many_that_observe_the_same_one_makes_the_fact_and_the_others_reinforce_it(
    world: Services, table: Store
) -> None:
    asked = observation(predicate=REPLACED, object="tea")

    ids = at_once([partial(until_done, asked, f"{number}", world) for number in range(WRITERS)])

    ((record_id, only),) = sound(table).items()
    assert set(ids) == {record_id}
    assert len(only.trail) == WRITERS


def test_of_many_merges_and_successors_of_the_same_sources_each_source_has_one(
    world: Services, table: Store
) -> None:
    ids = [told(world, KEPT, f"{number}") for number in range(4)]
    asked: list[Part] = [merging(*ids[:2]), merging(*ids[2:]), merging(*ids[1:3])]
    asked += [superseding(each, "another") for each in ids]

    def attempt(number: int) -> bool:
        try:
            until_done(asked[number], f"key-{number}", world)
        except FailedPrecondition:
            return False
        return True

    won = at_once([partial(attempt, number) for number in range(len(asked))])

    facts = sound(table)
    assert len(facts) == len(ids) + sum(won)
    for each in ids:
        assert successor_of(facts[each].record.payload) in facts.keys() - set(ids)


def test_of_many_that_observe_and_take_up_one_fact_is_left_active(
    world: Services, table: Store
) -> None:
    taken_back = [told(world, REPLACED, f"{number}") for number in range(1)]
    done(Retract(id=taken_back[0]), world)
    asked: list[Part] = [Reclassify(id=taken_back[0], retracted=False)]
    asked += [observation(predicate=REPLACED, object=f"{number}") for number in range(1, 12)]

    def attempt(number: int) -> None:
        with suppress(FailedPrecondition):
            until_done(asked[number], f"key-{number}", world)

    at_once([partial(attempt, number) for number in range(len(asked))])

    facts = sound(table)
    assert len(facts) == 12
    assert len(active(facts)) == 1


def sound(table: Store) -> dict[str, StoredRecord]:
    """Every record, with all that must hold of any state."""
    items = table.everything()
    found = held_in(table, items)
    require_whole(found, items)
    return {each: held for each, held in found.items() if isinstance(held, StoredRecord)}


def active(facts: dict[str, StoredRecord]) -> list[str]:
    """Those that were not replaced or taken back."""
    return [each for each, held in facts.items() if not is_retracted(held.record.payload)]


def chain_from(record_id: str, facts: dict[str, StoredRecord]) -> list[str]:
    """The records from that one on to the one that nothing replaced, none of them twice."""
    chain = [record_id]
    while after := successor_of(facts[chain[-1]].record.payload):
        assert after not in chain
        chain.append(after)
    return chain
