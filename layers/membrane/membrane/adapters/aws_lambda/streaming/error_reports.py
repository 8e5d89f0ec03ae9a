"""Errors of a function, as Lambda's runtimes report and log them."""

import base64
import json
import os
import sys
import time
import traceback
from typing import NamedTuple

from membrane.adapters.aws_lambda.correlation import line_fields

ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
ERROR_BODY = "Lambda-Runtime-Function-Error-Body"
"""Header or trailer names of a report."""

_OWN_FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib would lengthen the cold start


class ErrorReport(NamedTuple):
    """An error with the frames of the function's own code."""

    kind: str
    message: str
    stack: tuple[str, ...]

    @classmethod
    def of(cls, error: Exception) -> "ErrorReport":
        frames = traceback.extract_tb(error.__traceback__)
        own = [each for each in frames if not each.filename.startswith(_OWN_FOLDER)]
        return cls(type(error).__name__, str(error), tuple(traceback.format_list(own)))

    def as_json(self) -> bytes:
        """The body of a report."""
        return json.dumps(self._values()).encode()

    def trailers(self) -> dict[str, str]:
        """The trailers of a body that ends with the error."""
        return {ERROR_TYPE: self.kind, ERROR_BODY: base64.b64encode(self.as_json()).decode()}

    def log(self, request_id: str | None = None) -> None:
        """Write a log line in Lambda's JSON format; an error at the start has no request."""
        line = {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "level": "ERROR",
            **self._values(),
            "requestId": request_id or "",
            **line_fields(time.monotonic()),
        }
        sys.stderr.write(json.dumps(line) + "\n")

    def _values(self) -> dict[str, object]:
        return {
            "errorMessage": self.message,
            "errorType": self.kind,
            "stackTrace": list(self.stack),
        }
