"""The mentions of a capture, from fields and text."""

from typing import Any

import pytest

from membrane.domain.entities.mentions import KNOWN_CONFIDENCE, mentions_of
from membrane.domain.entities.surfaces import MAX_MENTIONS
from membrane.domain.entities.texts import MAX_SCANNED_CHARACTERS, TEXT_KEYS, text_of

NAMES = {"orchid": {"orchid": "entity-1"}, "src/a.py": {"src/a.py": "entity-2"}}


def found(content: Any, context: Any = None) -> list[str]:
    return [each.surface for each in mentions_of(content, context, NAMES)]


def test_fields_come_first_then_the_text_of_content_and_context() -> None:
    content = {"text": "OPS-1 and Orchid", "project": "Zed"}

    assert found(content, {"text": "OPS-2"}) == ["Zed", "OPS-1", "Orchid", "OPS-2"]


def test_a_name_of_a_field_is_not_mentioned_again_by_the_text() -> None:
    (mention,) = mentions_of({"project": "Orchid", "text": "ORCHID is up"}, None, NAMES)

    assert (mention.surface, mention.entity_kind) == ("Orchid", "project")


def test_a_known_name_has_the_entity_and_the_kind_of_its_form() -> None:
    orchid, file = mentions_of("Orchid reads src/a.py", None, NAMES)

    assert (orchid.canonical_entity_id, orchid.entity_kind) == ("entity-1", "")
    assert (file.canonical_entity_id, file.entity_kind) == ("entity-2", "file")
    assert orchid.confidence == file.confidence == KNOWN_CONFIDENCE


def test_a_longer_written_name_hides_a_known_name() -> None:
    assert found('the "Orchid Next" plan') == ["Orchid Next"]


def test_a_capture_has_a_limited_number_of_mentions() -> None:
    text = " ".join(f"OPS-{number}" for number in range(1, 100))

    surfaces = found({"text": text, "project": "Zed"})

    assert surfaces == ["Zed", *text.split()[: MAX_MENTIONS - 1]]


@pytest.mark.parametrize("key", sorted(TEXT_KEYS))
def test_the_texts_of_an_object_are_read(key: str) -> None:
    assert text_of({key: "one", "other": "two"}, {key: 7}) == "one"


@pytest.mark.parametrize("content", [None, 7, ["one"], {"text": None}])
def test_other_values_have_no_text(content: Any) -> None:
    assert text_of(content) == ""


def test_texts_stand_in_order_with_a_blank_line_between() -> None:
    assert text_of({"title": "a", "text": "b"}, "c") == "a\n\nb\n\nc"


def test_long_texts_are_cut() -> None:
    assert len(text_of("a" * 30_000, "b" * 30_000)) == MAX_SCANNED_CHARACTERS
