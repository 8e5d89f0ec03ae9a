"""MemState's tools that write topics."""

from typing import Any

import pytest

from tests.worlds.agents import Keeper


def test_a_topic_is_made_with_the_given_attributes(keeper: Keeper) -> None:
    made = keeper.do(
        "memory_create_topic", title="Ada", summary="a pilot", topic_kind="person", topic_id="ada"
    )

    topic = keeper.shown("ada")
    assert made == {"ok": True, "topic_id": "ada"}
    assert (topic["title"], topic["summary"], topic["topic_kind"]) == ("Ada", "a pilot", "person")
    assert topic["salience"] == 1.0


@pytest.mark.parametrize("title", ["", "  "])
def test_a_blank_title_is_untitled_and_a_salience_of_0_is_1(keeper: Keeper, title: str) -> None:
    topic_id = keeper.do("memory_create_topic", title=title, salience=0)["topic_id"]

    topic = keeper.do("memory_get_topic", topic_id=topic_id)["topic"]
    assert (topic["title"], topic["salience"]) == ("untitled", 1.0)


def test_an_absent_title_makes_no_topic(keeper: Keeper) -> None:
    assert keeper.refusal("memory_create_topic", summary="x") == {"error": "title required"}
    assert keeper.do("memory_list_topics")["total"] == 0


def test_an_id_in_use_is_refused(keeper: Keeper) -> None:
    keeper.do("memory_create_topic", title="Ada", topic_id="ada")

    refusal = keeper.refusal("memory_create_topic", title="Ada", topic_id="ada")

    assert refusal == {"error": "topic already exists", "tool": "memory_create_topic"}


def test_a_change_takes_given_attributes_and_keeps_null_ones(keeper: Keeper) -> None:
    ada = keeper.topic("Ada")
    keeper.do("memory_update_topic", topic_id=ada, summary="a pilot", salience="2.5")

    done = keeper.do("memory_update_topic", topic_id=ada, title=None, topic_kind="person")

    topic = keeper.shown(ada)
    assert done == {"ok": True, "topic_id": ada}
    assert (topic["title"], topic["summary"], topic["topic_kind"]) == ("Ada", "a pilot", "person")
    assert topic["salience"] == 2.5
    keeper.do("memory_update_topic", topic_id=ada, summary="")
    assert keeper.shown(ada)["summary"] == ""


@pytest.mark.parametrize(
    ("word", "archived"),
    [
        ("no", False),
        ("NO", False),
        ("off", False),
        ("false", False),
        (0, False),
        ("yes", True),
        ("on", True),
        ("1", True),
        (True, True),
    ],
)
def test_a_word_archives_by_its_meaning(keeper: Keeper, word: object, archived: bool) -> None:  # noqa: FBT001 - a parameter
    ada = keeper.topic("Ada")

    keeper.do("memory_update_topic", topic_id=ada, archived=word)

    assert keeper.shown(ada)["archived"] is archived


def test_a_word_without_a_meaning_is_refused(keeper: Keeper) -> None:
    ada = keeper.topic("Ada")

    refused = keeper.refused("memory_update_topic", topic_id=ada, archived="perhaps")
    assert refused == (400, "archived must be true or false")


