"""What the layer keeps of botocore's data: enough for every call that the code makes."""

import ast
import io
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore
import botocore.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.loaders import Loader
from botocore.regions import EndpointResolver
from botocore.response import StreamingBody
from botocore.stub import Stubber

import membrane
from membrane.adapters.dynamodb.search.vector_index import route_searches
from membrane.adapters.messaging import invoke, send_message
from membrane.adapters.models.bedrock_embedder import BedrockEmbedder
from membrane.table.keys import RECORD
from membrane.wiring import clients
from tests.worlds.cloud import Cloud
from tests.worlds.dynoxide_server import run_server
from tests.worlds.stores import STRUCTURE, TABLE
from trim_botocore import WITHOUT_RULES, UnknowableCallError, names_in, services_of, trim

PACKAGE = Path(membrane.__file__).parent
WHOLE = Path(botocore.__file__).parent / "data"
UNCUT = Loader()
"""Of botocore's own data, each file of which is parsed once."""

SERVICES = (
    "bedrock-runtime",
    "dynamodb",
    "kms",
    "lambda",
    "s3",
    "secretsmanager",
    "sqs",
    "stepfunctions",
)
CALLED_ELSEWHERE = {
    ("bedrock-runtime", "InvokeModel"),  # by the embedder that is used in AWS
    ("bedrock-runtime", "Converse"),  # by the interpreting model, if one is used
    ("kms", "Sign"),  # of certificates, by the key that signs in AWS
    ("kms", "Verify"),
    ("lambda", "Invoke"),  # by what hands over to a run of its own
    ("s3", "HeadBucket"),  # by botocore, for a bucket of another Region
    ("secretsmanager", "GetSecretValue"),  # of the token for the endpoint of a model
    ("sqs", "SendMessage"),  # of what could not be indexed
    ("sqs", "GetQueueAttributes"),  # of dead letters, for an erasure, as the next three
    ("sqs", "ReceiveMessage"),
    ("sqs", "DeleteMessage"),
    ("sqs", "ChangeMessageVisibility"),
    ("stepfunctions", "StartExecution"),  # of a study, by the request
}

NAMED_ALIKE = {
    ("bedrock-runtime", "CountTokens"),
    ("kms", "Decrypt"),
    ("kms", "Encrypt"),
    ("kms", "ListKeys"),
}
"""Operations that nobody calls: methods of the package have the same names."""


def test_it_holds_the_operations_that_functions_call_and_no_others(
    lived: Cloud, trimmed: Loader
) -> None:
    held = {
        (service, operation)
        for service in trimmed.list_available_services("service-2")
        for operation in trimmed.load_service_model(service, "service-2")["operations"]
    }

    assert {service for service, _ in held} == set(SERVICES)
    assert held == lived.made | CALLED_ELSEWHERE | NAMED_ALIKE


def test_a_function_can_be_started_with_it(trimmed: Loader) -> None:
    client: Any = session_over(trimmed).create_client("lambda", region_name="eu-central-1")
    asked = {"FunctionName": "again", "InvocationType": "Event", "Payload": b"{}"}

    with Stubber(client) as stubber:
        stubber.add_response("invoke", {"StatusCode": 202}, asked)
        invoke(client, "again", {})

        stubber.assert_no_pending_responses()


def test_a_text_can_be_embedded_and_a_record_set_aside_with_it(trimmed: Loader) -> None:
    model: Any = session_over(trimmed).create_client("bedrock-runtime", region_name="eu-central-1")
    queue: Any = session_over(trimmed).create_client("sqs", region_name="eu-central-1")
    message = {"QueueUrl": "https://queue", "MessageBody": "{}", "DelaySeconds": 30}
    content = b'{"embedding": [0.6, 0.8]}'
    body = StreamingBody(io.BytesIO(content), len(content))

    with Stubber(model) as asking, Stubber(queue) as sending:
        asking.add_response("invoke_model", {"body": body, "contentType": "application/json"})
        sending.add_response("send_message", {}, message)
        (vector,) = BedrockEmbedder(lambda: model, "model", 2, concurrency=1).embed(["text"])
        send_message(lambda: queue, "https://queue", "{}", 30)

        sending.assert_no_pending_responses()
    assert vector == [0.6, 0.8]


@pytest.mark.parametrize("region", ["eu-central-1", "cn-north-1", "eu-isoe-west-1"])
def test_vectors_are_searched_at_the_address_that_botocore_has_for_it(
    trimmed: Loader, region: str
) -> None:
    before, cut = (session_over(each) for each in (UNCUT, trimmed))
    client: Any = cut.create_client("dynamodb", region_name=region)
    route_searches(client)

    asked = address_of_a_search(client)

    assert asked == address_of_a_search(before.create_client("dynamodb", region_name=region))
    assert asked.startswith("https://search-dynamodb.")


def test_vectors_are_searched_at_another_endpoint_where_the_table_is(trimmed: Loader) -> None:
    client: Any = session_over(trimmed).create_client(
        "dynamodb", region_name="eu-central-1", endpoint_url="http://127.0.0.1:8000"
    )
    route_searches(client)

    assert address_of_a_search(client) == "http://127.0.0.1:8000/"


