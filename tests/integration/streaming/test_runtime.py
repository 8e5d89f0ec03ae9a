"""The runtime of streaming functions, started by the script that Lambda calls."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runtime_api import (
    ATTEMPT_ID,
    REQUEST_ID,
    TRACE_ID,
    FunctionFailedError,
    Runtime,
    Stream,
    process_under,
)

ROOT = Path(__file__).parents[3]
LAYER = ROOT / "layers/membrane"
START = ROOT / "functions/chat/start"
MODULE = "membrane.adapters.aws_lambda.streaming.runtime"

BY_URL = {"version": "2.0", "routeKey": "$default"}
BY_API = {"version": "2.0", "routeKey": "POST /v1/chat/stream"}

HANDLER = """
import os
from membrane.adapters.aws_lambda.invocation import StreamedReply, streams

GONE = []

def handler(event, context):
    act = globals()[event.get("act", "describe")]
    return act(event, context)

def describe(event, context):
    return {
        "statusCode": 403,
        "headers": {"content-type": "text/plain"},
        "body": ",".join([context.aws_request_id, str(streams(context)), *GONE]),
        "trace_id": os.environ["_X_AMZN_TRACE_ID"],
        "arn": context.invoked_function_arn,
        "has_time": 0 < context.get_remaining_time_in_millis() <= 29_000,
    }

def fail(event, context):
    raise LookupError("nothing here")

def stream(event, context):
    return StreamedReply(201, {"content-type": "text/event-stream"}, pieces(event))

def pieces(event):
    yield b"one"
    with open(event["gate"]) as gate:  # opens once the test has opened the other end
        gate.read()
    yield b""
    yield b"two"

def break_off(event, context):
    return StreamedReply(200, {}, failing())

def failing():
    yield b"one"
    raise LookupError("n\\u00f6")

def send_text(event, context):
    return StreamedReply(200, {}, iter(["text"]))

def stream_for_ever(event, context):
    return StreamedReply(200, {}, endless())

def endless():
    try:
        while True:
            yield b"again"
    finally:
        GONE.append("closed")
"""

ENDING = """
from membrane.adapters.aws_lambda.invocation import note_request

handler = note_request(handler)

def end(event, context):
    os._exit(3)
"""

Run = Callable[[str], Runtime]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs a function with the handler's source."""
    with ExitStack() as stack:

        def start(source: str) -> Runtime:
            (tmp_path / "handler.py").write_text(source)
            runtime = Runtime("ChatFunction", timeout_s=29)
            command = [str(START), sys.executable, "/var/runtime/bootstrap.py"]
            environment = {"_HANDLER": "handler.handler", "PYTHONPATH": str(LAYER)}
            stack.enter_context(process_under(runtime, command, tmp_path, environment))
            return runtime

        yield start


@pytest.fixture
def function(run: Run) -> Runtime:
    return run(HANDLER)


def prelude_of(stream: Stream) -> Any:
    """The status and the headers that the stream begins with."""
    chunk = stream.next_chunk()
    assert chunk is not None
    prelude, delimiter, rest = chunk.partition(bytes(8))
    assert (delimiter, rest) == (bytes(8), b"")
    return json.loads(prelude)


def rest_of(stream: Stream) -> list[bytes]:
    return list(iter(stream.next_chunk, None))


def test_a_reply_to_the_api_is_sent_whole(function: Runtime) -> None:
    reply = function.invoke(BY_API)

    assert reply == {
        "statusCode": 403,
        "headers": {"content-type": "text/plain"},
        "body": f"{REQUEST_ID},False",
        "trace_id": TRACE_ID,
        "arn": "arn:aws:lambda:us-east-1:123456789012:function:ChatFunction",
        "has_time": True,
    }


def test_a_whole_reply_to_a_function_url_is_a_stream_of_one_piece(function: Runtime) -> None:
    stream = function.invoke(BY_URL)

    assert prelude_of(stream) == {"statusCode": 403, "headers": {"content-type": "text/plain"}}
    assert rest_of(stream) == [f"{REQUEST_ID},True".encode()]


def test_a_stream_names_its_format_and_trailers(function: Runtime) -> None:
    stream = function.invoke(BY_URL)

    assert (
        stream.headers.items()
        >= {
            "content-type": "application/vnd.awslambda.http-integration-response",
            "lambda-runtime-function-response-mode": "streaming",
            "lambda-runtime-invocation-id": ATTEMPT_ID,
            "trailer": "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
            "transfer-encoding": "chunked",
        }.items()
    )


