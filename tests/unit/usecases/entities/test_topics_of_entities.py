"""The topics that refer to an entity, as far as the reader may see the topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.entities.requests import ListEntities, ReadEntity
from membrane.domain.language.json_text import Body
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.requests.editing import DeleteTopic
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.topics.topics_of_entities import MAX_TITLES
from tests.builders.entities import add_entity, entity_payload
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import ask
from tests.builders.topic_readers import topic
from tests.worlds.depth import examples
from tests.worlds.queried_topics import Asked

ALPHA, BETA = "project:alpha", "project:beta"
LEVELS = tuple(Sensitivity)[:4]
READER = principal_of("reader", ["read"], [ALPHA], "low")


@pytest.fixture
def world() -> Asked:
    """A world of fakes."""
    return Asked()


def add_topic(world: Asked, topic_id: str, title: str = "Ada", **fields: Any) -> str:
    """A topic, by default a person of the scope ALPHA."""
    usual = {"scope": ALPHA, "topic_kind": "person", "sensitivity": "low"}
    return world.add_unindexed(topic_id, title, **{**usual, **fields})


def page(world: Asked, entity_id: str, principal: Principal = OWNER, **asked: Any) -> Body:
    request = validate(ReadEntity, {"id": entity_id, **asked})
    return read_entity(request, call(request, principal), world.services).body


def topic_ids(
    world: Asked, entity_id: str, principal: Principal = OWNER, **asked: Any
) -> list[str]:
    return [each["id"] for each in page(world, entity_id, principal, **asked)["topics"]]


def listed(world: Asked, principal: Principal = READER, **asked: Any) -> Body:
    request = ListEntities(**asked)
    return list_entities(request, call(request, principal), world.services).body


def test_the_page_of_an_entity_has_the_topics_of_all_names(world: Asked) -> None:
    add_topic(world, "initials", "al", topic_kind="")
    add_topic(world, "name", "ada  LOVELACE")
    add_topic(world, "stranger", "Ada")
    aliases = [{"value": "AL", "kind": "initials"}]
    ada = add_entity("Ada Lovelace", world.services, payload={"aliases": aliases})

    assert page(world, ada.id)["topics"] == [
        {"id": "name", "title": "ada  LOVELACE"},
        {"id": "initials", "title": "al"},
    ]


def test_a_search_for_names_also_finds_topics(world: Asked) -> None:
    add_topic(world, "topic")
    ada = add_entity("Ada", world.services)
    add_entity("Adam", world.services)
    found = [{"id": "topic", "title": "Ada", "entity_id": ada.id}]

    assert listed(world, q="ad")["topics"] == found
    assert "topics" not in listed(world, q="adam")
    assert "topics" not in listed(world)


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        ("Bob", {}),
        ("Ada", {"topic_kind": "project"}),
        ("Ada", {"scope": BETA}),
        ("Ada", {"scope": ""}),
        ("untitled", {}),
    ],
)
def test_an_entity_has_no_topics_of_another_name_kind_or_scope(
    world: Asked, title: str, fields: dict[str, Any]
) -> None:
    add_topic(world, "topic", title, **fields)
    ada = add_entity("Ada", world.services)
    untitled = add_entity("untitled", world.services)

    assert topic_ids(world, ada.id) == topic_ids(world, untitled.id) == []


def test_an_unscoped_entity_has_the_topics_of_the_scopes_that_a_key_or_a_request_lists(
    world: Asked,
) -> None:
    add_topic(world, "scoped")
    add_topic(world, "unscoped", scope="")
    ada = add_entity("Ada", world.services, scope=None)

    assert topic_ids(world, ada.id) == ["unscoped"]
    assert topic_ids(world, ada.id, trust={"scopes": [ALPHA]}) == ["unscoped", "scoped"]
    assert topic_ids(world, ada.id, READER) == ["unscoped", "scoped"]


def test_a_topic_belongs_to_the_entity_of_its_scope_alone(world: Asked) -> None:
    add_topic(world, "topic")
    unscoped = add_entity("Ada", world.services, scope=None)
    scoped = add_entity("Ada", world.services)

    assert topic_ids(world, scoped.id, READER) == ["topic"]
    assert topic_ids(world, unscoped.id, READER) == []


def test_a_renamed_or_deleted_topic_leaves_the_page(world: Asked) -> None:
    for each in ("renamed", "deleted", "kept"):
        add_topic(world, each)
    ada = add_entity("Ada", world.services)

    world.change("renamed", title="Bob")
    ask(DeleteTopic(id="deleted"), world.services)

    assert topic_ids(world, ada.id) == ["kept"]


def test_few_titles_are_looked_up_and_canonical_names_first(world: Asked) -> None:
    for number in range(MAX_TITLES):
        add_topic(world, f"topic-{number}", f"Ada {number}", topic_kind="")
        add_entity(f"Ada {number}", world.services, payload={"aliases": [f"Countess {number}"]})
    add_topic(world, "countess", "Countess 0", topic_kind="")

    found = [each["id"] for each in listed(world, q="ada")["topics"]]

    assert len(found) == MAX_TITLES
    assert "countess" not in found


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic to be made."""

    id: str
    title: str
    scope: str
    level: Sensitivity
    kind: str

    def add(self, world: Asked) -> None:
        """Put the topic into the world."""
        placed = {"scope": self.scope, "sensitivity": self.level, "topic_kind": self.kind}
        add_topic(world, self.id, self.title, **placed)


