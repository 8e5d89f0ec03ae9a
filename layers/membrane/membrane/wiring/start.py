"""The world that a handler serves, and the parts that are ready when a function has started."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import TypeVar

from membrane.adapters.aws_lambda.invocation import Context, Event, note_request
from membrane.table.dynamo import measure_throttles
from membrane.wiring.environment import IN_LAMBDA
from membrane.wiring.world import World

Answer = TypeVar("Answer")
Handler = Callable[[Event, Context], Answer]

_SEARCH = ("search", "vectors", "embedder", "catalogue", "set_aside", "cursor_key", "weights")
_TOPICS = (*_SEARCH, "topics", "topic_search", "topic_vectors", "topic_policy", "send_to_reasoning")
_AGENTS = (*_TOPICS, "recent_writes", "kept_keys", "access_tokens")
_CHAT = (*_AGENTS, "chat_model", "chat_budget", "chat_limits")

STARTS = {
    "any": ("records", "bucket", "report", "measure", "learning_policy", "sources", "guard"),
    "search": _SEARCH,
    "topics": _TOPICS,
    "agents": _AGENTS,
    "chat": _CHAT,
    "study": (*_CHAT, "jobs", "start_execution"),
    "archive": ("topics", "topic_restores"),
    "erasure": (
        *("topics", "topic_policy", "erasures"),
        *("dead_letters", "start_erasing", "fence_wait_s"),
    ),
    "documents": ("documents", "cursor_key"),
    "blobs": ("topics", "documents"),
    "verification": ("topics",),
    "interpreting": ("interpreter", "claims", "token_budget", "hold_back"),
}
"""The parts of the world that a function has when it has started, by the function's kind."""

_serving: ContextVar[World | None] = ContextVar("serving", default=None)


def world() -> World:
    """The world of the environment, or the replacement by `serving`."""
    return _serving.get() or _of_environment()


@contextmanager
def serving(replacement: World) -> Iterator[None]:
    """Replace the world of handlers called in this context: by a test's or the local stack's."""
    token = _serving.set(replacement)
    try:
        yield
    finally:
        _serving.reset(token)


def ready(kind: str, *use_cases: str) -> Callable[[Handler[Answer]], Handler[Answer]]:
    """Let the parts of the kind be made at the start of the handler's function, if this is Lambda.

    Jobs that share a module import their use cases late: the start imports the modules named here.
    The start has a whole processor, a request at 512 MB less than a third of one. A setting that a
    part refuses fails the start. See `note_request` for the handler itself.
    """
    if IN_LAMBDA:
        for each in use_cases:
            import_module(f"membrane.usecases.{each}")
        for each in STARTS[kind]:
            getattr(world(), each)
    return note_request


@cache
def _of_environment() -> World:
    made = World(environment=os.environ)
    measure_throttles(made.dynamodb, made.measure)
    return made


ready("any")
