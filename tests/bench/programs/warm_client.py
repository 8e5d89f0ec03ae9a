"""Makes requests with a DynamoDB client as anybody makes one, on a stubbed network."""

import base64
import time
from typing import Any

import boto3
from botocore import xform_name

from tests.bench.programs.lines import answer_lines
from tests.bench.programs.stubbed_http import stub_http


def main() -> None:
    """Serve a client without any configuration."""
    client, stub = boto3.client("dynamodb"), stub_http()

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        stub.will_reply(question["replies"])
        rounds = [
            [(getattr(client, xform_name(operation)), _native(body)) for operation, body in calls]
            for calls in question["rounds"]
        ]
        start_s = time.process_time()
        for calls in rounds:
            for call, body in calls:
                call(**body)
        spent_s = time.process_time() - start_s
        stub.forget()
        return {"cpu_s": spent_s / len(rounds)}

    answer_lines(answer)


def _native(value: Any) -> Any:
    """JSON of the API as botocore takes it: binary values as bytes."""
    match value:
        case {"B": str(content), **rest} if not rest:
            return {"B": base64.b64decode(content)}
        case dict():
            return {name: _native(each) for name, each in value.items()}
        case list():
            return [_native(each) for each in value]
        case _:
            return value


if __name__ == "__main__":
    main()
