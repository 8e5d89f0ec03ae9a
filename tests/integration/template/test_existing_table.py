"""A stack over an existing table: the same stack, but for the table."""

import json
from typing import Any

import pytest

from membrane_cli.check.command import findings
from membrane_local.template import read_document, read_template
from tests.worlds.template import TEMPLATE, document, document_over_a_table, nodes, parameters

ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableName}"
A_STREAM = "arn:aws:dynamodb:us-east-1:123456789012:table/{}/stream/2026-11-21T10:00:00.000"
RESTORED = {"TableName": "restored", "TableStreamArn": A_STREAM.format("restored")}


def test_the_rights_and_references_over_an_existing_table_are_those_over_an_own_table() -> None:
    over_own, over_existing = deployed_parts(document()), deployed_parts(document_over_a_table())

    assert as_own(over_existing) == over_own


def test_the_index_function_reads_any_stream_of_an_existing_table() -> None:
    role = json.dumps(as_own(document_over_a_table()["Resources"]["IndexRole"]))
    own = json.dumps(document()["Resources"]["IndexRole"])

    any_stream = json.dumps({"Fn::Sub": "${Table.Arn}/stream/*"})
    own_stream = json.dumps({"Fn::GetAtt": ["Table", "StreamArn"]})
    assert role == own.replace(own_stream, any_stream)


def test_over_an_existing_table_nothing_refers_to_the_own_table() -> None:
    made = [each for each in nodes(document_over_a_table()) if refers_to_own_table(each)]

    assert made == []


def test_the_own_table_stays_when_another_table_is_named() -> None:
    table = document()["Resources"]["Table"]

    assert table["Condition"] == "OwnTable"
    assert table["DeletionPolicy"] == table["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("name", [*RESTORED])
def test_table_and_stream_are_given_together(name: str) -> None:
    (found,) = findings(read_document(TEMPLATE), {name: RESTORED[name]})

    assert found.parameter in RESTORED


def test_an_existing_table_with_its_stream_can_be_deployed() -> None:
    assert findings(read_document(TEMPLATE), RESTORED) == []
    assert findings(read_document(TEMPLATE), RESTORED, defaults()) == []


def test_the_stream_of_another_table_is_refused() -> None:
    given = {**RESTORED, "TableStreamArn": A_STREAM.format("other")}

    (found,) = findings(read_document(TEMPLATE), given)

    assert str(found) == "TableStreamArn: is not a stream of the table restored"


def test_a_stack_over_an_existing_table_does_not_return_to_an_empty_table() -> None:
    given = dict.fromkeys(RESTORED, "")

    (found,) = findings(read_document(TEMPLATE), given, {**defaults(), **RESTORED})

    assert found.parameter == "TableName"
    assert "empty table" in found.reason


def test_the_local_stack_has_a_table_of_its_own_whatever_table_is_named() -> None:
    template = read_template(TEMPLATE, RESTORED)

    assert {each.environment["MEMBRANE_TABLE"] for each in template.functions} == {"Table"}


def defaults() -> dict[str, str]:
    return {name: str(each["Default"]) for name, each in parameters().items()}


def deployed_parts(template: dict[str, Any]) -> dict[str, Any]:
    """Shared settings, resources and outputs, without the index function's right to its stream."""
    resources = {**template["Resources"]}
    del resources["IndexRole"]
    return {**{part: template[part] for part in ("Globals", "Outputs")}, "Resources": resources}


def as_own(value: Any) -> Any:
    """The value with the own table in the place of the existing table."""
    match value:
        case {"Ref": "TableName"}:
            return {"Ref": "Table"}
        case {"Ref": "TableStreamArn"}:
            return {"Fn::GetAtt": ["Table", "StreamArn"]}
        case {"Fn::Sub": str(text)} if text == ARN:
            return {"Fn::GetAtt": ["Table", "Arn"]}
        case {"Fn::Sub": str(text)}:
            return {"Fn::Sub": text.replace(ARN, "${Table.Arn}")}
        case dict():
            return {name: as_own(each) for name, each in value.items()}
        case list():
            return [as_own(each) for each in value]
        case _:
            return value


def refers_to_own_table(value: Any) -> bool:
    match value:
        case {"Ref": "Table"} | {"Fn::GetAtt": ["Table", *_]}:
            return True
        case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), *_]}:
            return "${Table}" in text or "${Table." in text
        case _:
            return False
