"""SQS queues in memory, on the stack's own clock.

moto has queues too, but on the machine's clock: visibility timeouts and retention would not follow
the stack's clock. The queues behave as the template's standard queues: a message stays hidden for
the sender's delay; a received message is hidden for the visibility timeout; a message received
`max_receives` times moves to the dead letters and keeps the message id; a message is dropped at
the end of the retention, counted from the first send.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from uuid import uuid4

from membrane.domain.language.errors import InvalidArgument
from membrane_local.clock import DevClock
from membrane_local.events.sources import QueueSettings

MAX_MESSAGE_BYTES = 1_048_576
"""AWS, `SendMessage`; the messages of the local stack have no attributes."""
MAX_DELAY_S = 900
MAX_HIDDEN_S = 43_200
"""The longest time from the receive for which a message is hidden (AWS, 12 hours)."""
_REFUSED_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class Message:
    body: str
    sent_at: datetime
    sent_s: float
    """By `DevClock.passed_s`, as all names with `_s` in this module."""
    message_id: str = field(default_factory=lambda: str(uuid4()))
    receives: int = 0
    first_received_at: datetime | None = None
    received_s: float = 0
    hidden_until_s: float = 0

    @property
    def receipt(self) -> str:
        return f"{self.message_id}#{self.receives}"


class Queue:
    def __init__(self, settings: QueueSettings, clock: DevClock) -> None:
        self.settings = settings
        self.dead_letters: Queue | None = None
        self.on_send: Callable[[float], None] = lambda _: None
        self._clock = clock
        self._lock = RLock()
        self._messages: list[Message] = []

    def send(self, body: str, delay_s: int = 0) -> str:
        """The new message's id; raises InvalidArgument for a body or a delay that SQS refuses."""
        (message_id,) = self.send_all([body], delay_s)
        return message_id

    def send_all(self, bodies: Iterable[str], delay_s: int = 0) -> list[str]:
        """The new messages' ids; all messages are sent at once, or none. Raises as `send` does."""
        if not 0 <= delay_s <= MAX_DELAY_S:
            raise InvalidArgument(f"a message is held back for {MAX_DELAY_S} seconds at most")
        now, now_s = self._clock.now(), self._clock.passed_s()
        messages = [Message(each, now, now_s, hidden_until_s=now_s + delay_s) for each in bodies]
        for body in (each.body for each in messages):
            if not body:
                raise InvalidArgument("a message has one character at least")
            if _REFUSED_CHARACTERS.search(body):
                raise InvalidArgument("the message has a character that SQS refuses")
            if len(body.encode()) > MAX_MESSAGE_BYTES:
                raise InvalidArgument(f"the message is larger than {MAX_MESSAGE_BYTES} bytes")
        with self._lock:
            self._messages.extend(messages)
        self.on_send(delay_s)
        return [message.message_id for message in messages]

    def receive(self, limit: int, fits: Callable[[list[Message]], bool]) -> list[Message]:
        """The oldest visible messages, `limit` at most, as long as `fits` accepts them together.

        The messages become hidden. A message received too often moves to the dead letters instead.
        """
        with self._lock:
            received: list[Message] = []
            for message in self._visible():
                if self.dead_letters and message.receives >= self.settings.max_receives:
                    self._messages.remove(message)
                    message.hidden_until_s = 0
                    self.dead_letters._take(message)  # noqa: SLF001 - of the same class
                elif len(received) < limit and fits([*received, message]):
                    received.append(message)
            for message in received:
                message.receives += 1
                message.first_received_at = message.first_received_at or self._clock.now()
                message.received_s = self._clock.passed_s()
                message.hidden_until_s = message.received_s + self.settings.visibility_s
            return received

    def hide(self, receipt: str, seconds: int) -> None:
        """Hide a received message for `seconds` from now; raises InvalidArgument as SQS refuses."""
        with self._lock:
            message = next((each for each in self._messages if each.receipt == receipt), None)
            if message is None:
                raise InvalidArgument("no message was received under this receipt last")
            now_s = self._clock.passed_s()
            if not 0 <= seconds <= message.received_s + MAX_HIDDEN_S - now_s:
                raise InvalidArgument("a message is hidden for 12 hours from the receive at most")
            message.hidden_until_s = now_s + seconds
        self.on_send(seconds)

    def delete(self, message_ids: Iterable[str]) -> int:
        ids = set(message_ids)
        with self._lock:
            before = len(self._messages)
            self._messages = [each for each in self._messages if each.message_id not in ids]
            return before - len(self._messages)

    def remove_where(self, is_wanted: Callable[[str], bool]) -> list[str]:
        """Delete the messages with a wanted body, hidden ones too; returns the ids."""
        with self._lock:
            wanted = [each.message_id for each in self._messages if is_wanted(each.body)]
            self.delete(wanted)
            return wanted

    def waiting(self) -> list[Message]:
        with self._lock:
            return self._visible()

    def count_hidden(self) -> int:
        with self._lock:
            return len(self._messages) - len(self._visible())

    def clear(self) -> None:
        with self._lock:
            self._messages.clear()

    def _visible(self) -> list[Message]:
        now_s = self._clock.passed_s()
        oldest_s = now_s - self.settings.retention_s
        self._messages = [each for each in self._messages if each.sent_s > oldest_s]
        return [each for each in self._messages if each.hidden_until_s <= now_s]

    def _take(self, message: Message) -> None:
        with self._lock:
            self._messages.append(message)
        self.on_send(0)


def open_queues(settings: Iterable[QueueSettings], clock: DevClock) -> dict[str, Queue]:
    """The queues by logical id, with their dead-letter queues."""
    queues = {each.logical_id: Queue(each, clock) for each in settings}
    for queue in queues.values():
        if queue.settings.dead_letters is not None:
            queue.dead_letters = queues[queue.settings.dead_letters]
    return queues
