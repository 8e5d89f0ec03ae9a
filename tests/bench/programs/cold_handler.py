"""Starts a handler as a new execution environment does, and tells what it took to be ready.

Then it answers the event that it is given, on a stubbed network.
"""

import sys
import time

sys.path[0] = sys.argv[1]  # the function's folder, in the place of this program's

from handler import handler  # type: ignore[import-not-found]  # noqa: E402 - of that folder

from membrane.wiring.start import world  # noqa: E402 - after the handler, as in Lambda

world()
ready_s, spent_s = time.monotonic(), time.process_time()

from typing import Any  # noqa: E402 - not part of what is timed

from tests.bench.programs.context import Context  # noqa: E402 - the same
from tests.bench.programs.first_request import finish  # noqa: E402 - the same


def answer(event: Any) -> None:
    """Raises where the event is refused."""
    reply = handler(event, Context())
    if reply["statusCode"] >= 300:
        raise RuntimeError(f"the handler answers {reply}")


finish(ready_s, spent_s, answer)
