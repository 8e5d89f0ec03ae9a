"""The shape of a model's answer: strict and bounded, and the same in the schema and the model."""

from typing import Any, get_args

import pytest
from pydantic import BaseModel

from membrane.domain.capture.proposals import (
    MAX_ITEMS,
    MalformedProposal,
    Proposal,
    proposal_in,
    proposal_schema,
)
from tests.builders.proposals import answer, fact, label, mention, reference, relation


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object in a schema."""
    inner = [each for value in _values(schema) for each in objects(value)]
    return [schema, *inner] if isinstance(schema, dict) and "properties" in schema else inner


def _values(schema: Any) -> list[Any]:
    if isinstance(schema, dict):
        return list(schema.values())
    return schema if isinstance(schema, list) else []


def elements_of(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The model of the elements of each list."""
    return {name: get_args(field.annotation)[0] for name, field in model.model_fields.items()}


def test_an_answer_of_the_schema_is_a_proposal() -> None:
    found = proposal_in(
        answer(
            mentions=[mention(aliases=["A."])],
            relations=[relation()],
            references=[reference()],
            labels=[label()],
            facts=[fact(confidence=1)],
        )
    )

    assert found.mentions[0].aliases == ("A.",)
    assert found.facts[0].confidence == 1.0


def test_schema_and_model_have_the_same_properties() -> None:
    lists = proposal_schema()["properties"]

    assert lists.keys() == Proposal.model_fields.keys()
    for name, model in elements_of(Proposal).items():
        assert lists[name]["items"]["properties"].keys() == model.model_fields.keys()


def test_every_object_of_the_schema_is_strict() -> None:
    found = objects(proposal_schema())

    assert len(found) == 6
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


@pytest.mark.parametrize(
    "malformed",
    [
        None,
        [],
        "yes",
        {},
        answer() | {"notes": "hello"},
        answer(mentions=[mention(entity_id="x" * 129)]),
        answer(mentions=[mention() | {"surface": 7}]),
        answer(mentions=[mention(confidence="high")]),
        answer(facts=[fact(confidence=float("nan"))]),
        answer(facts=[fact(object={"a": 1})]),
        answer(labels=[label() | {"unknown": 1}]),
        answer(labels=[label()] * (MAX_ITEMS + 1)),
    ],
)
def test_any_other_answer_is_malformed(malformed: Any) -> None:
    with pytest.raises(MalformedProposal, match="is not of the schema"):
        proposal_in(malformed)


def test_the_error_names_lists_and_repeats_nothing_of_the_answer() -> None:
    secret = "the launch code"

    with pytest.raises(MalformedProposal) as caught:
        proposal_in(answer(facts=[fact(object=[secret]) | {secret: 1}]) | {secret: 1})

    assert str(caught.value) == "the model's answer is not of the schema, in: facts"
    assert caught.value.after(7).tokens == 7
