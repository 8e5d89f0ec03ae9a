"""What may be told of a topic: shapes, types and sizes."""

from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validate
from membrane.domain.topics.requests.ingest import FieldInput, IngestTopic


def told(**body: Any) -> IngestTopic:
    """The request of a body."""
    return validate(IngestTopic, body)


def one(**body: Any) -> FieldInput:
    """The only field of a request."""
    [field] = told(fields=[{"name": "a", **body}]).fields
    return field


def test_nothing_is_required() -> None:
    asked = told()

    assert (asked.placement, asked.title, asked.summary, asked.salience) == (None, "", None, None)
    assert (asked.fields, asked.edges, asked.suggest_similar) == ((), (), False)


def test_what_is_not_known_is_passed_over_however_much_it_is() -> None:
    unknown = {f"key {number}": number for number in range(1_000)}

    asked = told(**unknown, fields=[{"name": "a", **unknown}], title="Ada")

    assert (asked.title, asked.fields[0].name) == ("Ada", "a")


def test_nulls_are_taken_where_they_say_something() -> None:
    nothing = dict.fromkeys(("placement", "topic_id", "summary", "topic_kind", "scope"))
    unsaid = dict.fromkeys(("ref_topic_id", "why_changed", "impact_expected", "valid_from"))

    asked = told(**nothing, fields=[{"name": "a", "value": None, **unsaid}])

    assert asked.fields[0].value is None


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"title": None}, "title"),
        ({"title": 5}, "title"),
        ({"title": "x" * 1_001}, "title"),
        ({"placement": 5}, "placement"),
        ({"topic_kind": "x" * 257}, "topic_kind"),
        ({"summary": "x" * 100_001}, "summary"),
        ({"salience": "2"}, "salience"),
        ({"salience": None}, "salience"),
        ({"salience": -1}, "salience"),
        ({"suggest_similar": 1}, "suggest_similar"),
        ({"fields": None}, "fields"),
        ({"fields": {}}, "fields"),
        ({"fields": [5]}, "fields.0"),
        ({"fields": [{}]}, "fields.0.name"),
        ({"fields": [{"name": ""}]}, "fields.0.name"),
        ({"fields": [{"name": " \t"}]}, "fields.0.name"),
        ({"fields": [{"name": "a\nb"}]}, "fields.0.name"),
        ({"fields": [{"name": "x" * 257}]}, "fields.0.name"),
        ({"fields": [{"name": "a", "field_type": "number"}]}, "fields.0.field_type"),
        ({"fields": [{"name": "a", "field_type": None}]}, "fields.0.field_type"),
        ({"fields": [{"name": "a", "field_type": ""}]}, "fields.0.field_type"),
        ({"fields": [{"name": "a", "ref_topic_id": 5}]}, "fields.0.ref_topic_id"),
        ({"fields": [{"name": "a", "valid_from": "yesterday"}]}, "fields.0.valid_from"),
        ({"fields": [{"name": "a", "value": {"$upload": "u"}}]}, "fields.0.value"),
        ({"fields": [{"name": "a", "value": {"$blob": {}}}]}, "fields.0.value"),
        ({"edges": [{"to_topic_id": "t"}]}, "edges.0.kind"),
        ({"edges": [{"kind": "knows"}]}, "edges.0.to_topic_id"),
        ({"scope": "*"}, "scope"),
        ({"sensitivity": "secret"}, "sensitivity"),
        ({"idempotency_key": ""}, "idempotency_key"),
        ({"trust": {"max_sensitivity": "secret"}}, "trust.max_sensitivity"),
    ],
)
def test_what_is_refused_is_named(body: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        told(**body)

    assert caught.value.violations[0].field == named


@pytest.mark.parametrize("listed", ["fields", "edges"])
def test_a_request_has_so_many_fields_and_edges_at_most(listed: str) -> None:
    each = {"fields": {"name": "a"}, "edges": {"to_topic_id": "t", "kind": ""}}[listed]

    assert len(getattr(told(**{listed: [each] * 10_000}), listed)) == 10_000
    with pytest.raises(InvalidArgument):
        told(**{listed: [each] * 10_001})


def test_a_reference_that_is_left_out_is_told_from_null() -> None:
    assert not one().names_reference
    assert one(ref_topic_id=None).names_reference
    assert one(ref_topic_id="t").names_reference


@pytest.mark.parametrize(
    "name", ["__proto__", "constructor", "a.b", "a/b", "é", "名前", "🙂", "$x"]
)
def test_a_name_may_be_any_text(name: str) -> None:
    assert one(name=name).name == name
