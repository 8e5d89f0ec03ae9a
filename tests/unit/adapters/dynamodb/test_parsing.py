"""Items in replies: read as botocore reads them."""

import json
from typing import Any

import botocore.session
from botocore.parsers import ResponseParserFactory

from membrane.table.dynamo import ItemParsers
from membrane.wiring import clients

ITEM = {
    "text": {"S": "é"},
    "empty": {"S": ""},
    "number": {"N": "1E-130"},
    "binary": {"B": "AAEC"},
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2"]},
    "binaries": {"BS": ["AAEC", "Aw=="]},
    "map": {"M": {"binary": {"B": "AAEC"}, "list": {"L": [{"B": "Aw=="}, {"N": "1"}]}}},
    "list": {"L": [{"M": {"text": {"S": "x"}}}]},
    "null": {"NULL": True},
    "false": {"BOOL": False},
    "beside_null": {"S": "x", "N": None},
}
REPLIES: dict[str, dict[str, Any]] = {
    "GetItem": {"Item": ITEM},
    "Query": {"Items": [ITEM, {}], "Count": 2, "LastEvaluatedKey": {"pk": {"S": "a"}}},
    "BatchGetItem": {"Responses": {"table": [ITEM]}, "UnprocessedKeys": {}},
    "UpdateItem": {"Attributes": ITEM, "ConsumedCapacity": {"TableName": "table"}},
    "DescribeTable": {"Table": {"TableName": "table", "CreationDateTime": 1.5}},
}


def parsed(factory: ResponseParserFactory, operation: str, reply: dict[str, Any]) -> Any:
    model = botocore.session.get_session().get_service_model("dynamodb")
    body = {"status_code": 200, "headers": {}, "body": json.dumps(reply).encode()}
    shape: Any = model.operation_model(operation).output_shape
    return factory.create_parser("json").parse(body, shape)


def test_every_type_of_attribute_is_read_as_by_botocore() -> None:
    for operation, reply in REPLIES.items():
        read = parsed(ItemParsers(), operation, reply)

        assert read == parsed(ResponseParserFactory(), operation, reply)


def test_attributes_of_most_types_are_not_copied() -> None:
    parsers = ItemParsers()
    parser = parsers.create_parser("json")
    model = botocore.session.get_session().get_service_model("dynamodb")
    attribute = {"S": "x"}

    read = parser._parse_shape(model.shape_for("AttributeMap"), {"name": attribute})  # noqa: SLF001

    assert read["name"] is attribute, "botocore no longer calls the parser's _handle_map"


def test_the_clients_of_the_table_read_items_by_the_parser() -> None:
    for session in (clients.session(), clients._table_session()):  # noqa: SLF001 - no other way in
        assert isinstance(session.get_component("response_parser_factory"), ItemParsers)
