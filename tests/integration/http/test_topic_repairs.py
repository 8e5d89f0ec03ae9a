"""What MemState loses, hides or leaves open, and what becomes of it here, over HTTP."""

from typing import Any

import pytest

from tests.worlds.topic_client import Topics, field


def new(topics: Topics, title: str, *fields: dict[str, Any], **body: Any) -> str:
    """The id of a new topic."""
    return str(topics.tell(*fields, placement="new_topic", title=title, **body)["topic_id"])


def versioned(topics: Topics, topic_id: str, *fields: dict[str, Any], **body: Any) -> None:
    topics.tell(*fields, placement="version_field", topic_id=topic_id, **body)


# --- retrieval ----------------------------------------------------------------------------------


def test_a_question_finds_what_it_is_about_without_a_model_in_the_cloud(topics: Topics) -> None:
    meant = new(topics, "Billing service", field("runs_on", "three virtual machines"))
    new(topics, "Office plants", field("watered_by", "Ada"))
    topics.settle()

    assert topics.found("Where do we run billing?")[0] == meant


def test_topics_of_editors_are_found_too_and_a_new_title_is_searched_at_once(
    topics: Topics,
) -> None:
    made = topics.make("Zeppelin hangar")
    parent = new(topics, "Airfield", field("tower", "north"), field("runway", "grass"))
    asked = {"field_names": ["runway"], "child_title": "Grass strip"}
    child = topics.do("POST", f"topics/{parent}/promote-nested", asked)["child_topic_id"]
    topics.settle()

    found = [topics.found(q)[0] for q in ("zeppelin", "grass strip")]
    topics.change(made, title="Sausage recipes")
    topics.settle()

    assert found == [made, child]
    assert topics.found("sausage")[0] == made
    assert topics.found("zeppelin")[0] != made


def test_a_fact_that_stands_in_a_field_alone_is_found(topics: Topics) -> None:
    meant = new(topics, "Ada", field("employer", "Wonderland Shipyards"))
    new(topics, "Bob", field("employer", "the railway"))
    topics.settle()

    assert topics.found("shipyards")[0] == meant


def test_an_allow_list_is_applied_before_the_cut(topics: Topics) -> None:
    made = [new(topics, f"Lighthouse number {number}") for number in range(12)]
    allowed = new(topics, "Harbour", field("near", "a lighthouse, they say"))
    topics.settle()

    assert topics.found("lighthouse number", top_k=3, topic_ids=[allowed]) == [allowed]
    assert len(topics.found("lighthouse number", top_k=3)) == 3
    assert len(topics.found("lighthouse number", top_k=100)) >= len(made)


@pytest.mark.parametrize("top_k", [0, -1, 101, "3", 2.5])
def test_how_many_are_wanted_is_a_number_from_1_to_100(topics: Topics, top_k: Any) -> None:
    reply = topics.call("POST", "query", {"q": "anything", "top_k": top_k})

    assert reply.status == 400
    assert reply.body["errors"][0]["field"] == "top_k"


def test_neighbours_have_a_kind_and_a_direction_and_references_are_followed(
    topics: Topics,
) -> None:
    city, friend, archived = (new(topics, each) for each in ("Paris", "Bob", "Carl"))
    edges = [{"to_topic_id": friend, "kind": "knows"}, {"to_topic_id": archived, "kind": "knew"}]
    ada = new(topics, "Ada", field("home", "in Paris", ref_topic_id=city), edges=edges)
    topics.relate(friend, "likes", ada)
    topics.change(archived, archived=True)

    shown = topics.one(topic_ids=[ada], stages=["structural"])

    names = ("id", "title", "kind", "direction")
    assert {tuple(each[name] for name in names) for each in shown["neighbors"]} == {
        (friend, "Bob", "knows", "out"),
        (friend, "Bob", "likes", "in"),
        (city, "Paris", "field:home", "out"),
    }


# --- salience and merging -----------------------------------------------------------------------


