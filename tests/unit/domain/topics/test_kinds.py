"""The topics of documents take nothing in by likeness."""

from dataclasses import replace

import pytest

from membrane.domain.topics.kinds import is_kept_apart, says_nothing, stands_for_document
from membrane.domain.topics.placing.likely_topics import may_be_of
from membrane.domain.topics.placing.observations import Observation
from membrane.domain.topics.reasoning.duplicates import may_be_one
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.requests.editing import AppendField
from membrane.domain.topics.topic import Topic
from membrane.usecases.topics.editing.fields import append_field
from tests.worlds.studies import Student


def document_of(student: Student) -> Topic:
    """The topic of a document that the student has studied."""
    document = student.services.topics.load(student.study()["document_id"])
    assert document is not None
    return document


def test_two_sections_of_one_title_are_no_duplicates() -> None:
    student = Student()
    student.study()
    safety = student.topics["Safety"]

    assert not may_be_one(safety, replace(safety, id="other", fields={}))
    ordinary = replace(safety, kind="manual", fields={})
    assert may_be_one(ordinary, replace(ordinary, id="other"))


def test_two_documents_of_one_title_are_no_duplicates() -> None:
    student = Student()
    document = document_of(student)

    assert not may_be_one(document, replace(document, id="other", fields={}))
    renamed = replace(document, kind="manual")
    assert not may_be_one(renamed, replace(renamed, id="other", fields={}))
    assert not may_be_one(replace(renamed, id="other", fields={}), renamed)


def test_only_the_id_leads_to_a_document() -> None:
    student = Student()
    document = document_of(student)

    assert stands_for_document(document)
    assert not stands_for_document(student.topics["Safety"])
    assert not stands_for_document(replace(document, fields={}))
    assert not may_be_of(document, Observation(title="The kettle", kind="document"))
    assert not may_be_of(document, Observation(title="The kettle"))
    own = replace(document, fields={})
    assert may_be_of(own, Observation(title="The kettle", kind="document"))


def test_the_index_has_the_kind_of_a_document() -> None:
    assert "document" in searchable_topic(document_of(Student())).text


def test_an_observation_extends_a_section_only_by_its_kind() -> None:
    student = Student()
    student.study()
    safety = student.topics["Safety"]

    assert not may_be_of(safety, Observation(title="Safety"))
    assert may_be_of(safety, Observation(title="Safety", kind=safety.kind))


def test_the_index_has_neither_ids_nor_numbers_of_a_section() -> None:
    student = Student()
    student.study()
    safety = student.topics["Safety"]
    note = AppendField(id=safety.id, field_name="note", value="mine")
    append_field(note, student.call(), student.services)

    text = searchable_topic(student.topics["Safety"]).text

    assert "document:" not in text
    assert "p0001" not in text
    assert "note mine" in text
    assert "Keep children away" in text


@pytest.mark.parametrize(
    ("kind", "is_apart"),
    [
        ("document:1", True),
        ("Document:1", True),
        ("study:1", True),
        ("document", True),
        (" Document", True),
        ("documents", False),
        ("", False),
    ],
)
def test_the_kinds_of_studies_are_kept_apart(kind: str, *, is_apart: bool) -> None:
    assert is_kept_apart(kind) is is_apart


@pytest.mark.parametrize(
    ("name", "nothing"), [("p0001", True), ("p0001-2", True), ("names", True), ("price", False)]
)
def test_a_number_says_nothing(name: str, *, nothing: bool) -> None:
    assert says_nothing(name) is nothing
