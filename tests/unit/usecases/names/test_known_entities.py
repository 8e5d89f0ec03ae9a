"""The names that a writer of one scope and sensitivity may see."""

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.names.known_entities import FEW_WORDS, entities_of, names_in_view
from tests.builders.entities import add_entity
from tests.fakes.world import make_services
from tests.worlds.retrieval import Memory


@pytest.mark.parametrize("words", [0, FEW_WORDS, 10 * FEW_WORDS])
def test_names_of_the_scope_come_before_unscoped_names_among_however_many_words(words: int) -> None:
    services = make_services()
    scoped = add_entity("Orchid", services, scope="project:a")
    unscoped = add_entity("Orchid", services, scope="")
    add_entity("Orchid", services, scope="project:b")
    add_entity("Orchid", services, scope="project:a", sensitivity=Sensitivity.HYPER)

    sought = ["orchid", *(f"word{number}" for number in range(words))]
    names = names_in_view(sought, "project:a", Sensitivity.MEDIUM, services)

    assert names.candidates("orchid") == [scoped.id, unscoped.id]
    assert names.candidates("word0") == []


def test_the_successors_of_all_names_are_read_in_one_request_a_step() -> None:
    memory = Memory()
    older = {name: add_entity(name, memory.services).id for name in ("Ann", "Bob", "Cleo")}
    newer = {name: add_entity(f"New {name}", memory.services).id for name in older}
    for name, record_id in older.items():
        state = {"status": "retracted", "superseded_by": newer[name]}
        memory.alter(record_id, payload={"revision": state})
    candidates = {name.lower(): [record_id] for name, record_id in older.items()}
    loaded = memory.records.load_each([*older.values()])
    memory.records.requests.clear()

    found = entities_of(candidates, "project:alpha", Sensitivity.LOW, memory.services, loaded)

    assert {term: each.id for term, each in found.items()} == {
        name.lower(): record_id for name, record_id in newer.items()
    }
    assert memory.records.requests == ["records"]
