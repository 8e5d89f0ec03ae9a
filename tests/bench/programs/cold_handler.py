"""Starts a handler as a new execution environment does, and tells what it took to be ready.

Given a file of an event, it answers that too, on a stubbed network.
"""

import sys
import time

sys.path[0] = sys.argv[1]  # the function's folder, in the place of this program's

from handler import handler  # type: ignore[import-not-found]  # noqa: E402 - of that folder

from membrane.wiring import services  # noqa: E402 - after the handler, as in Lambda

services()
ready_s, spent_s = time.monotonic(), time.process_time()

from tests.bench.programs.first_request import finish  # noqa: E402 - not part of what is timed

finish(ready_s, spent_s, lambda event: handler(event, None))
