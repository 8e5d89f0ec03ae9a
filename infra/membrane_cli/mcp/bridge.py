"""Relay lines of JSON-RPC as POSTs, many at a time, and write the answers as lines."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from membrane.domain.language.errors import Unavailable
from membrane_cli.connections import Connection
from membrane_cli.http_client import Reply, Unreachable
from membrane_cli.mcp import http_exchange
from membrane_cli.mcp.answers import messages_for, sentence_of
from membrane_cli.mcp.headers import agreed_version_in, headers_of
from membrane_cli.mcp.messages import (
    NOT_ANSWERED,
    Body,
    Message,
    Refusal,
    error_answer,
    parse_message,
)
from membrane_cli.shared_stack.joining import AgentStack, StackNotStarted

MAX_IN_FLIGHT = 64
"""As many as the local stack answers at a time; the next line waits."""


class RawOutput(Protocol):
    """A stream without a buffer, which may write less than all bytes."""

    def write(self, content: memoryview, /) -> int | None: ...


class Bridge:
    """A client's messages on their way to the stack, and the answers on their way back."""

    def __init__(
        self,
        stack: AgentStack,
        output: RawOutput,
        warn: Callable[[str], None],
        *,
        query: str = "",
        timeout_s: float,
    ) -> None:
        self._stack, self._output, self._warn = stack, output, warn
        self._query, self._timeout_s = query, timeout_s
        self._writing, self._joining = threading.Lock(), threading.Lock()
        self._in_flight = threading.Semaphore(MAX_IN_FLIGHT)
        self._connection: Connection | None = None
        self._agreed_version: str | None = None
        self._broken: OSError | None = None

    def start_joining(self) -> None:
        """Look for the stack before the first message, which comes a moment later."""
        threading.Thread(target=self._join_early, daemon=True).start()

    def run(self, lines: Iterable[bytes | Refusal]) -> None:
        """Relay until the last line, then wait for the calls in flight.

        Raises OSError where nobody reads the answers.
        """
        threads: set[threading.Thread] = set()
        for line in lines:
            if self._broken:
                break
            message = self._message_in(line)
            if message is None:
                continue
            self._in_flight.acquire()
            threads = {each for each in threads if each.is_alive()}
            # a daemon: a call in flight must not outlive Ctrl-C
            thread = threading.Thread(target=self._relay, args=(message,), daemon=True)
            threads.add(thread)
            thread.start()
        for thread in threads:
            thread.join()
        if self._broken:
            raise self._broken

    def _message_in(self, line: bytes | Refusal) -> Message | None:
        """The message to relay; None for an empty or a refused line."""
        if isinstance(line, Refusal):
            self._write([line.answer])
            return None
        try:
            return parse_message(line) if line.strip() else None
        except Refusal as refusal:
            self._write([refusal.answer])
            return None

    def _relay(self, message: Message) -> None:
        try:
            self._write(self._answers_to(message))
        finally:
            self._in_flight.release()

    def _answers_to(self, message: Message) -> Iterable[Body]:
        """The messages for the client; none for a message that gets no answer."""
        headers = headers_of(message.body, self._agreed_version)
        try:
            connection, answer = self._exchange(message, headers)
        except (Unavailable, StackNotStarted) as error:
            self._warn(f"{message.method}: {error}")
            if not message.is_request:
                return []
            return [error_answer(message.request_id, NOT_ANSWERED, str(error))]
        if not message.is_request:
            if answer.status >= 300:  # noqa: PLR2004 - above the statuses of success
                self._warn(f"{message.method}: {sentence_of(answer, connection.url)}")
            return []
        found = messages_for(message, answer, connection.url)
        if message.method == "initialize":
            self._agreed_version = agreed_version_in(found[-1])
        return found

    def _exchange(self, message: Message, headers: Mapping[str, str]) -> tuple[Connection, Reply]:
        """The answer of the stack; a stack that ended is joined again, once."""
        connection = self._join(None)
        try:
            answer = self._post(connection, message, headers)
        except Unreachable:
            renewed = self._join(connection)
            if renewed == connection:
                raise
            connection, answer = renewed, self._post(renewed, message, headers)
        return connection, answer

    def _post(self, connection: Connection, message: Message, headers: Mapping[str, str]) -> Reply:
        content = message.line.strip()
        return http_exchange.post(connection, self._query, content, headers, self._timeout_s)

    def _join(self, lost: Connection | None) -> Connection:
        """The stack's address; `lost` is an address at which nobody answers any more."""
        with self._joining:
            if self._connection is None or self._connection == lost:
                self._connection = self._stack.join()
            return self._connection

    def _join_early(self) -> None:
        try:
            self._join(None)
        except StackNotStarted as error:
            self._warn(str(error))

    def _write(self, messages: Iterable[Body]) -> None:
        """Write each message as a line of ASCII; a reader that is gone ends `run`."""
        for each in messages:
            content = memoryview(json.dumps(each, separators=(",", ":")).encode() + b"\n")
            try:
                with self._writing:
                    while content:
                        content = content[self._output.write(content) or 0 :]
            except OSError as error:
                self._broken = error
