"""Runs a function in Lambda in place of AWS's runtime for Python; replies may be streamed.

`functions/chat/start` starts the module: Lambda calls the script in place of the usual runtime.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from membrane.adapters.aws_lambda.invocation import TRACE_ID, StreamedReply
from membrane.adapters.aws_lambda.streaming import runtime_api

Handler = Callable[[Any, runtime_api.InvocationContext], Any]


def main(environment: MutableMapping[str, str]) -> None:
    """Load the function's handler, and answer invocations for as long as the process lives."""
    api = runtime_api.RuntimeApi(environment["AWS_LAMBDA_RUNTIME_API"])
    handler = _load_or_exit(api, environment)
    while True:
        invocation = api.next_invocation()
        _set_trace_id(environment, invocation.trace_id)
        answer(api, handler, invocation)


def answer(
    api: runtime_api.RuntimeApi, handler: Handler, invocation: runtime_api.Invocation
) -> None:
    """Answer one invocation with the handler's reply or error."""
    try:
        reply = _reply(handler, invocation)
    except Exception as error:  # noqa: BLE001 - Lambda reports whatever a handler raises
        report = runtime_api.ErrorReport.of(error)
        report.log(invocation.request_id)
        api.post_error(invocation, report)
        return
    if isinstance(reply, StreamedReply):
        _stream(api, invocation, reply)
    else:
        api.post_reply(invocation, reply)


def _reply(handler: Handler, invocation: runtime_api.Invocation) -> StreamedReply | bytes:
    """The reply to stream, or the JSON of a whole reply."""
    event = json.loads(invocation.payload)
    context = runtime_api.InvocationContext(invocation, event)
    reply = handler(event, context)
    if isinstance(reply, StreamedReply):
        return reply
    return _in_one_piece(reply) if context.streams else json.dumps(reply).encode()


def _in_one_piece(reply: Mapping[str, Any]) -> StreamedReply:
    """A whole reply as a stream: a streaming function URL reads the status from a prelude."""
    body = str(reply.get("body", "")).encode()
    return StreamedReply(reply["statusCode"], reply.get("headers", {}), iter((body,)))


def _stream(
    api: runtime_api.RuntimeApi, invocation: runtime_api.Invocation, reply: StreamedReply
) -> None:
    with suppress(runtime_api.CallerLeftError), api.open_stream(invocation) as body:
        report = runtime_api.send_reply(reply, body)
        if report is not None:
            report.log(invocation.request_id)


def _load_or_exit(api: runtime_api.RuntimeApi, environment: Mapping[str, str]) -> Handler:
    """The handler; reports an error of the import, and ends the process."""
    try:
        return _load(environment["_HANDLER"], environment["LAMBDA_TASK_ROOT"])
    except Exception as error:  # noqa: BLE001 - Lambda reports whatever an import raises
        report = runtime_api.ErrorReport.of(error)
        report.log()
        api.post_init_error(report)
        sys.exit(1)


def _load(entry: str, folder: str) -> Handler:
    """The handler of an entry such as `handler.handler`."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module, _, function = entry.rpartition(".")
    handler: Handler = getattr(importlib.import_module(module.replace("/", ".")), function)
    return handler


def _set_trace_id(environment: MutableMapping[str, str], trace_id: str | None) -> None:
    """Set the variable from which tracers read the trace of the current invocation."""
    if trace_id is None:
        environment.pop(TRACE_ID, None)
    else:
        environment[TRACE_ID] = trace_id


if __name__ == "__main__":
    main(os.environ)  # noqa: TID251 - the runtime's settings are Lambda's, not the service's
