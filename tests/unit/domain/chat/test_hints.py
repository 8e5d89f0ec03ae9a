"""The hints about calls for programs that draw the graph of topics."""

from typing import Any

import pytest

from membrane.domain.chat.hints import Action, hints_of
from membrane.usecases.tools.memstate.table import MEMSTATE_TOOLS

ID = "0123456789abcdef"


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("memory_list_topics", {}, ("scan", "scan", "Scanning topics")),
        ("memory_get_topic", {"topic_id": ID}, ("read", "topic", "Reading topic 01234567")),
        (
            "memory_get_field",
            {"topic_id": ID, "field_name": "age"},
            ("read", "field", "Reading field age"),
        ),
        (
            "memory_append_field",
            {"topic_id": ID, "field_name": "age"},
            ("write_field", "field", "Writing field age"),
        ),
        (
            "memory_create_topic",
            {"title": "Ada"},
            ("write_topic", "topic", "Creating topic Ada"),
        ),
        (
            "memory_delete_topic",
            {"topic_id": ID},
            ("write_topic", "topic", "Deleting topic 01234567"),
        ),
        (
            "memory_add_relationship",
            {"from_topic_id": ID, "to_topic_id": "b", "kind": "knows"},
            ("write_edge", "topic", "Linking topics (knows)"),
        ),
        (
            "memory_nest_fields_in_topic",
            {"topic_id": ID, "field_names": ["a", "b"], "nest_key": "n"},
            ("reorganize", "topic", "Reorganizing topic 01234567"),
        ),
        ("memory_reorganize_merge_topics", {}, ("reorganize", "scan", "Planning a reorganisation")),
        ("recall", {"query": "x"}, ("other", "topic", "recall")),
    ],
)
def test_a_call_has_action_focus_and_label(
    tool: str, args: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    hints = hints_of(tool, args, None)

    assert (hints["action"], hints["viz_focus"], hints["label"]) == expected
    assert hints["ok"] is True


def test_every_tool_of_memstate_but_the_catalog_is_in_a_group() -> None:
    actions = {each.name: hints_of(each.name, {}, None)["action"] for each in MEMSTATE_TOOLS}

    other = [name for name, action in actions.items() if action == Action.OTHER]
    assert other == ["study_unit_catalog"]


def test_topics_come_from_the_arguments_then_from_the_result() -> None:
    result = {"ok": True, "topics": [{"id": "a"}, {"id": "b"}], "topic_id": "c"}

    hints = hints_of("memory_list_topics", {"topic_id": "b"}, result)

    assert hints["topic_ids"] == ["b", "a", "c"]
    assert hints["label"] == "Scanning 3 topics"


def test_an_edge_has_its_ends_and_kind() -> None:
    args = {"from_topic_id": "a", "to_topic_id": "b", "kind": "knows"}

    hints = hints_of("memory_add_relationship", args, {"ok": True})

    assert hints["edge"] == args
    assert "edge" not in hints_of("memory_get_topic", {"topic_id": "a"}, None)


def test_a_read_bundle_lists_all_its_fields() -> None:
    bundle = {"_memstate_nested": True, "fields": {"x": {}, "y": {}}}
    args = {"topic_id": ID, "field_name": "n"}

    hints = hints_of("memory_get_field", args, {"ok": True, "field": {"value": bundle}})

    assert hints["field_names"] == ["x", "y"]


def test_a_field_in_a_bundle_names_both() -> None:
    args = {"topic_id": ID, "field_name": "n", "nested_field_name": "x"}

    hints = hints_of("memory_get_field", args, None)

    assert hints["field_target"] == {"name": "x", "nest_key": "n"}
    assert hints["nest_key"] == "n"
    assert hints["highlight_fields"] == ["x"]


def test_a_refusal_shows() -> None:
    result = {"ok": False, "error": "topic not found"}

    assert hints_of("memory_get_topic", {"topic_id": ID}, result)["ok"] is False