def subject(topic_id: str) -> st.SearchStrategy[Subject]:
    """A topic of that id."""
    return st.builds(
        Subject,
        id=st.just(topic_id),
        title=st.sampled_from(["Ada", "ada", "Bob", "AL"]),
        scope=st.sampled_from(["", ALPHA, BETA]),
        level=st.sampled_from(LEVELS),
        kind=st.sampled_from(["", "person", "project"]),
    )


SUBJECTS = st.tuples(*map(subject, "abcdef"))

ENTITIES = (("ada", "Ada", ALPHA), ("countess", "Countess", ALPHA), ("bob", "Bob", None))


def world_with(subjects: Sequence[Subject]) -> Asked:
    """A world with some public entities, and with the topics."""
    world = Asked()
    for each in subjects:
        each.add(world)
    for entity_id, name, scope in ENTITIES:
        aliases = [{"value": "AL", "kind": "initials"}] if name == "Countess" else []
        payload = entity_payload(name, aliases=aliases)
        placed: dict[str, Any] = {"id": entity_id, "scope": scope, "sensitivity": "public"}
        add_entity(name, world.services, payload=payload, **placed)
    return world


def replies(world: Asked, principal: Principal) -> list[Any]:
    """All that a reader learns of topics from entities."""
    pages = [page(world, entity_id, principal)["topics"] for entity_id, _, _ in ENTITIES]
    return [*pages, listed(world, principal, q="a"), listed(world, principal, q="bob")]


@settings(max_examples=examples(60))
@given(subjects=SUBJECTS, level=st.sampled_from(LEVELS))
def test_a_hidden_topic_changes_no_word_of_a_reply(
    subjects: tuple[Subject, ...], level: Sensitivity
) -> None:
    reader = principal_of("reader", ["read"], [ALPHA], level)
    seen = [each for each in subjects if reader.trust.allows(each.scope, each.level)]

    assert replies(world_with(subjects), reader) == replies(world_with(seen), reader)


@settings(max_examples=examples(60))
@given(subjects=SUBJECTS)
def test_an_entity_has_a_topic_exactly_if_the_topic_refers_to_the_entity(
    subjects: tuple[Subject, ...],
) -> None:
    world = world_with(subjects)
    reader = principal_of("reader", ["read"], [ALPHA], LEVELS[-1])

    for each in subjects:
        if reader.trust.allows(each.scope, each.level):
            entity_id = topic(world.services, each.id, reader).get("entity_id")
            having = [own for own, _, _ in ENTITIES if each.id in topic_ids(world, own, reader)]
            assert having == ([] if entity_id is None else [entity_id])