def test_a_deleted_topic_can_be_restored_as_the_answer_says(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London")

    done = keeper.do("memory_delete_topic", topic_id=ada)

    assert done == {
        "ok": True,
        "deleted": ada,
        "restore": f"POST /v1/topics/{ada}/restore, with a key that has the permission revise",
    }
    assert keeper.refusal("memory_get_topic", topic_id=ada) == {"error": "topic not found"}
    assert keeper.api.post(f"/v1/topics/{ada}/restore", {}).status == 200
    assert keeper.fields(ada)["city"]["value"] == "London"


@pytest.mark.parametrize("tool", ["memory_update_topic", "memory_delete_topic"])
def test_an_absent_topic_is_not_changed(keeper: Keeper, tool: str) -> None:
    assert keeper.refusal(tool, topic_id="absent") == {"error": "topic not found"}
    assert keeper.refusal(tool) == {"error": "topic_id required"}


def test_an_edge_is_added_once_and_removed(keeper: Keeper) -> None:
    ada, rome = keeper.topic("Ada"), keeper.topic("Rome")
    edge = {"from_topic_id": ada, "to_topic_id": rome, "kind": ""}
    keeper.do("memory_add_relationship", **edge)
    keeper.do("memory_add_relationship", **edge)

    [shown] = keeper.do("memory_graph_snapshot")["data"]["edges"]
    assert (shown["from"], shown["to"], shown["kind"]) == (ada, rome, "")
    assert keeper.do("memory_remove_relationship", **edge) == {"ok": True}
    assert keeper.do("memory_remove_relationship", **edge) == {"ok": True, "existed": False}
    assert keeper.do("memory_graph_snapshot")["data"]["edges"] == []


@pytest.mark.parametrize("tool", ["memory_add_relationship", "memory_remove_relationship"])
def test_an_edge_has_two_topics_and_a_kind(keeper: Keeper, tool: str) -> None:
    ada = keeper.topic("Ada")

    for ends in (("absent", ada), (ada, "absent"), ("", ada)):
        given = dict(zip(("from_topic_id", "to_topic_id"), ends, strict=True))
        assert keeper.refusal(tool, **given, kind="x") == {"error": "topic not found"}
    lacking = keeper.refusal(tool, from_topic_id=ada, to_topic_id=ada)
    assert lacking == {"error": "kind required"}


def test_a_value_is_appended_with_reason_origin_and_reference(keeper: Keeper) -> None:
    ada, rome = keeper.topic("Ada"), keeper.topic("Rome")
    keeper.append(ada, "home", "Rome", ref_topic_id=rome, why_changed="moved", provenance="chat")

    home = keeper.do("memory_get_field", topic_id=ada, field_name="home")["field"]

    assert (home["value"], home["ref_topic_id"]) == ("Rome", rome)
    assert home["history"][0]["why_changed"] == "moved"
    assert home["history"][0]["provenance"] == "chat"


def test_a_reference_is_kept_when_absent_and_cleared_by_null_or_an_empty_text(
    keeper: Keeper,
) -> None:
    ada, rome = keeper.topic("Ada"), keeper.topic("Rome")

    for clearing in (None, ""):
        keeper.append(ada, "home", "Rome", ref_topic_id=rome)
        keeper.append(ada, "home", "Roma")
        assert keeper.fields(ada)["home"]["ref_topic_id"] == rome
        keeper.append(ada, "home", "Rome", ref_topic_id=clearing)
        assert keeper.fields(ada)["home"]["ref_topic_id"] is None


def test_a_type_is_kept_by_a_write_without_a_type(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", born="1815-12-10")
    keeper.append(ada, "born", "1815-12-11", field_type="date")

    keeper.append(ada, "born", "1815-12-10")

    assert keeper.fields(ada)["born"]["field_type"] == "date"


def test_an_omitted_value_is_refused_and_null_and_the_empty_text_are_values(
    keeper: Keeper,
) -> None:
    ada = keeper.topic("Ada")

    refusal = keeper.refusal("memory_append_field", topic_id=ada, field_name="city")

    assert refusal == {
        "error": "memory_append_field requires `value` with the fact to store. Omitting it used to "
        'record an empty string while still returning ok—retry with value set (use "" only if you '
        "intentionally mean an empty string)."
    }
    assert keeper.fields(ada) == {}
    keeper.append(ada, "city", None)
    keeper.append(ada, "note", "")
    assert {name: each["value"] for name, each in keeper.fields(ada).items()} == {
        "city": None,
        "note": "",
    }


def test_an_append_is_refused_in_memstates_words(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", age=36)
    keeper.nest(ada, "facts", "age")

    def refusal(**given: Any) -> object:
        asked = {"topic_id": ada, "field_name": "city", "value": "x", **given}
        return keeper.refusal("memory_append_field", **asked)

    named = {"tool": "memory_append_field"}
    assert refusal(topic_id="") == {"error": "topic_id and field_name required"}
    assert refusal(field_name=" ") == {"error": "topic_id and field_name required"}
    assert refusal(topic_id="absent") == {"error": "topic not found"}
    assert refusal(ref_topic_id="absent") == {"error": "ref_topic_id not found: absent", **named}
    assert refusal(field_name="facts.age", value="old") == {
        "error": "value is not of the field's type, int",
        **named,
    }
    assert refusal(field_name="facts") == {
        "error": "field_name is a nested field bundle: write to its fields, named <bundle>.<field>",
        **named,
    }


def test_a_deleted_field_keeps_its_history_and_an_absent_field_is_no_fault(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London")
    field = {"topic_id": ada, "field_name": "city"}

    assert keeper.do("memory_delete_field", **field) == {"ok": True, "deleted": "city"}
    again = keeper.do("memory_delete_field", **field)
    assert again == {"ok": True, "deleted": "city", "existed": False}
    keeper.append(ada, "city", "Ockham")
    history = keeper.do("memory_get_field_history", **field)["field"]["history"]
    assert [each["value"] for each in history] == ["Ockham", "London"]
    absent = {**field, "topic_id": "absent"}
    assert keeper.refusal("memory_delete_field", **absent) == {"error": "topic not found"}
    nameless = {"topic_id": ada, "field_name": ""}
    assert keeper.refusal("memory_delete_field", **nameless) == {
        "error": "topic_id and field_name required"
    }


def test_a_reference_makes_a_missing_field_and_is_cleared_by_its_absence(keeper: Keeper) -> None:
    ada, rome = keeper.topic("Ada"), keeper.topic("Rome")
    field = {"topic_id": ada, "field_name": "home"}

    assert keeper.do("memory_set_field_ref", **field, ref_topic_id=rome) == {"ok": True}
    assert keeper.fields(ada)["home"]["ref_topic_id"] == rome
    assert keeper.do("memory_set_field_ref", **field) == {"ok": True}
    assert keeper.fields(ada)["home"]["ref_topic_id"] is None
    assert keeper.refusal("memory_set_field_ref", **field, ref_topic_id="absent") == {
        "error": "ref_topic_id not found: absent",
        "tool": "memory_set_field_ref",
    }
    for topic_id, name, error in (
        ("absent", "home", "topic not found"),
        (ada, "absent", "field not found"),
        (ada, "", "topic_id and field_name required"),
    ):
        given = {"topic_id": topic_id, "field_name": name}
        assert keeper.refusal("memory_set_field_ref", **given) == {"error": error}


def test_fields_are_bundled_written_in_the_bundle_and_parted_again(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", phone="1", mail="a@b")
    names = [" phone ", "mail", "mail", ""]

    nested = keeper.do(
        "memory_nest_fields_in_topic", topic_id=ada, field_names=names, nest_key="contact"
    )
    keeper.append(ada, "contact.phone", "2")
    parted = keeper.do("memory_unnest_fields_in_topic", topic_id=ada, nest_key="contact")

    about = {"ok": True, "topic_id": ada, "nest_key": "contact"}
    assert nested == {**about, "moved_fields": ["phone", "mail"]}
    assert parted == {**about, "restored_fields": ["mail", "phone"]}
    assert keeper.fields(ada)["phone"]["value"] == "2"


NO_NAMES = "field_names must be a non-empty list of field name strings"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"topic_id": ""}, "topic_id required"),
        ({"nest_key": " "}, "nest_key required"),
        ({"topic_id": "absent"}, "topic not found"),
        ({"topic_id": "absent", "field_names": []}, "topic not found"),
        ({"field_names": None}, NO_NAMES),
        ({"field_names": []}, NO_NAMES),
        ({"field_names": "city"}, NO_NAMES),
        ({"field_names": ["city", 3]}, NO_NAMES),
        ({"field_names": [" "]}, "field_names must name at least one field"),
        ({"nest_key": "city"}, "nest_key must not be one of the grouped field names"),
        ({"nest_key": "phone"}, "field already exists: phone"),
        ({"field_names": ["absent"]}, "field not found: absent"),
    ],
)
def test_a_bundle_is_refused_in_memstates_words(
    keeper: Keeper, given: dict[str, Any], error: str
) -> None:
    ada = keeper.topic("Ada", city="London", phone="1")
    asked = {"topic_id": ada, "field_names": ["city"], "nest_key": "facts", **given}

    assert keeper.refusal("memory_nest_fields_in_topic", **asked) == {"error": error}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"topic_id": ""}, "topic_id and nest_key required"),
        ({"nest_key": None}, "topic_id and nest_key required"),
        ({"topic_id": "absent"}, "topic not found"),
        ({"nest_key": "absent"}, "field not found: absent"),
        ({"nest_key": "city"}, "field 'city' is not a nested field bundle"),
        (
            {"nest_key": "facts"},
            "cannot restore field 'age': name missing or already exists on topic",
        ),
    ],
)
def test_parting_a_bundle_is_refused_in_memstates_words(
    keeper: Keeper, given: dict[str, Any], error: str
) -> None:
    ada = keeper.topic("Ada", city="London", age=36)
    keeper.nest(ada, "facts", "age")
    keeper.append(ada, "age", 37)
    asked = {"topic_id": ada, "nest_key": "facts", **given}

    assert keeper.refusal("memory_unnest_fields_in_topic", **asked) == {"error": error}


