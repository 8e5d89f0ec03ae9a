"""What a handler does before all else: it notes which request the invocation serves."""

import os
import time
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import TypeVar

from membrane.adapters.aws_lambda.correlation import TRACE_ID, Correlation, under_way
from membrane.adapters.aws_lambda.invocation import Context, Event

Answer = TypeVar("Answer")


def note_request(handler: Callable[[Event, Context], Answer]) -> Callable[[Event, Context], Answer]:
    """The handler, whose log lines and problems carry the ids of the invocation."""
    earlier = count()

    @wraps(handler)
    def invoke(event: Event, context: Context) -> Answer:
        ids = Correlation.of(
            event,
            context,
            os.environ.get(TRACE_ID, ""),
            cold_start=next(earlier) == 0,
            began_s=time.monotonic(),
        )
        under_way.set(ids)
        return handler(event, context)

    return invoke