def test_a_client_whose_service_the_code_does_not_name_is_not_guessed() -> None:
    (named, unnamed) = (
        ast.parse('session.create_client("s3", config=CONFIG)'),
        ast.parse("session.create_client(service)"),
    )

    assert services_of([named]) == ["s3"]
    with pytest.raises(UnknowableCallError, match=r"create_client\(service\)"):
        services_of([unnamed])


def test_an_operation_is_found_however_it_is_called() -> None:
    code = """
client().get_object(Bucket=bucket)
client.get_paginator("list_objects_v2")
ask = partial(client.generate_presigned_url, "put_object")
getattr(client, "head_object")
"""

    names = names_in([ast.parse(code)])

    assert {"get_object", "list_objects_v2", "put_object", "head_object"} <= names


def test_every_region_of_every_partition_has_the_endpoints_that_it_had(trimmed: Loader) -> None:
    before, after = (EndpointResolver(each.load_data("endpoints")) for each in (UNCUT, trimmed))
    regions = [
        region
        for partition in UNCUT.load_data("endpoints")["partitions"]
        for region in partition["regions"]
    ]

    assert len(regions) > 40
    assert after.get_available_partitions() == before.get_available_partitions()
    for service, region in product(SERVICES, [*regions, "eu-nowhere-9"]):
        assert after.construct_endpoint(service, region) == before.construct_endpoint(
            service, region
        )
    for name in ("partitions", "sdk-default-configuration", "_retry"):
        assert trimmed.load_data(name) == UNCUT.load_data(name)
    for service in set(SERVICES) - WITHOUT_RULES:
        rules = "endpoint-rule-set-1"
        assert trimmed.load_service_model(service, rules) == UNCUT.load_service_model(
            service, rules
        )


@pytest.mark.parametrize("operation", ["put_object", "get_object"])
def test_a_presigned_address_is_the_same(trimmed: Loader, operation: str) -> None:
    whole, cut = (
        urlsplit(
            session.create_client(
                "s3", region_name="eu-central-1", config=clients.PRESIGNING
            ).generate_presigned_url(operation, Params={"Bucket": "bucket", "Key": "a/b"})
        )
        for session in (session_over(UNCUT), session_over(trimmed))
    )

    assert cut[:3] == whole[:3]
    assert parse_qs(cut.query).keys() == parse_qs(whole.query).keys()


def test_pages_are_asked_for_as_before(trimmed: Loader) -> None:
    for service, operation in (("dynamodb", "Query"), ("s3", "ListObjectsV2")):
        kept, before = (
            each.load_service_model(service, "paginators-1")["pagination"][operation]
            for each in (trimmed, UNCUT)
        )
        assert kept == before


def test_errors_keep_their_types_and_reasons(trimmed: Loader, endpoint: str) -> None:
    client: Any = session_over(trimmed).create_client("dynamodb", endpoint_url=endpoint)
    item = {"pk": {"S": "record#1"}, "sk": {"S": RECORD}, "kept": {"S": "yes"}}
    refused = {
        "TableName": "trimmed",
        "Item": item,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    client.put_item(TableName="trimmed", Item=item)

    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as alone:
        client.put_item(**refused)
    with pytest.raises(client.exceptions.TransactionCanceledException) as together:
        client.transact_write_items(TransactItems=[{"Put": refused}])

    assert alone.value.response["Item"] == item
    (reason,) = together.value.response["CancellationReasons"]
    assert (reason["Code"], reason["Item"]) == ("ConditionalCheckFailed", item)


@pytest.fixture(scope="module")
def trimmed(tmp_path_factory: pytest.TempPathFactory) -> Loader:
    """The data as the layer's build cuts it down."""
    folder = tmp_path_factory.mktemp("botocore-data")
    trim(PACKAGE, WHOLE, folder)
    return Loader(extra_search_paths=[str(folder)], include_default_search_paths=False)


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server with a table."""
    with run_server(None) as address:
        client: Any = botocore.session.get_session().create_client("dynamodb", endpoint_url=address)
        client.create_table(TableName="trimmed", **{part: TABLE[part] for part in STRUCTURE})
        yield address


def address_of_a_search(client: Any) -> str:
    """Where the client sends one; nothing answers there."""
    addresses: list[str] = []
    headers: Any = HeadersDict({})

    def note(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        addresses.append(request.url)
        return AWSResponse(request.url, 200, headers, Nothing())

    client.meta.events.register("before-send.dynamodb.SearchVectors", note)
    client.search_vectors(TableName="t", IndexName="vectors", SearchVector=[{"N": "1"}], TopK=1)
    (address,) = addresses
    return address


class Nothing:
    """A body as it comes from the network."""

    def stream(self) -> Iterator[bytes]:
        yield b"{}"


def session_over(loader: Loader) -> Any:
    session = botocore.session.Session()
    session.register_component("data_loader", loader)
    return session