def test_no_write_resets_the_salience_that_was_given_or_earned(topics: Topics) -> None:
    made = new(topics, "Ada", field("city", "Paris"), salience=2.5)
    topics.settle()
    topics.do("POST", "query", {"q": "Ada", "topic_ids": [made]})
    topics.settle()

    versioned(topics, made, field("city", "Rome"))

    assert topics.read(made)["salience"] == pytest.approx(2.6, rel=1e-3)


def test_only_what_is_the_same_is_merged(topics: Topics) -> None:
    made = [
        new(topics, ""),
        new(topics, ""),
        new(topics, "Mercury", topic_kind="planet"),
        new(topics, "Mercury", topic_kind="metal"),
        new(topics, "Mercury", topic_kind="metal", scope="chemistry"),
    ]

    topics.wait()

    assert [topics.read(each)["id"] for each in made] == made


def test_an_id_that_was_returned_works_for_ever(topics: Topics) -> None:
    made = [new(topics, "Ada", field("a", 1)), new(topics, "Ada", field("b", 2))]
    topics.wait()

    for each in made:
        topics.tell(field("later", each), placement="extend_topic", topic_id=each)

    assert topics.read(made[0])["id"] == topics.read(made[1])["id"]
    assert sorted(topics.values(made[0], "later")) == sorted(made)


# --- writes -------------------------------------------------------------------------------------


def test_nothing_that_is_asked_for_is_dropped_without_a_word(topics: Topics) -> None:
    friend, made = new(topics, "Bob"), new(topics, "Ada", field("city", "Paris"))
    asked = {"title": "Ada L.", "summary": "a pilot", "topic_kind": "person"}

    edges = [{"to_topic_id": friend, "kind": "knows"}]
    versioned(topics, made, field("city", "Rome"), edges=edges, **asked)

    assert topics.read(made).items() >= asked.items()
    bundle = topics.one(topic_ids=[made], stages=["structural"])
    assert [each["id"] for each in bundle["neighbors"]] == [friend]


def test_sizes_have_limits_and_reading_rewrites_nothing(topics: Topics) -> None:
    made = new(topics, "Ada", field("city", "Paris"))
    topics.settle()
    before = topics.read(made)

    for _ in range(3):
        topics.do("POST", "query", {"q": "Ada"})
    topics.settle()

    after = topics.read(made)
    assert after["updated_at"] == before["updated_at"]
    assert after["topic_history"] == before["topic_history"]
    assert len(after["access_trail"]) == 3
    for too_much, status in (({"title": "x" * 100_001}, 400), ({"summary": "x" * 7_000_000}, 413)):
        reply = topics.call("POST", "ingest", {"placement": "new_topic", **too_much})
        assert reply.status == status


def test_no_caller_can_destroy_history(topics: Topics) -> None:
    made = new(topics, "Ada", field("city", "Paris"))

    topics.append(made, "city", "Rome", max_history=1)

    assert topics.values(made, "city") == ["Rome", "Paris"]


def test_errors_are_told_alike_everywhere(topics: Topics) -> None:
    made = new(topics, "Ada")

    taken = topics.call("POST", "topics", {"title": "Ada", "topic_id": made})
    absent = [
        topics.call("PUT", "topics/no/fields/a/ref", {"ref_topic_id": None}),
        topics.call("DELETE", "topics/no/fields/a"),
        topics.call("DELETE", f"topics/{made}/fields/no"),
        topics.call("DELETE", f"topics/{made}/relationships?to_topic_id=no&kind=knows"),
        topics.call("GET", "topics/no"),
    ]

    assert (taken.status, taken.body["code"]) == (409, "ALREADY_EXISTS")
    assert [(each.status, each.body["code"]) for each in absent] == [(404, "NOT_FOUND")] * 5


def test_a_key_comes_in_authorization_alone(topics: Topics) -> None:
    headers = {"x-api-key": topics.api.secret}

    other = topics.api.post("/v1/query", {"q": "Ada"}, key="", headers=headers)

    assert other.status == 401
    assert topics.ask("Ada") == []
