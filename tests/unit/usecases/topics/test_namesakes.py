"""The entity to which a topic refers, as far as the reader may see the entity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.revision.requests import Retract
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from tests.builders.entities import add_entity, entity_payload
from tests.builders.requests import OWNER, call, change
from tests.builders.topic_readers import graph, topic
from tests.worlds.depth import examples
from tests.worlds.queried_topics import Asked

ALPHA, BETA = "project:alpha", "project:beta"
LEVELS = tuple(Sensitivity)[:4]


@pytest.fixture
def world() -> Asked:
    """A world of fakes."""
    return Asked()


def add_topic(world: Asked, title: str = "Ada", **fields: Any) -> None:
    """The topic `topic`, by default a person of the scope ALPHA."""
    usual = {"scope": ALPHA, "topic_kind": "person", "sensitivity": "low"}
    world.add("topic", title, **{**usual, **fields})


def referred(world: Asked, principal: Principal = OWNER, **asked: Any) -> str | None:
    """The entity that a read of the topic names."""
    found = topic(world.services, "topic", principal, **asked).get("entity_id")
    return None if found is None else str(found)


def test_a_topic_names_the_entity_of_the_title_in_all_replies(world: Asked) -> None:
    add_topic(world, "ada  LOVELACE")
    world.add("other", "Somebody", scope=ALPHA)
    world.relate("topic", "knows", "other")
    alias = [{"value": "Ada Lovelace", "kind": "name"}]
    ada = add_entity("Countess", world.services, payload={"aliases": alias})

    assert referred(world) == ada.id
    assert world.candidates("lovelace")[0]["entity_id"] == ada.id
    nodes = {each["id"]: each.get("entity_id") for each in graph(world.services)["nodes"]}
    assert nodes == {"topic": ada.id, "other": None}


def test_a_query_names_entities_with_the_stage_structural_alone(world: Asked) -> None:
    add_topic(world)
    ada = add_entity("Ada", world.services)

    assert world.one("ada", stages=["semantic", "structural"])["entity_id"] == ada.id
    assert "entity_id" not in world.one("ada", stages=["semantic", "temporal"])


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        ("Bob", {}),
        ("Ada", {"topic_kind": "project"}),
        ("Ada", {"scope": BETA}),
        ("", {}),
        ("@", {}),
        ("a" * 1_000, {}),
    ],
)
def test_a_topic_of_another_name_kind_or_scope_names_no_entity(
    world: Asked, title: str, fields: dict[str, Any]
) -> None:
    add_topic(world, title, **fields)
    add_entity("Ada", world.services)
    add_entity("untitled", world.services)

    assert referred(world) is None
    assert "entity_id" not in world.one("ada", topic_ids=["topic"])


def test_the_entity_of_the_scope_comes_before_an_unscoped_entity(world: Asked) -> None:
    add_topic(world)
    unscoped = add_entity("Ada", world.services, scope=None)
    assert referred(world) == unscoped.id

    scoped = add_entity("Ada", world.services)

    assert referred(world) == scoped.id


def test_the_less_sensitive_entity_comes_first_unless_the_kind_differs(world: Asked) -> None:
    add_topic(world)
    above = add_entity("Ada", world.services, sensitivity="medium")
    assert referred(world) == above.id

    project = add_entity("Ada", world.services, payload={"primary_type": "Project"})

    assert referred(world) == above.id
    assert referred(world, trust={"max_sensitivity": "low"}) is None
    world.change("topic", topic_kind="project")
    assert referred(world) == project.id


def test_a_renamed_topic_names_the_entity_of_the_new_title(world: Asked) -> None:
    add_topic(world)
    ada, bob = add_entity("Ada", world.services), add_entity("Bob", world.services)
    assert referred(world) == ada.id

    world.change("topic", title="Bob")

    assert referred(world) == bob.id


def test_a_merged_entity_leads_to_the_absorbing_entity_until_the_split(world: Asked) -> None:
    add_topic(world)
    ada, countess = add_entity("Ada", world.services), add_entity("Countess", world.services)

    merging = MergeEntities(id=countess.id, entity_ids=(ada.id,))
    merge_entities(merging, call(merging, OWNER), world.services)
    assert referred(world) == countess.id

    splitting = SplitEntity(id=countess.id, entity_id=ada.id)
    split_entity(splitting, call(splitting, OWNER), world.services)
    assert referred(world) == ada.id


@pytest.mark.parametrize("ending", [Retract, DeleteRecord])
def test_a_retracted_or_deleted_entity_is_named_no_more(world: Asked, ending: Any) -> None:
    add_topic(world)
    ada = add_entity("Ada", world.services)

    change(ending(id=ada.id), world.services)

    assert referred(world) is None


@dataclass(frozen=True)
class Person:
    """An entity to be made, by its names."""

    id: str
    names: tuple[str, ...]
    scope: str | None
    level: Sensitivity
    type: str

    def add(self, world: Asked) -> None:
        """Put the entity into the world."""
        name, *others = self.names
        aliases = [{"value": each, "kind": "also"} for each in others]
        payload = entity_payload(name, aliases=aliases, primary_type=self.type)
        placed: dict[str, Any] = {"id": self.id, "scope": self.scope, "sensitivity": self.level}
        add_entity(name, world.services, payload=payload, **placed)


def person(entity_id: str) -> st.SearchStrategy[Person]:
    """An entity of that id."""
    return st.builds(
        Person,
        id=st.just(entity_id),
        names=st.lists(st.sampled_from(["Ada", "Bob", "@ada", "AL"]), min_size=1).map(tuple),
        scope=st.sampled_from([None, ALPHA, BETA]),
        level=st.sampled_from(LEVELS),
        type=st.sampled_from(["Person", "Project", "Other"]),
    )


PEOPLE = st.tuples(*map(person, "abcdef"))


def replies(people: Sequence[Person], principal: Principal) -> list[Any]:
    """All that a reader learns of topics in a world with these entities."""
    world = Asked()
    for number, title in enumerate(["Ada", "bob", "AL"]):
        world.add(f"topic-{number}", title, scope=ALPHA, sensitivity="public", topic_kind="person")
    for each in people:
        each.add(world)
    return [
        topic(world.services, "topic-0", principal),
        world.query("ada", principal, reinforce=False),
        graph(world.services, principal),
    ]


@settings(max_examples=examples(60))
@given(people=PEOPLE, level=st.sampled_from(LEVELS))
def test_a_hidden_entity_changes_no_word_of_a_reply(
    people: tuple[Person, ...], level: Sensitivity
) -> None:
    reader = principal_of("reader", ["read"], [ALPHA], level)
    seen = [each for each in people if reader.trust.allows(each.scope or "", each.level)]

    assert replies(people, reader) == replies(seen, reader)
