"""What Lambda hands to every handler, and what it takes back."""

from collections.abc import Mapping
from typing import Any, Protocol

Event = Mapping[str, Any]
Reply = dict[str, Any]


class Context(Protocol):
    """What is used of Lambda's context object."""

    aws_request_id: str
    invoked_function_arn: str
    """Of the version or alias that was invoked, where it was one."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda stops the function."""
