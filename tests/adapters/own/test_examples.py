"""The programs on the pages about frameworks, run as a reader runs the programs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ("langgraph", "claude", "strands", "openai-agents", "pydantic-ai", "frameworks")
SHOWN = {"output", "text"}
TIMEOUT_S = 120


class Example(NamedTuple):
    """A program on a page, and the output that the page shows."""

    program: str
    shown: str | None


def examples(page: str) -> list[Example]:
    """The Python blocks of a page, with the block of output behind the program, if any."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [
        Example(block, following[1] if following and following[0] in SHOWN else None)
        for (language, block), following in zip_longest(blocks, blocks[1:])
        if language == "python"
    ]


class ScriptedClaude(BaseHTTPRequestHandler):
    """Answers a user with a note in the memory, and the tool's result with a word."""

    NOTE: Mapping[str, Any] = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "memory",
        "input": {
            "command": "create", "path": "/memories/tea.md", "file_text": "Tea without milk.\n",
        },
    }  # fmt: skip

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_noted = "tool_result" in json.dumps(asked["messages"])
        content = {"type": "text", "text": "Noted."} if is_noted else self.NOTE
        body = json.dumps({
            "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"],
            "content": [content], "stop_reason": "end_turn" if is_noted else "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing to log."""


@pytest.fixture(scope="module")
def claude_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedClaude)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_of_a_page_print_what_the_page_shows(
    page: str, claude_url: str, tmp_path: Path
) -> None:
    programs = examples(page)
    assert programs

    for number, example in enumerate(programs):
        script = tmp_path / f"example_{number}.py"
        script.write_text(example.program, "utf-8")
        done = subprocess.run(
            [sys.executable, script], cwd=tmp_path, env=environment(claude_url),
            capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip

        assert done.returncode == 0, done.stderr
        if example.shown is not None:
            assert done.stdout == example.shown


def environment(claude_url: str) -> dict[str, str]:
    """The variables of a reader with the local stack and a model, and without a network."""
    nowhere = "http://127.0.0.1:9"
    return {
        **os.environ,
        "ANTHROPIC_BASE_URL": claude_url,
        "ANTHROPIC_API_KEY": "none",
        "HTTPS_PROXY": nowhere,
        "HTTP_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1,localhost",
    }
