"""The types of Lambda's interface: event, reply and context."""

from collections.abc import Mapping
from typing import Any, Protocol

Event = Mapping[str, Any]
Reply = dict[str, Any]


class Context(Protocol):
    """The attributes in use of Lambda's context object."""

    aws_request_id: str
    invoked_function_arn: str
    """With the version or alias, if the invocation named one."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda stops the function."""
