"""The routes of the function of chat, with the time that each way of replying allows.

- `POST /v1/chat`: one reply by the HTTP API.
- `POST /v1/chat/stream`: the steps as server-sent events. Through the HTTP API all arrive with the
  end of the conversation; behind the function URL, and in the local stack, each as it happens.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda import invocation
from membrane.adapters.aws_lambda.http import problems
from membrane.adapters.aws_lambda.http.assembling import assemble
from membrane.adapters.aws_lambda.http.gateway import answer_http, caller
from membrane.adapters.aws_lambda.http.operations import Row, perform, reporting, request_of
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.principals import Principal
from membrane.domain.access.token_rules import Unauthenticated
from membrane.domain.chat.requests import Chat
from membrane.domain.language.errors import DomainError, NotFound
from membrane.domain.language.json_text import compact_json
from membrane.usecases.access.authenticate_bearer import authenticate_bearer
from membrane.usecases.chat.converse import Conversed, chat
from membrane.usecases.chat.rounds import Frame, with_each
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.replies import Problem
    from membrane.domain.chat.replies import ChatReply

CHAT_STREAM = replace(row_of("Chat"), route="POST /v1/chat/stream", verb="chat.converse:converse")
"""The verb returns the steps of the conversation; `answer_chat` sends the steps."""

HTTP_API_S = 26.0
"""Seconds for a conversation through the HTTP API, whose limit is 29 with the function's start."""

RESERVE_S = 1.0
"""Seconds before the function's timeout at which a conversation must be over."""

_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store"}

_FAILED = "the conversation failed; what its tools wrote stands"

Steps = Generator[Frame, None, Conversed]


def answer_chat(
    event: invocation.Event, context: invocation.Context, rows: Sequence[Row], world: World
) -> invocation.Reply | invocation.StreamedReply:
    """The reply; a StreamedReply if the caller takes one. Replies of `rows` are whole."""
    if event["routeKey"] in {each.route for each in rows}:
        return answer_http(event, rows, _with_time_of(world, context, HTTP_API_S))
    limit_s = float("inf") if invocation.streams(context) else HTTP_API_S
    timed = _with_time_of(world, context, limit_s)
    try:
        events = _events(_steps(event, timed), timed)
    except Unauthenticated as error:
        return problems.unauthenticated_reply(error, {"www-authenticate": "Bearer"})
    except DomainError as error:
        timed.report(CHAT_STREAM.rpc, problems.kind_of(error).code)
        return problems.problem_reply(error)
    if invocation.streams(context):
        return invocation.StreamedReply(200, _HEADERS, events)
    return {"statusCode": 200, "headers": _HEADERS, "body": b"".join(events).decode()}


def _with_time_of(world: World, context: invocation.Context, limit_s: float) -> World:
    """The world with the time of this request: `limit_s`, and what the function has left."""
    began_s = world.elapsed_s()

    def remaining_s() -> float:
        of_function_s = context.get_remaining_time_in_millis() / 1_000 - RESERVE_S
        return min(of_function_s, limit_s - (world.elapsed_s() - began_s))

    return world.but(remaining_s=remaining_s)


def _steps(event: invocation.Event, world: World) -> Steps:
    """The steps of the conversation, of which none has run yet.

    The caller is known before the body is read. Raises Unauthenticated and DomainError.
    """
    principal = _principal(event, world)
    CHAT_STREAM.require_permission(principal)
    key = event["headers"].get("idempotency-key")
    asked = assemble(CHAT_STREAM, request_of(event))
    steps: Steps = perform(CHAT_STREAM, asked, principal, world, key)
    return steps


def _principal(event: invocation.Event, world: World) -> Principal:
    """The caller, whom the HTTP API's authorizer knows; behind a function URL stands none."""
    if event["routeKey"] != invocation.URL_ROUTE:
        return caller(event, world.guard)
    principal = authenticate_bearer(event["headers"].get("authorization", ""), world)
    http = event["requestContext"]["http"]
    if f"{http['method']} {event['rawPath']}" != CHAT_STREAM.route:
        raise NotFound(f"this address answers {CHAT_STREAM.route} alone")
    return principal


def answer_whole(request: Chat, call: Call, world: World) -> "ChatReply":
    """The reply at the end of the conversation; raises as `converse`."""
    return _reply(chat(request, call, world))


def _reply(end: Conversed) -> "ChatReply":
    if end.stopped_by is None:
        return end.reply
    why = problems.problem(end.stopped_by)
    return {
        **end.reply,
        "stopped": {"code": why["code"], "status": why["status"], "detail": why["detail"]},
    }


def _events(steps: Steps, world: World) -> Iterator[bytes]:
    """The steps as server-sent events; the last has the reply, or the error.

    The error of a conversation that ended early after tools had run has the reply, too. Lambda
    counts an exception other than a DomainError, after the caller has heard of the error.
    """
    try:
        with reporting(CHAT_STREAM.rpc, world):
            end = yield from with_each(steps, _event)
        last = {"type": "done", **_reply(end)}
        if end.stopped_by is not None:
            last |= _error_frame(problems.problem(end.stopped_by))
        yield _event(last)
    except DomainError as error:
        yield _event(_error_frame(problems.problem(error)))
    except Exception:
        yield _event(_error_frame({**problems.fault_problem(), "detail": _FAILED}))
        raise


_SHOWN = ("detail", "status", "code", "request_id")
"""The fields of a problem that an error event has."""


def _error_frame(why: "Problem") -> Frame:
    return {"type": "error", **{name: value for name, value in why.items() if name in _SHOWN}}


def _event(frame: Frame) -> bytes:
    return f"data: {compact_json(frame)}\n\n".encode()
