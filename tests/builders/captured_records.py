"""Captures as stored, with an interpretation by the rules, and what a model may add to them."""

from collections.abc import Sequence
from typing import Any

from membrane.domain.capture.proposals import ProposedFact, ProposedMention
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.services import Services
from tests.builders.captures import captured
from tests.builders.proposals import proposal
from tests.builders.requests import standing


def stored_capture(content: Any, services: Services, **fields: Any) -> StoredRecord:
    """The capture of the content, as stored."""
    body = captured(content, services, **fields)
    return newest(str(body["primary_record"]["id"]), services)


def newest(record_id: str, services: Services) -> StoredRecord:
    """The record as stored now."""
    return standing(record_id, services.records)


def proposed_mentions(*mentions: dict[str, Any]) -> Sequence[ProposedMention]:
    return proposal(mentions=[*mentions]).mentions


def proposed_facts(*facts: dict[str, Any]) -> Sequence[ProposedFact]:
    return proposal(facts=[*facts]).facts