def test_fields_become_a_topic_of_a_kind_and_come_back(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", phone="1", city="London")
    keeper.append(ada, "phone", "2")

    promoted = keeper.do(
        "memory_promote_fields_to_nested_topic",
        parent_topic_id=ada,
        field_names=["phone"],
        child_title="Contact",
        child_topic_id="contact",
        child_topic_kind="card",
        parent_link_field="card",
        max_history=1,
    )
    child = keeper.do("memory_get_topic", topic_id="contact")["topic"]
    link = keeper.do("memory_get_field", topic_id=ada, field_name="card")["field"]
    undone = keeper.do(
        "memory_undo_promote_nested_topic",
        parent_topic_id=ada,
        child_topic_id="contact",
        relationship_kind="",
    )

    assert promoted == {
        "ok": True,
        "child_topic_id": "contact",
        "moved_fields": ["phone"],
        "relationship_kind": "has_detail",
        "parent_link_field": "card",
    }
    assert child["topic_kind"] == "card"
    assert child["fields"]["phone"]["history_count"] == 2
    assert (link["value"], link["ref_topic_id"]) == ("Contact", "contact")
    assert link["history"][0]["provenance"] == "llm"
    assert undone == {
        "ok": True,
        "parent_topic_id": ada,
        "restored_fields": ["phone"],
        "removed_ref_fields": ["card"],
        "deleted_child_topic_id": "contact",
    }
    assert sorted(keeper.fields(ada)) == ["city", "phone"]


def test_a_promoted_topic_has_the_kind_of_the_parent_and_no_link_unless_named(
    keeper: Keeper,
) -> None:
    ada = keeper.do("memory_create_topic", title="Ada", topic_kind="person")["topic_id"]
    keeper.append(ada, "phone", "1")

    promoted = keeper.do(
        "memory_promote_fields_to_nested_topic",
        parent_topic_id=ada,
        field_names=["phone"],
        child_title="Contact",
    )

    child = keeper.do("memory_get_topic", topic_id=promoted["child_topic_id"])["topic"]
    assert child["topic_kind"] == "person"
    assert promoted["parent_link_field"] is None


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"parent_topic_id": ""}, "parent_topic_id required"),
        ({"parent_topic_id": "absent"}, "parent topic not found"),
        ({"parent_topic_id": "absent", "field_names": []}, "parent topic not found"),
        ({"field_names": []}, NO_NAMES),
        ({"field_names": {"a": 1}, "child_title": ""}, NO_NAMES),
        ({"child_title": " "}, "child_title required"),
        ({"relationship_kind": " "}, "relationship_kind required"),
        ({"field_names": [" "]}, "field_names must name at least one field on the parent"),
        (
            {"parent_link_field": "phone"},
            "parent_link_field must not be one of the moved field names",
        ),
        ({"field_names": ["absent"]}, "field not on parent topic: absent"),
        ({"child_topic_id": "rome"}, "topic_id already exists: rome"),
    ],
)
def test_a_promotion_is_refused_in_memstates_words(
    keeper: Keeper, given: dict[str, Any], error: str
) -> None:
    keeper.do("memory_create_topic", title="Rome", topic_id="rome")
    asked = {
        "parent_topic_id": keeper.topic("Ada", phone="1"),
        "field_names": ["phone"],
        "child_title": "Contact",
        **given,
    }

    assert keeper.refusal("memory_promote_fields_to_nested_topic", **asked) == {"error": error}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"parent_topic_id": ""}, "parent_topic_id and child_topic_id required"),
        ({"child_topic_id": None}, "parent_topic_id and child_topic_id required"),
        ({"parent_topic_id": "absent"}, "topic not found"),
        ({"child_topic_id": "absent"}, "child topic not found: absent"),
        ({"child_topic_id": "rome"}, "no RELATED edge from parent to child topic"),
        (
            {"relationship_kind": "other"},
            "no RELATED edge with kind 'other' from parent to child",
        ),
        (
            {},
            (
                "multiple RELATED edges from parent to child; pass relationship_kind "
                "(found: ['has_detail', 'knows'])"
            ),
        ),
        (
            {"relationship_kind": "has_detail"},
            "parent already has field 'phone'; rename or remove it on the parent before undo",
        ),
    ],
)
def test_undoing_a_promotion_is_refused_in_memstates_words_and_changes_nothing(
    keeper: Keeper, given: dict[str, Any], error: str
) -> None:
    keeper.do("memory_create_topic", title="Rome", topic_id="rome")
    ada = keeper.topic("Ada", phone="1")
    keeper.do(
        "memory_promote_fields_to_nested_topic",
        parent_topic_id=ada,
        field_names=["phone"],
        child_title="Contact",
        child_topic_id="contact",
        parent_link_field="card",
    )
    keeper.relate(ada, "contact")
    keeper.append(ada, "phone", "2")
    asked = {"parent_topic_id": ada, "child_topic_id": "contact", **given}

    assert keeper.refusal("memory_undo_promote_nested_topic", **asked) == {"error": error}
    assert sorted(keeper.fields(ada)) == ["card", "phone"]


def test_a_salience_above_the_ordinary_needs_revise_and_the_refusal_names_the_tool(
    keeper: Keeper,
) -> None:
    plain = keeper.with_key("ingest", "read")
    assert isinstance(plain, Keeper)

    refusal = plain.refusal("memory_create_topic", title="Ada", salience=3)

    assert refusal["tool"] == "memory_create_topic"
    assert "revise" in refusal["error"]


def test_what_was_written_is_read_before_the_index_has_it(keeper: Keeper) -> None:
    keeper.api.post("/_dev/stream", {"paused": True})

    ada = keeper.topic("Ada")

    assert keeper.do("memory_list_topics")["topic_ids"] == [ada]


def test_a_repeated_write_under_one_key_writes_once(keeper: Keeper) -> None:
    made = {
        str(keeper.ask("memory_create_topic", {"title": "Ada"}, idempotency_key="k").body["result"])
        for _ in "ab"
    }

    assert len(made) == 1
    assert keeper.do("memory_list_topics")["total"] == 1
