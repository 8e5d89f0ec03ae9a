"""SQS batches: a message that is refused fails alone and comes back by itself."""

from collections.abc import Mapping
from typing import Any

from membrane.adapters.aws_lambda.operations import Operation, perform
from membrane.domain.json_text import JsonObject, parse_json
from membrane.domain.trust import Principal
from membrane.usecases.ports import Services


def is_batch(event: Mapping[str, Any]) -> bool:
    """Whether SQS sent it."""
    records = event.get("Records") or [{}]
    return bool(records[0].get("eventSource") == "aws:sqs")


def answer_batch(
    event: Mapping[str, Any], operation: Operation, principal: Principal, services: Services
) -> JsonObject:
    """The ids of the messages that failed, for SQS to deliver again and then to set aside."""
    from aws_lambda_powertools.utilities.batch import (  # 50 ms that HTTP does without
        BatchProcessor,
        EventType,
        process_partial_response,
    )
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    def ingest_message(message: SQSRecord) -> None:
        perform(
            operation,
            lambda: parse_json(message.body),
            principal,
            services,
            message.message_id,
        )

    return dict(
        process_partial_response(
            event=dict(event),
            record_handler=ingest_message,
            processor=BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False),
        )
    )
