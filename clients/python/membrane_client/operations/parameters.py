"""Parameters that operations share; None stays out of a request. Written by `make openapi`."""

from typing import Any, TypedDict

from membrane_client.core.protocol import Json, Texts, Time, User


class Caller(TypedDict, total=False):
    """Who calls: without a user, the client's user."""

    user: User


class Write(Caller, total=False):
    """A call with effects; without a key, a new key makes its attempts one write."""

    idempotency_key: str | None


class Reach(Caller, total=False):
    """A read within a trust that is narrower than the key's."""

    max_sensitivity: str | None
    scope: Texts | str | None


class Search(Caller, total=False):
    """A search for records; `cursor` is the `next_cursor` of the page before."""

    trust: Json | None
    memory_types: Texts | None
    min_salience: float | None
    min_score: float | None
    tags: Texts | None
    cursor: str | None
    consistency_tokens: Texts | None


class Claim(Write, total=False):
    actor: str | None
    rationale: str | None


class Labels(Write, total=False):
    source: str | None
    tags: Texts | None
    scope: str | None
    sensitivity: str | None
    lifecycle: Json | None


class GraphSearch(Search, total=False):
    """A search for a graph; the limits default to 10 roots, 25 nodes, 100 edges and 1 hop."""

    root_limit: int
    node_limit: int
    edge_limit: int
    max_hops: int
    predicates: Texts | None
    node_types: Texts | None


class Report(Labels, total=False):
    """A report of what happened at a time."""

    timestamp: Time | None


class Capture(Report, total=False):
    source_kind: str | None
    context: Any
    proposed_type: str | None
    summary: str | None


class Listing(Caller, total=False):
    """A list of a scope; `cursor` is the `next_cursor` of the page before."""

    scope: str | None
    limit: int
    cursor: str | None


class ReachListing(Reach, total=False):
    limit: int
    cursor: str | None


class TopicChange(Write, total=False):
    summary: str | None
    topic_kind: str | None
    salience: float | None
    sensitivity: str | None


class DocumentChange(Write, total=False):
    scope: str | None
    expected_version: int | None
    must_exist: bool | None
    rationale: str | None
    operation_id: str | None
