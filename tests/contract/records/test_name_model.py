"""Random changes of entities with few names: what holds for the stored names after each of them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.entities.canonical import is_entity_named, terms_of_entity
from membrane.domain.entities.merging import entity_of
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.names.known_entities import entities_of, names_in_view
from membrane.usecases.ports.services import Services
from tests.builders.entities import add_entity
from tests.builders.requests import call, change
from tests.worlds.depth import examples
from tests.worlds.stores import Store, table_store

NAMES = ("Orchid", "Orchid", "Bob")
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


def add(step: Step, services: Services) -> str:
    name, alias = (NAMES[each % len(NAMES)] for each in (step.one, step.other))
    payload = {"aliases": [alias]} if alias != name else {}
    entity = add_entity(
        name, services, scope=step.scope, sensitivity=step.level.value, payload=payload
    )
    return entity.id


def do(step: Step, one: str, other: str, services: Services) -> str | None:
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


def stored_names(services: Services) -> Iterator[tuple[str, Sensitivity, str, str]]:
    """Scope, level, term and entity of each stored name."""
    for scope in set(SCOPES):
        for _, buckets in services.names.beginning_with(scope, ""):
            for level, bucket in buckets.items():
                for term, entity_id in bucket.entity_ids.items():
                    yield scope, level, term, entity_id


def require_names_of_bearers(services: Services) -> None:
    """Every stored name leads to an entity that bears the name in the same place."""
    for scope, level, term, entity_id in stored_names(services):
        held = services.records.load(entity_id)
        assert isinstance(held, StoredRecord)
        assert place_of(held) == (scope, level), term
        assert is_entity_named(held.record.payload, term)


def require_found(entity_id: str, services: Services) -> None:
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
