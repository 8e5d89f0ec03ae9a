"""Proposals of a model, as JSON and as models."""

from typing import Any

from membrane.domain.capture.proposals import Proposal, proposal_in

LISTS = ("mentions", "relations", "references", "labels", "facts")


def answer(**lists: list[dict[str, Any]]) -> dict[str, Any]:
    """A model's answer: the given lists, and empty lists for the rest."""
    return {name: lists.get(name, []) for name in LISTS}


def proposal(**lists: list[dict[str, Any]]) -> Proposal:
    """The same, parsed."""
    return proposal_in(answer(**lists))


def mention(surface: str = "Ana", **fields: Any) -> dict[str, Any]:
    """A mention that rests on its own name."""
    usual = {
        "surface": surface,
        "entity_kind": "person",
        "entity_id": "",
        "aliases": [],
        "confidence": 0.9,
        "words": surface,
    }
    return usual | fields


def relation(target_id: str = "e-1", **fields: Any) -> dict[str, Any]:
    """A relation to an offered record."""
    usual = {
        "predicate": "depends_on",
        "target_id": target_id,
        "confidence": 0.8,
        "words": "depends on",
    }
    return usual | fields


def reference(target_id: str = "r-1", **fields: Any) -> dict[str, Any]:
    """A reference to an offered record."""
    usual = {"ref": "OPS-7", "target_id": target_id, "confidence": 0.7, "words": "OPS-7"}
    return usual | fields


def label(text: str = "outage", **fields: Any) -> dict[str, Any]:
    """A label."""
    return {"label": text, "confidence": 0.6, "words": "went down"} | fields


def fact(**fields: Any) -> dict[str, Any]:
    """A fact."""
    usual = {
        "subject": "billing",
        "predicate": "owned_by",
        "object": "Ana",
        "confidence": 0.9,
        "words": "Ana owns billing",
    }
    return usual | fields
