"""`membrane mcp`: relay lines of JSON-RPC as POSTs, many at a time, and the answers as lines."""

import argparse
import json
import sys
import threading
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from io import RawIOBase
from typing import BinaryIO

from membrane.adapters.aws_lambda.mcp.protocol import INVALID_REQUEST
from membrane.domain.language.errors import Unavailable
from membrane_cli import shared_stack
from membrane_cli.connections import Connection
from membrane_cli.http_client import Answer, Unreachable
from membrane_cli.mcp import messages
from membrane_cli.mcp.messages import Body, Message
from membrane_cli.options import A_STACK, API_KEY, URL, Parser, address
from membrane_cli.output import say


def add_options(parser: Parser) -> None:
    place = parser.add_argument_group("the API; without any, a local stack starts")
    named = place.add_mutually_exclusive_group()
    parser.option("--url", f"the address; if absent {URL}", type=address, place=named)
    parser.option("--stack", A_STACK, place=named)
    parser.option("--api-key", f"if absent {API_KEY}", metavar="KEY", place=place)
    profiles = ("search", "memstate")
    parser.option("--profile", "other tools than Membrane's", choices=profiles)
    longest_s = 35.0  # longer than the 29 seconds after which the HTTP API gives up
    parser.add_seconds("--timeout", longest_s, "for a whole answer")
    meaning = "how long a local stack that this command starts outlives its last agent"
    parser.add_seconds("--linger", shared_stack.LINGER_S, meaning)
    parser.run_by(
        _mcp,
        "membrane mcp",
        "membrane mcp --url https://abc123.execute-api.eu-central-1.amazonaws.com",
        "membrane mcp --stack membrane --profile memstate",
    )


def _mcp(options: argparse.Namespace) -> None:
    from membrane_cli.stacks import stack_here  # noqa: PLC0415 - boto3 takes long to load

    query = f"?profile={options.profile}" if options.profile else ""
    url = stack_here(options.stack).api_url if options.stack else options.url
    with (
        shared_stack.agent_stack(url, options.api_key, options.linger) as join,
        open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as output,
    ):
        bridge = Bridge(join, output, query=query, timeout_s=options.timeout)
        bridge.start_joining()
        bridge.run(read_messages(sys.stdin.buffer) if sys.stdin else ())


MAX_IN_FLIGHT = 64
"""As many as the local stack answers at a time; the next line waits."""


class Bridge:
    """Relays each line by a thread of its own; a line of another thread never comes between."""

    def __init__(
        self, join: shared_stack.Join, output: RawIOBase, *, query: str, timeout_s: float
    ) -> None:
        self._join_stack, self._output = join, output
        self._post = partial(messages.post, query=query, timeout_s=timeout_s)
        self._writing, self._joining = threading.Lock(), threading.Lock()
        self._in_flight = threading.Semaphore(MAX_IN_FLIGHT)
        self._connection: Connection | None = None
        self._agreed_version: str | None = None
        self._broken: OSError | None = None

    def start_joining(self) -> None:
        """Look for the stack before the first message, which comes a moment later."""

        def join() -> None:
            try:
                self._join(None)
            except shared_stack.StackNotStarted as error:
                _warn(str(error))

        threading.Thread(target=join, daemon=True).start()

    def run(self, lines: Iterable[Message | Body]) -> None:
        """Relay each message, then wait for the calls in flight; raises OSError without a reader.

        The thread of a call is a daemon, for a call in flight must not outlive Ctrl-C.
        """
        for message in lines:
            if self._broken:
                break
            if not isinstance(message, Message):
                self._write([message])
                continue
            self._in_flight.acquire()
            threading.Thread(target=self._relay, args=(message,), daemon=True).start()
        for _ in range(MAX_IN_FLIGHT):  # each call in flight frees one
            self._in_flight.acquire()
        if self._broken:
            raise self._broken

    def _relay(self, message: Message) -> None:
        try:
            self._write(self._answers_to(message))
        finally:
            self._in_flight.release()

    def _answers_to(self, message: Message) -> Iterable[Body]:
        headers = messages.headers_of(message.body, self._agreed_version)
        try:
            connection, answer = self._exchange(message, headers)
        except (Unavailable, shared_stack.StackNotStarted) as error:
            _warn(f"{message.method}: {error}")
            if not message.is_request:
                return []
            return [messages.error_answer(message.request_id, messages.NOT_ANSWERED, str(error))]
        if not message.is_request:
            if answer.status >= 300:  # noqa: PLR2004 - above the statuses of success
                _warn(f"{message.method}: {messages.sentence_of(answer, connection.url)}")
            return []
        found = messages.messages_for(message, answer, connection.url)
        if message.method == "initialize":
            match found[-1]:
                case {"result": {"protocolVersion": str(version)}}:
                    self._agreed_version = version
                case _:
                    self._agreed_version = None
        return found

    def _exchange(self, message: Message, headers: Mapping[str, str]) -> tuple[Connection, Answer]:
        """The answer of the stack; a stack that ended is joined again, once."""
        connection, content = self._join(None), message.line.strip()
        try:
            return connection, self._post(connection, content, headers)
        except Unreachable:
            renewed = self._join(connection)
            if renewed == connection:
                raise
            return renewed, self._post(renewed, content, headers)

    def _join(self, lost: Connection | None) -> Connection:
        """The stack's address; `lost` is an address at which nobody answers any more."""
        with self._joining:
            if self._connection is None or self._connection == lost:
                self._connection = self._join_stack(shared_stack.PATIENCE_S)
            return self._connection

    def _write(self, answers: Iterable[Body]) -> None:
        """Write each message as a line of ASCII; a reader that is gone ends `run`."""
        for each in answers:
            content = memoryview(json.dumps(each, separators=(",", ":")).encode() + b"\n")
            try:
                with self._writing:
                    while content:
                        content = content[self._output.write(content) or 0 :]
            except OSError as error:
                self._broken = error


def _warn(text: str) -> None:
    say(f"membrane mcp: {text}")


MAX_LINE_BYTES = 16 * 1024 * 1024
"""Above the 10 MB that an HTTP API takes: a body near the limit gets the refusal of the stack."""


def read_messages(source: BinaryIO) -> Iterator[Message | Body]:
    """Each line with a message, also a last line without an end; an error for any other line."""
    is_first = True
    while line := source.readline(MAX_LINE_BYTES + 1):
        if is_first:
            line, is_first = line.removeprefix(BOM_UTF8), False
        if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
            if line.strip():
                yield messages.parse_message(line)
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(MAX_LINE_BYTES)
        why = f"the line is longer than {MAX_LINE_BYTES} bytes, and was dropped"
        yield messages.error_answer(None, INVALID_REQUEST, why)
