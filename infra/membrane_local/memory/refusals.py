"""What DynamoDB refuses, with its codes and messages."""

from typing import Any


class Refused(Exception):
    """A request that DynamoDB refuses, and leaves nothing behind."""

    def __init__(self, code: str, message: str = "", **more: Any) -> None:
        super().__init__(message)
        self.code, self.more = code, more

    def body(self) -> dict[str, Any]:
        kind = f"com.amazonaws.dynamodb.v20120810#{self.code}"
        named = "Message" if "CancellationReasons" in self.more else "message"
        return {"__type": kind, named: str(self), **self.more}

    def reason(self) -> dict[str, Any]:
        is_condition = self.code == "ConditionalCheckFailedException"
        code = "ConditionalCheckFailed" if is_condition else "ValidationError"
        return {"Code": code, "Message": str(self), **self.more}


def invalid(message: str) -> Refused:
    """The refusal of a request that no state of the table would allow."""
    return Refused("ValidationException", message)


def bad_value(message: str) -> Refused:
    return invalid(f"One or more parameter values were invalid: {message}")