def test_a_piece_arrives_before_the_function_makes_the_next(
    function: Runtime, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    stream = function.invoke({**BY_URL, "act": "stream", "gate": str(gate)})

    assert prelude_of(stream) == {
        "statusCode": 201,
        "headers": {"content-type": "text/event-stream"},
    }
    assert stream.next_chunk() == b"one"
    gate.write_text("go on")
    assert rest_of(stream) == [b"two"]
    assert stream.trailers == {}


def test_an_error_between_pieces_ends_the_body_with_trailers(function: Runtime) -> None:
    stream = function.invoke({**BY_URL, "act": "break_off"})

    prelude_of(stream)
    assert rest_of(stream) == [b"one"]
    assert stream.trailers["Lambda-Runtime-Function-Error-Type"] == "LookupError"
    report = json.loads(base64.b64decode(stream.trailers["Lambda-Runtime-Function-Error-Body"]))
    assert (report["errorType"], report["errorMessage"]) == ("LookupError", "nö")
    (frame,) = report["stackTrace"]
    assert "in failing" in frame


def test_a_piece_of_text_is_an_error_of_the_function(function: Runtime) -> None:
    stream = function.invoke({**BY_URL, "act": "send_text"})

    prelude_of(stream)
    assert rest_of(stream) == []
    assert stream.trailers["Lambda-Runtime-Function-Error-Type"] == "TypeError"


def test_the_pieces_are_closed_when_the_caller_leaves_and_the_next_event_is_answered(
    function: Runtime,
) -> None:
    stream = function.invoke({**BY_URL, "act": "stream_for_ever"})
    prelude_of(stream)

    stream.leave()

    assert function.invoke(BY_API)["body"] == f"{REQUEST_ID},False,closed"


def test_an_error_of_the_handler_is_reported_and_the_next_event_is_answered(
    function: Runtime,
) -> None:
    with pytest.raises(FunctionFailedError, match="LookupError: nothing here") as failed:
        function.invoke({**BY_URL, "act": "fail"})

    assert not failed.value.at_start
    assert function.invoke(BY_API)["statusCode"] == 403


def test_the_line_of_a_fault_names_the_callers_request(run: Run) -> None:
    function = run(f"{HANDLER}{ENDING}")
    context = {"http": {"method": "POST"}, "requestId": "JKJaXmPLvHcESHA="}

    with pytest.raises(FunctionFailedError, match="nothing here"):
        function.invoke({**BY_API, "act": "fail", "requestContext": context})
    with pytest.raises(FunctionFailedError, match=r"Runtime\.ExitError") as ended:
        function.invoke({**BY_API, "act": "end"})

    line = json.loads(str(ended.value).removeprefix("Runtime.ExitError: 3: "))
    assert (line["level"], line["errorMessage"]) == ("ERROR", "nothing here")
    assert line["request_id"] == "JKJaXmPLvHcESHA="
    assert line["function_request_id"] == line["requestId"] == REQUEST_ID
    assert line["cold_start"] is True


def test_a_handler_that_cannot_be_imported_is_reported_logged_and_ends_the_process(
    run: Run,
) -> None:
    function = run("import no_such_module")

    with pytest.raises(FunctionFailedError, match="no_such_module") as failed:
        function.invoke(BY_URL)
    end = function.replies.get()

    assert (failed.value.kind, failed.value.at_start) == ("ModuleNotFoundError", True)
    code, _, line = str(end).removeprefix("Runtime.ExitError: ").partition(": ")
    assert code == "1"
    logged = json.loads(line)
    assert (logged["level"], logged["errorType"]) == ("ERROR", "ModuleNotFoundError")
    assert logged["errorMessage"] == "No module named 'no_such_module'"


def test_the_runtime_loads_nothing_but_itself_and_the_standard_library() -> None:
    script = f"import sys; sys.path.insert(0, {str(LAYER)!r}); import {MODULE}; print(*sys.modules)"

    said = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True
    )

    loaded = set(said.stdout.split())
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names <= {
        "__main__",
        "membrane",
        # of the interpreter's own build, without a name in the list
        *(name for name in loaded if name.startswith("_sysconfigdata")),
    }
    adapters = {name for name in loaded if name.startswith("membrane.")} - {
        "membrane.adapters",
        "membrane.adapters.aws_lambda",
        "membrane.adapters.aws_lambda.invocation",
    }
    assert all(name.startswith("membrane.adapters.aws_lambda.streaming") for name in adapters)
    assert not loaded & {"asyncio", "dataclasses", "logging", "pathlib", "subprocess"}
