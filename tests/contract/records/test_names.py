"""Names of entities lead to who bears them, whatever is done to entities."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.entities.merging import entity_of
from membrane.domain.entities.names import is_entity_named, terms_of_entity
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.table.items import LostRace
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.known_entities import entities_of, names_in_view
from membrane.usecases.ports.records import NameBucket, NameChange, NamePlace
from membrane.usecases.revision.standing import reclassify_record
from membrane.wiring.world import World
from tests.builders.proposals import add_entity
from tests.builders.requests import call, change
from tests.builders.stored_records import changed, stored
from tests.worlds.depth import examples
from tests.worlds.stores import Store, table_store

ORION = NamePlace("project:a", "orion")

NAMES = ("orion", "hunter")


def bucket(ids: Mapping[str, str], level: Sensitivity = Sensitivity.LOW) -> NameBucket:
    return NameBucket(ORION, level, ids)


def write(store: Store, record_id: str, *changes: NameChange) -> None:
    store.records.create(stored(record_id), names=changes)


def test_names_are_found_where_they_were_written(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1", "orion belt": "e1"}))

    found = store.names.buckets([ORION, NamePlace("", "orion"), NamePlace("project:a", "belt")])

    assert found == {ORION: {Sensitivity.LOW: bucket({"orion": "e1", "orion belt": "e1"})}}


def test_the_names_of_many_words_are_found_also_behind_the_end_of_a_query(store: Store) -> None:
    names = [f"n{number:02}" for number in range(50)] + ["é", "\U0001f680"]
    for number, name in enumerate(names):
        place = NamePlace("project:a", name)
        write(store, f"e{number}", NameChange(NameBucket(place, Sensitivity.LOW), {name: "e"}))
    write(
        store, "other", NameChange(NameBucket(NamePlace("", "n03"), Sensitivity.LOW), {"n03": "x"})
    )

    found = store.names.buckets_of_words("project:a", ["n03", "n49", "\U0001f680", "", "none"])
    first = store.names.buckets_of_words("project:a", ["n03"])

    assert {place.word for place in found} == {"n03", "n49", "\U0001f680"}
    assert {place.scope for place in found} == {"project:a"}
    assert first == {
        NamePlace("project:a", "n03"): {
            Sensitivity.LOW: NameBucket(
                NamePlace("project:a", "n03"), Sensitivity.LOW, {"n03": "e"}
            )
        }
    }
    assert store.names.buckets_of_words("nowhere", ["n03"]) == {}


def test_levels_are_written_apart(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(store, "e2", NameChange(bucket({}, Sensitivity.HIGH), {"orion": "e2"}))

    found = store.names.buckets([ORION])[ORION]

    assert {level: each.entity_ids for level, each in found.items()} == {
        Sensitivity.LOW: {"orion": "e1"},
        Sensitivity.HIGH: {"orion": "e2"},
    }


def test_of_two_writers_that_read_the_same_names_one_loses_with_its_record(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))

    with pytest.raises(LostRace):
        write(store, "e2", NameChange(bucket({}), {"orion": "e2"}))

    assert store.records.load("e2") is None
    assert store.names.buckets([ORION])[ORION][Sensitivity.LOW].entity_ids == {"orion": "e1"}


def services_of(store: Store) -> World:
    return store.services


def move(services: World, entity_id: str, **fields: Any) -> None:
    request = Reclassify(id=entity_id, **fields)
    reclassify_record(request, call(request), services)


def bearers(store: Store, *places: NamePlace) -> dict[tuple[str, str, Sensitivity], set[str]]:
    """The ids that names lead to, by scope, first word and level."""
    return {
        (place.scope, place.word, level): set(held.entity_ids.values())
        for place, buckets in store.names.buckets(places).items()
        for level, held in buckets.items()
    }


def test_the_names_of_an_entity_move_with_its_scope_and_its_sensitivity(store: Store) -> None:
    services = services_of(store)
    aliases = {"aliases": [{"value": "Hunter"}]}
    entity = add_entity("Orion", services, scope="project:a", payload=aliases)
    other = add_entity("Orion Nebula", services, scope="project:a")
    places = [NamePlace(scope, word) for scope in ("project:a", "b") for word in NAMES]

    move(services, entity.id, sensitivity=Sensitivity.HYPER)
    assert bearers(store, *places) == {
        ("project:a", "orion", Sensitivity.LOW): {other.id},
        **{("project:a", name, Sensitivity.HYPER): {entity.id} for name in NAMES},
    }

    move(services, entity.id, scope="b")
    assert bearers(store, *places) == {
        ("project:a", "orion", Sensitivity.LOW): {other.id},
        **{("b", name, Sensitivity.HYPER): {entity.id} for name in NAMES},
    }


def test_a_moved_entity_leaves_a_name_that_an_entity_bears_there(store: Store) -> None:
    services = services_of(store)
    there = add_entity("Orion", services, scope="b")
    entity = add_entity("Orion", services, scope="project:a")

    move(services, entity.id, scope="b")

    assert bearers(store, ORION, NamePlace("b", "orion")) == {
        ("b", "orion", Sensitivity.LOW): {there.id}
    }


def test_a_name_that_leads_to_an_entity_which_has_moved_away_is_free(store: Store) -> None:
    services = services_of(store)
    gone = add_entity("Orion", services, scope="b")
    held = store.records.load(gone.id)
    assert isinstance(held, StoredRecord)
    away = changed(held).record.model_copy(update={"scope": "c"})
    store.records.replace(held, held.next_version(away))
    entity = add_entity("Orion", services, scope="project:a")

    move(services, entity.id, scope="b")

    found = bearers(store, NamePlace("b", "orion"))
    assert found == {("b", "orion", Sensitivity.LOW): {entity.id}}


def test_the_last_names_of_a_scope_leave_nothing_when_the_entity_moves(table: Store) -> None:
    entity = add_entity("Orion", table.services, scope="project:a")

    move(table.services, entity.id, scope="b")

    assert table.partition("names#=project:a") == []


def test_the_removal_of_the_last_names_leaves_nothing(table: Store) -> None:
    write(table, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(table, "e2", NameChange(bucket({"orion": "e1"}), {}, is_last=True))

    assert table.names.buckets([ORION]) == {}
    assert table.partition("names#=project:a") == []


def test_a_removal_as_the_last_loses_against_names_of_another_level(store: Store) -> None:
    write(store, "e1", NameChange(bucket({}), {"orion": "e1"}))
    write(store, "e2", NameChange(bucket({}, Sensitivity.HIGH), {"orion": "e2"}))

    with pytest.raises(LostRace):
        write(store, "e3", NameChange(bucket({"orion": "e1"}), {}, is_last=True))
    write(store, "e3", NameChange(bucket({"orion": "e1"}), {}))

    assert store.names.buckets([ORION])[ORION].keys() == {Sensitivity.HIGH}


def test_words_with_a_prefix_come_in_order_and_resume(store: Store) -> None:
    for word in ("orion", "oracle", "zebra", "order"):
        before = NameBucket(NamePlace("project:a", word), Sensitivity.LOW)
        write(store, f"id-{word}", NameChange(before, {word: f"id-{word}"}))

    def words(prefix: str, after: str = "") -> list[str]:
        return [place.word for place, _ in store.names.beginning_with("project:a", prefix, after)]

    assert words("or") == ["oracle", "order", "orion"]
    assert words("or", "order") == ["orion"]
    assert words("") == ["oracle", "order", "orion", "zebra"]


def test_words_longer_than_a_key_resume_behind_each_other(store: Store) -> None:
    for end in ("a", "b", "c"):
        word = "\U0001f600" * 255 + end
        before = NameBucket(NamePlace("project:a", word), Sensitivity.LOW)
        write(store, f"id-{end}", NameChange(before, {word: f"id-{end}"}))

    def words(after: str = "") -> list[str]:
        stored = store.names.beginning_with("project:a", "\U0001f600", after)
        return [*chain.from_iterable(found[Sensitivity.LOW].entity_ids for _, found in stored)]

    first, second, third = words()
    assert words(first) == [second, third]
    assert words(second) == [third]


def test_a_word_longer_than_a_key_is_found(store: Store) -> None:
    place = NamePlace("project:a", "\U0001f600" * 256)

    write(store, "e1", NameChange(NameBucket(place, Sensitivity.LOW), {place.word: "e1"}))

    assert store.names.buckets([place])[place][Sensitivity.LOW].entity_ids == {place.word: "e1"}


SURFACES = ("Orchid", "Orchid", "Bob")
"""Few, for many namesakes; likewise the places."""

SCOPES = ("project:alpha", "project:alpha", "project:alpha", "project:beta")
LEVELS = (Sensitivity.LOW, Sensitivity.LOW, Sensitivity.LOW, Sensitivity.HIGH)
DEEDS = ("add", "delete", "restore", "retract", "undo", "move", "merge", "split")


@dataclass(frozen=True, slots=True)
class Step:
    """A deed, and the choices for the deed."""

    deed: str
    one: int
    other: int
    level: Sensitivity
    scope: str


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(DEEDS),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from(LEVELS),
        st.sampled_from(SCOPES),
    ),
    min_size=6,
    max_size=16,
)


def add(step: Step, services: World) -> str:
    name, alias = (SURFACES[each % len(SURFACES)] for each in (step.one, step.other))
    payload = {"aliases": [alias]} if alias != name else {}
    entity = add_entity(
        name, services, scope=step.scope, sensitivity=step.level.value, payload=payload
    )
    return entity.id


def do(step: Step, one: str, other: str, services: World) -> str | None:
    """The id of the entity that the deed made active or moved, if any."""
    match step.deed:
        case "delete":
            change(DeleteRecord(id=one), services)
        case "restore":
            change(RestoreRecord(id=one), services)
            return one
        case "retract":
            change(Retract(id=one), services)
        case "undo":
            change(Reclassify(id=one, retracted=False), services)
            return one
        case "move":
            held = services.records.load(one)
            change(Reclassify(id=one, scope=step.scope, sensitivity=step.level), services)
            has_moved = held is not None and place_of(held) != (step.scope, step.level)
            return one if has_moved else None
        case "split":
            splitting = SplitEntity(id=one, entity_id=other)
            split_entity(splitting, call(splitting), services)
            return other
        case _ if one != other:
            merging = MergeEntities(id=one, entity_ids=(other,))
            merge_entities(merging, call(merging), services)
    return None


def place_of(held: AnyRecord) -> tuple[str, Sensitivity]:
    return held.scope, held.sensitivity


def stored_names(services: World) -> Iterator[tuple[str, Sensitivity, str, str]]:
    """Scope, level, term and entity of each stored name."""
    for scope in set(SCOPES):
        for _, buckets in services.names.beginning_with(scope, ""):
            for level, bucket in buckets.items():
                for term, entity_id in bucket.entity_ids.items():
                    yield scope, level, term, entity_id


def require_names_of_bearers(services: World) -> None:
    """Every stored name leads to an entity that bears the name in the same place."""
    for scope, level, term, entity_id in stored_names(services):
        held = services.records.load(entity_id)
        assert isinstance(held, StoredRecord)
        assert place_of(held) == (scope, level), term
        assert is_entity_named(held.record.payload, term)


def require_found(entity_id: str, services: World) -> None:
    """Every name of an active entity leads to an active entity."""
    held = services.records.load(entity_id)
    assert isinstance(held, StoredRecord)
    if held.tombstone is not None or is_retracted(held.record.payload):
        return
    terms = [*terms_of_entity(entity_of(held.record))]
    names = names_in_view(map(first_word_of, terms), held.scope, held.sensitivity, services)
    candidates = {term: names.candidates(term) for term in terms}
    ids = {each for several in candidates.values() for each in several}
    loaded = services.records.load_each([*ids])
    found = entities_of(candidates, held.scope, held.sensitivity, services, loaded)
    assert found.keys() == set(terms)


def lived(steps: Sequence[Step], store: Store) -> None:
    """Take the steps, and look at the names after each of them."""
    services, ids = store.services, list[str]()
    for step in steps:
        touched = None
        if step.deed == "add":
            touched = add(step, services)
            ids.append(touched)
        elif ids:
            one, other = (ids[each % len(ids)] for each in (step.one, step.other))
            with suppress(FailedPrecondition, NotFound):
                touched = do(step, one, other, services)
        require_names_of_bearers(services)
        if touched is not None:
            require_found(touched, services)


@settings(max_examples=examples(300), deadline=None)
@given(STEPS)
def test_a_name_leads_to_a_bearer_and_whoever_becomes_active_is_found(
    steps: Sequence[Step],
) -> None:
    lived(steps, table_store())
