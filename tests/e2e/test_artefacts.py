"""What `sam build` makes, run by AWS's own runtime client with nothing else on its path."""

import json
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from build_encoder import MODEL_SHA256, digest
from membrane.wiring import clients
from membrane_local.storage.table import ensure_table
from membrane_local.template import Function, read_template
from tests.e2e.bucket import s3
from tests.e2e.runtime_api import (
    ENCODER_LAYER,
    LAYER,
    NUMERIC_LAYER,
    FunctionFailedError,
    Stream,
    copy_client,
    layers_of,
    running,
)
from tests.sample_events import (
    NEEDED_BY,
    PROJECT,
    SampleEvent,
    body_of,
    deployed_functions,
    events_for,
    is_answer,
    keep_sample_erasure,
    keep_sample_key,
    keep_sample_receipt,
    keep_sample_studies,
    sample_event,
    sample_objects,
)
from tests.worlds import dynoxide_server

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13) or (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the built layer runs on Linux, x86_64, with Python 3.13 alone",
)

TEMPLATE = read_template(PROJECT / "template.yaml")
TABLE, BUCKET = TEMPLATE.table_id, TEMPLATE.bucket_id
"""A reference resolves to the resource's name, here as under `sam local`."""

LAYERS = (LAYER, NUMERIC_LAYER, ENCODER_LAYER)
ELF_X86_64 = b"\x3e\x00"
"""Where a compiled file says what processor it is for."""

FUNCTIONS = [pytest.param(each, id=each.logical_id) for each in deployed_functions()]


# --- What is in them --------------------------------------------------------------------------


def test_a_function_is_its_folder_alone(built: Path) -> None:
    for function in deployed_functions():
        folder = built / function.logical_id
        names = {path.name for path in function.folder.iterdir()} - {"__pycache__"}
        assert {path.name for path in folder.iterdir()} == names
        assert names == {"handler.py"} | ({"start"} if function.folder.name == "chat" else set())
        for name in names:
            copy, original = folder / name, function.folder / name
            assert copy.read_text() == original.read_text()
            assert copy.stat().st_mode & 0o111 == original.stat().st_mode & 0o111


