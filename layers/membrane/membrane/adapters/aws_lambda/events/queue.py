"""SQS batches: a message that is refused fails alone and comes back by itself."""

from collections.abc import Mapping
from typing import Any

from membrane.adapters.aws_lambda.http.operations import Operation, perform, reported
from membrane.domain.access.trust import Principal
from membrane.domain.language.errors import DomainError
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services import Services


def is_batch(event: Mapping[str, Any]) -> bool:
    """Whether SQS sent it."""
    match event.get("Records"):
        case [{"eventSource": "aws:sqs"}, *_]:
            return True
        case _:
            return False


def answer_batch(
    event: Mapping[str, Any], operation: Operation, principal: Principal, services: Services
) -> JsonObject:
    """The ids of the messages that failed, for SQS to deliver again and then to set aside."""
    failed = [
        message["messageId"]
        for message in event["Records"]
        if not _is_done(message, operation, principal, services)
    ]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _is_done(
    message: Mapping[str, Any], operation: Operation, principal: Principal, services: Services
) -> bool:
    try:
        with reported(operation.rpc, services):
            asked = parse_json(message["body"])
            perform(operation, asked, principal, services, message["messageId"])
    except DomainError:
        return False
    except Exception as fault:  # noqa: BLE001 - raised, it would fail the whole batch with it
        services.report(operation.rpc, FAULT, fault)
        return False
    return True
