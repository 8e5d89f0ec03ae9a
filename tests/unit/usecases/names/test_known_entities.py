"""The names that a writer of one scope and sensitivity may see."""

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.names.known_entities import FEW_WORDS, names_in_view
from tests.builders.entities import add_entity
from tests.fakes.world import make_services


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
