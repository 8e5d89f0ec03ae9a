"""Topics and entities of one name over HTTP: each names the other, as far as a reader may see."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.http.test_rights import make_entity
from tests.worlds.api import Api
from tests.worlds.depth import examples
from tests.worlds.topic_client import Topics

SCOPE, BETA = "project:alpha", "project:beta"
MOST_TITLES = 40
"""That are looked up for one reply."""

LEVELS = ("public", "low", "medium", "high")
NUMBERS = count()


def entity(topics: Topics, name: str = "Ada", **fields: Any) -> str:
    """The id of a new entity, by default a person of the scope."""
    usual = {"scope": SCOPE, "sensitivity": "low", "primary_type": "Person", "aliases": []}
    asked = usual | fields
    payload = {each: asked.pop(each) for each in ("primary_type", "aliases")}
    payload |= {"kind": "entity", "canonical_name": name}
    return make_entity(topics.api, name, payload=payload, **asked)


def subject(topics: Topics, title: str = "Ada", **fields: Any) -> str:
    """The id of a new topic, by default a person of the scope."""
    return topics.make(title, **{"scope": SCOPE, "topic_kind": "person", **fields})


def referred(topics: Topics, topic_id: str, **query: str) -> str | None:
    """The entity that a read of the topic names."""
    return topics.read(topic_id, **query).get("entity_id")


def having(topics: Topics, entity_id: str, query: str = "") -> list[str]:
    """The topics that the page of an entity has."""
    return [each["id"] for each in topics.do("GET", f"entities/{entity_id}{query}")["topics"]]


def searched(topics: Topics, q: str) -> list[dict[str, Any]]:
    """The topics that a search for names finds."""
    return list(topics.do("GET", f"entities?q={q}").get("topics", []))


def test_a_topic_names_the_entity_of_its_title_in_all_replies(topics: Topics) -> None:
    made, other = subject(topics, "ada  LOVELACE"), subject(topics, "Somebody")
    topics.relate(made, "knows", other)
    initials = subject(topics, "al", topic_kind="")
    ada = entity(topics, "Countess", aliases=[{"value": "Ada Lovelace", "kind": "name"}, "AL"])

    assert referred(topics, made) == ada
    assert topics.one("ada", topic_ids=[made])["entity_id"] == ada
    stages = ["semantic", "temporal"]
    assert "entity_id" not in topics.one("ada", topic_ids=[made], stages=stages)
    nodes = {each["id"]: each.get("entity_id") for each in topics.graph(scope=SCOPE)["nodes"]}
    assert nodes == {made: ada, other: None, initials: ada}
    assert having(topics, ada) == [made, initials]
    found = [(each["id"], each["entity_id"]) for each in searched(topics.of(SCOPE), "ada%20l")]
    assert found == [(made, ada), (initials, ada)]
    assert searched(topics.of(SCOPE), "nobody") == []


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        ("Bob", {}),
        ("Ada", {"topic_kind": "project"}),
        ("Ada", {"scope": BETA}),
        ("untitled", {}),
        ("@", {}),
        ("a" * 1_000, {}),
    ],
)
def test_a_topic_of_another_name_kind_or_scope_names_no_entity(
    topics: Topics, title: str, fields: dict[str, Any]
) -> None:
    made = subject(topics, title, **fields)
    entities = [entity(topics, "Ada"), entity(topics, "untitled")]

    assert referred(topics, made) is None
    assert [having(topics, each) for each in entities] == [[], []]


def test_the_entity_of_the_scope_and_of_the_lesser_sensitivity_comes_first(topics: Topics) -> None:
    made, found = subject(topics), []

    for placed in (
        {"scope": None},
        {"sensitivity": "medium"},
        {},
        {"primary_type": "Project", "sensitivity": "public"},
    ):
        each = entity(topics, **placed)
        found.append((referred(topics, made), each))

    ids = [each for _, each in found]
    assert [named for named, _ in found] == [*ids[:3], ids[2]]
    assert having(topics.of(SCOPE), ids[0]) == []
    topics.change(made, topic_kind="project")
    assert referred(topics, made) == ids[3]


def test_an_unscoped_entity_has_the_topics_of_the_scopes_that_a_reader_lists(
    topics: Topics,
) -> None:
    scoped, unscoped = subject(topics), subject(topics, scope="")
    ada = entity(topics, scope=None)

    assert having(topics, ada) == [unscoped]
    assert having(topics, ada, f"?scope={SCOPE}") == [unscoped, scoped]
    assert having(topics.of(SCOPE), ada) == [unscoped, scoped]


def test_what_is_renamed_merged_split_or_ended_names_what_it_is_by_now(topics: Topics) -> None:
    made, deleted = subject(topics), subject(topics)
    ada, countess, bob = (entity(topics, each) for each in ("Ada", "Countess", "Bob"))
    topics.delete(deleted)

    topics.do("POST", f"entities/{countess}/merge", {"entity_ids": [ada]})
    merged = referred(topics, made), having(topics, countess)
    topics.do("POST", f"entities/{countess}/split", {"entity_id": ada})
    parted = referred(topics, made), having(topics, countess)
    topics.change(made, title="Bob")
    renamed = referred(topics, made), having(topics, ada)
    topics.api.post(f"/v1/records/{bob}/retract", {})

    assert merged == (countess, [made])
    assert parted == (ada, [])
    assert renamed == (bob, [])
    assert referred(topics, made) is None


def test_few_titles_are_looked_up(topics: Topics) -> None:
    for number in range(MOST_TITLES + 1):
        subject(topics, f"Ada {number}", topic_kind="")
        entity(topics, f"Ada {number}")

    assert len(searched(topics.of(SCOPE), "ada")) == MOST_TITLES


ENTITIES = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["Ada", "Bob", "@ada", "AL"]),
            "aliases": st.lists(st.sampled_from(["Ada", "AL"]), max_size=1),
            "scope": st.sampled_from([None, "own", "other"]),
            "sensitivity": st.sampled_from(LEVELS),
            "primary_type": st.sampled_from(["Person", "Project", "Other"]),
        }
    ),
    max_size=6,
)
SUBJECTS = st.lists(
    st.fixed_dictionaries(
        {
            "title": st.sampled_from(["Ada", "ada", "Bob", "AL"]),
            "scope": st.sampled_from(["", "own", "other"]),
            "sensitivity": st.sampled_from(LEVELS),
            "topic_kind": st.sampled_from(["", "person", "project"]),
        }
    ),
    max_size=6,
)


@settings(max_examples=examples(50))
@given(entities=ENTITIES, subjects=SUBJECTS, level=st.sampled_from(LEVELS))
def test_both_name_each_other_and_what_is_hidden_changes_no_word(
    local_api: Api, entities: list[Any], subjects: list[Any], level: str
) -> None:
    topics, mark = Topics(local_api), f"x{next(NUMBERS)}"
    topics.freeze()
    reader = topics.of(f"own-{mark}", ceiling=level)

    def is_seen(each: Any) -> bool:
        return each["scope"] != "other" and LEVELS.index(each["sensitivity"]) <= LEVELS.index(level)

    def placed(each: Any) -> Any:
        """With names and scopes of this example alone."""
        texts = {name: f"{each[name]} {mark}" for name in ("name", "title") if name in each}
        aliases = [f"{one} {mark}" for one in each.get("aliases", ())]
        scope = f"{each['scope']}-{mark}" if each["scope"] else each["scope"]
        more = {"aliases": aliases} if "aliases" in each else {}
        return {**each, **texts, **more, "scope": scope}

    people = [entity(topics, **placed(each)) for each in entities if is_seen(each)]
    about = [subject(topics, **placed(each)) for each in subjects if is_seen(each)]

    def replies() -> list[Any]:
        pages = [having(reader, each) for each in people]
        return [*pages, *map(reader.read, about), reader.graph(), searched(reader, f"ada%20{mark}")]

    before = replies()
    for each in entities:
        is_seen(each) or entity(topics, **placed(each))
    for each in subjects:
        is_seen(each) or subject(topics, **placed(each))

    assert replies() == before
    for topic_id in about:
        of = [each for each in people if topic_id in having(reader, each)]
        named = referred(reader, topic_id)
        assert of == ([] if named is None else [named])
