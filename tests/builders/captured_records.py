"""Captures as stored with an interpretation by the rules."""

from typing import Any

from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.services import Services
from tests.builders.captures import captured
from tests.builders.requests import standing


def stored_capture(content: Any, services: Services, **fields: Any) -> StoredRecord:
    """The capture of the content, as stored."""
    body = captured(content, services, **fields)
    return newest(str(body["primary_record"]["id"]), services)


def newest(record_id: str, services: Services) -> StoredRecord:
    """The record as stored now."""
    return standing(record_id, services.records)
