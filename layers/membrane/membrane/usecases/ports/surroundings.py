"""What surrounds a use case: clock, reports, metrics, signatures, other functions and queues."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from membrane.domain.language.json_text import JsonObject

Clock = Callable[[], datetime]
"""The current time with a time zone."""

MAX_WORKERS = 16
"""The most threads that use the ports at once; clients keep as many connections."""

InvokeLater = Callable[[str, JsonObject], None]
"""Start a Lambda function, given by name or ARN, with an event; do not wait for the end.

May raise Unavailable.
"""

SendToInterpreter = Callable[[str, int, int], None]
"""Send id and version of a capture to the interpreting function, after 0 to 900 seconds.

May raise Unavailable.
"""

SendToReasoning = Callable[[JsonObject, int], None]
"""Send a message to the reasoning function after 0 to 900 s; may raise Unavailable."""

StartExecution = Callable[[str, JsonObject], None]
"""Start an execution of the state machine, by the name of the execution, with the input.

An execution of the name that there is already is no error. May raise Unavailable.
"""


class DeadLetters(Protocol):
    """The dead-letter queues of the stack. May raise ResourceExhausted or Unavailable."""

    def remove_where(self, is_wanted: Callable[[str], bool]) -> Sequence[str]:
        """Delete each message whose body is wanted; returns the ids. All others stay."""

    def are_all_visible(self) -> bool:
        """Whether no message is hidden, because a killed run received it shortly before."""


FAULT = "FAULT"
"""The code of a request that neither succeeded nor was refused."""


class Report(Protocol):
    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        """Log the end of a request: `code` is OK, the code of a refusal, or FAULT with `fault`."""


class Measure(Protocol):
    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        """Record a metric; `unit` is a unit of CloudWatch: Count or Seconds."""


class Signature(NamedTuple):
    key_id: str
    algorithm: str
    value: str
    """Base64."""


class Signer(Protocol):
    """Signs with a key that never leaves the signer. May raise ResourceExhausted or Unavailable."""

    def sign(self, content: bytes) -> Signature:
        """The signature over the SHA-256 of the content, which may have any length."""

    def verify(self, content: bytes, signature: Signature) -> bool: ...
