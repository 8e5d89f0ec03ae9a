"""Calls a handler with events, on a stubbed network, and tells what CPU a call takes."""

import sys
import time
from typing import Any

from tests.bench.programs.context import Context
from tests.bench.programs.lines import answer_lines
from tests.bench.programs.stubbed_http import stub_http


def main(folder: str) -> None:
    """Serve the handler of a function's folder."""
    sys.path[0] = folder
    from handler import handler  # type: ignore[import-not-found]  # noqa: PLC0415 - of the folder

    stub, context = stub_http(), Context()

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        stub.will_reply(question["replies"])
        stub.forget()
        events = question["events"]
        start_s = time.process_time()
        replies = [handler(event, context) for event in events]
        spent_s = time.process_time() - start_s
        return {"cpu_s": spent_s / len(events), "asked": stub.forget(), "reply": replies[-1]}

    answer_lines(answer)


if __name__ == "__main__":
    main(sys.argv[1])