def test_layers_and_functions_are_for_the_processor_that_was_asked_for(built: Path) -> None:
    template = (built / "template.yaml").read_text()

    assert template.count("x86_64") == 7
    assert "arm64" not in template
    for layer in LAYERS:
        compiled = list((built / layer).rglob("*.so"))
        assert compiled
        assert {path.read_bytes()[18:20] for path in compiled} == {ELF_X86_64}


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_of_a_layer_has_bytecode_that_no_clock_can_outdate(
    built: Path, layer: str
) -> None:
    for source in (built / layer / "python").rglob("*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert int.from_bytes(compiled.read_bytes()[4:8], "little") == 0b01, source


@pytest.mark.parametrize("layer", LAYERS)
def test_every_package_comes_with_its_licence_and_nothing_of_how_it_was_installed(
    built: Path, layer: str
) -> None:
    for package in (built / layer / "python").glob("*.dist-info"):
        folder = package.parent / package.name.partition("-")[0]
        names = {path.name.upper() for each in (package, folder) for path in each.rglob("*")}
        assert any(name.startswith(("LICENSE", "LICENCE", "COPYING")) for name in names), package
        assert not names & {"RECORD", "INSTALLER", "REQUESTED", "DIRECT_URL.JSON"}, package


def test_numpy_is_in_a_layer_of_its_own_that_only_what_ranks_has(built: Path) -> None:
    having = {each.logical_id for each in deployed_functions() if NUMERIC_LAYER in layers_of(each)}

    assert having == {
        "ChatFunction",
        "DocumentsFunction",
        "IndexFunction",
        "McpFunction",
        "PreviewDecayFunction",
        "QueryFunction",
        "ReasonFunction",
        "RetrieveFunction",
        "StudiesFunction",
        "StudyFunction",
        "TopicsFunction",
    }
    assert {path.name for path in (built / NUMERIC_LAYER / "python").iterdir()} == {
        "numpy",
        "numpy.libs",
        *(path.name for path in (built / NUMERIC_LAYER / "python").glob("numpy-*.dist-info")),
    }
    assert not list((built / LAYER / "python").glob("numpy*"))
    assert not list((built / NUMERIC_LAYER).rglob("tests"))


def test_the_encoder_is_in_a_layer_of_its_own_that_only_what_embeds_has(built: Path) -> None:
    having = {each.logical_id for each in deployed_functions() if ENCODER_LAYER in layers_of(each)}

    assert having == {
        "ChatFunction",
        "DocumentsFunction",
        "IndexFunction",
        "McpFunction",
        "QueryFunction",
        "ReasonFunction",
        "RetrieveFunction",
        "StudiesFunction",
        "StudyFunction",
        "TopicsFunction",
    }
    layer = built / ENCODER_LAYER / "python"
    packages = {path.name for path in layer.iterdir() if not path.name.endswith(".dist-info")}
    assert packages == {"membrane_encoder", "onnxruntime", "tokenizers"}
    assert digest((layer / "membrane_encoder/model.onnx").read_bytes()) == MODEL_SHA256
    assert {path.name for path in (layer / "onnxruntime").iterdir() if path.is_dir()} == {
        "__pycache__",
        "capi",
    }


def test_a_function_with_all_layers_is_far_from_the_size_that_lambda_takes(built: Path) -> None:
    unzipped = sum(
        path.stat().st_size
        for layer in LAYERS
        for path in (built / layer).rglob("*")
        if path.is_file()
    )

    assert unzipped < 200e6 < 250 * 2**20


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_names_no_folder_of_the_machine_that_built_it(built: Path, layer: str) -> None:
    for path in (built / layer).rglob("*.pyc"):
        content = path.read_bytes()
        assert str(built).encode() not in content, path
        assert str(PROJECT).encode() not in content, path


# --- What they do -----------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_answers_its_events(cloud: "Cloud", function: Function) -> None:
    cloud.prepare(function)

    with cloud.running(function) as runtime:
        replies = [(each, runtime.invoke(each.content)) for each in events_for(function)]

    assert replies
    for event, reply in replies:
        assert is_answer(reply), (event.name, reply)


def test_the_built_function_of_chat_streams_behind_a_function_url(cloud: "Cloud") -> None:
    """No model is there: the conversation ends with the first event, which says so."""
    settings = {"ChatModel": "some.model", "ChatStreaming": "true"}
    template = read_template(PROJECT / "template.yaml", settings)
    function = next(each for each in template.functions if each.folder.name == "chat")
    event = {**sample_event("chat_stream").content, "routeKey": "$default"}
    event["requestContext"].pop("authorizer")
    stranger = {**event, "headers": {}}

    with cloud.running(function, AWS_ENDPOINT_URL_BEDROCK_RUNTIME="http://127.0.0.1:9") as runtime:
        (refused, answered) = (chunks_of(runtime.invoke(each)) for each in (stranger, event))
        whole = runtime.invoke(sample_event("chat_http").content)

    assert json.loads(refused[0].rstrip(b"\0"))["statusCode"] == 401
    assert json.loads(answered[0].rstrip(b"\0"))["statusCode"] == 200
    frame = json.loads(answered[1].removeprefix(b"data: "))
    assert (frame["type"], frame["status"]) == ("error", 503)
    assert "the chat model cannot be reached" in frame["detail"]
    assert whole["statusCode"] == 503


def chunks_of(stream: Stream) -> list[bytes]:
    """The chunks of a streamed reply, the prelude first."""
    return [*iter(stream.next_chunk, None)]


def test_what_a_built_function_stored_another_one_indexes_and_a_third_one_finds(
    cloud: "Cloud",
) -> None:
    with cloud.running_named("ingest_observation") as runtime:
        stored = body_of(runtime.invoke(sample_event("ingest_observation_http").content))["record"]
    message = sample_event("index_queue").content
    body = json.dumps({"record_id": stored["id"], "scopes": [""]})
    message["Records"] = [{**message["Records"][0], "body": body}]
    fact = stored["payload"]
    task = {"task_descriptor": f"{fact['subject']} {fact['predicate']} {fact['object']}"}
    asked = {**sample_event("retrieve_http").content, "body": json.dumps(task)}

    with cloud.running_named("index") as runtime:
        indexed = runtime.invoke(message)
    with cloud.running_named("retrieve") as runtime:
        found = body_of(runtime.invoke(asked))
        told = sample_event("retrieve_receipt").content
        why = body_of(runtime.invoke({**told, "pathParameters": {"id": found["receipt_id"]}}))

    assert indexed == {"batchItemFailures": []}
    assert [each["id"] for each in found["records"]] == [stored["id"]]
    assert why["candidates"][0]["parts"]["lexical"] > 0


def test_a_large_value_comes_back_through_the_bucket(cloud: "Cloud") -> None:
    noise = "".join(f"{n * n:x}" for n in range(40_000))
    event = sample_event("ingest_tool_output_http").content
    body = {**json.loads(event["body"]), "result": [noise[:90_000], noise[90_000:]]}

    with cloud.running_named("ingest_tool_output") as runtime:
        reply = runtime.invoke({**event, "body": json.dumps(body)})

    assert any(key.startswith("blobs/") for key in cloud.objects)
    assert body_of(reply)["record"]["payload"]["tool_graph"][0]["result"] == body["result"]


def test_a_setting_that_cannot_be_used_stops_the_function_at_its_start(cloud: "Cloud") -> None:
    cloud.environment = {**cloud.environment, "MEMBRANE_RANK_SHARDS": "none"}

    with cloud.running_named("ingest_event") as runtime, failing() as caught:
        runtime.invoke(sample_event("ingest_event_http").content)

    assert caught.value.at_start
    assert "MEMBRANE_RANK_SHARDS: must be a whole number" in str(caught.value)


# --- Where they run ---------------------------------------------------------------------------


@dataclass(slots=True)
class Cloud:
    """The built functions over a table and a bucket of their own."""

    built: Path
    client: Path
    environment: Mapping[str, str]
    objects: dict[str, bytes]

    def running(self, function: Function, **others: str) -> Any:
        environment = {**function.environment, **self.environment, **others}
        return running(function, self.built, self.client, environment)

    def running_named(self, folder: str) -> Any:
        function = next(each for each in deployed_functions() if each.folder.name == folder)
        return self.running(function)

    def prepare(self, function: Function) -> None:
        """Let happen what the function's events refer to."""
        for needed in NEEDED_BY.get(function.folder.name, ()):
            event: SampleEvent = sample_event(needed)
            with self.running(event.function) as runtime:
                runtime.invoke(event.content)


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runtime client alone."""
    folder = tmp_path_factory.mktemp("runtime-client")
    copy_client(folder)
    return folder


@pytest.fixture
def cloud(built: Path, client: Path) -> Iterator[Cloud]:
    """The functions, with the API key and the object that the samples use."""
    objects = sample_objects()
    with ExitStack() as stack:
        table_endpoint = stack.enter_context(dynoxide_server.run_server(None))
        bucket_endpoint = stack.enter_context(s3(objects))
        environment = {
            "AWS_ENDPOINT_URL_DYNAMODB": table_endpoint,
            "AWS_ENDPOINT_URL_S3": bucket_endpoint,
            "AWS_ENDPOINT_URL_LAMBDA": bucket_endpoint,  # takes invocations, too
            "AWS_ENDPOINT_URL_KMS": bucket_endpoint,  # signs, too
            "AWS_ENDPOINT_URL_SFN": bucket_endpoint,  # starts executions, too
            "AWS_REGION": "eu-central-1",
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
        }
        dynamodb = clients.dynamodb_client(table_endpoint)
        ensure_table(dynamodb, TABLE, TEMPLATE.table)
        keep_sample_key(dynamodb, TABLE)
        keep_sample_receipt(dynamodb, TABLE)
        keep_sample_erasure(dynamodb, TABLE)
        keep_sample_studies(dynamodb, TABLE)
        yield Cloud(built, client, environment, objects)


def failing() -> "pytest.RaisesExc[FunctionFailedError]":
    return pytest.raises(FunctionFailedError)
