"""Retrieval, graphs, and the receipts of answers."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.values.records import Answer, AnswerReceipt, Graph


def retrieve(
    api: Api,
    task_descriptor: Opt[str] = NOT_GIVEN,
    *,
    trust: Opt[Json] = NOT_GIVEN,
    memory_types: Opt[Texts] = NOT_GIVEN,
    min_salience: Opt[float] = NOT_GIVEN,
    min_score: Opt[float] = NOT_GIVEN,
    limit: Opt[int] = 10,
    cursor: Opt[str] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    thread_id: Opt[str] = NOT_GIVEN,
    subject: Opt[str] = NOT_GIVEN,
    predicate: Opt[str] = NOT_GIVEN,
    outcome: Opt[Texts | str] = NOT_GIVEN,
    created_after: Opt[Time] = NOT_GIVEN,
    created_before: Opt[Time] = NOT_GIVEN,
    include_retracted: Opt[bool] = NOT_GIVEN,
    as_of: Opt[Time] = NOT_GIVEN,
    view: Opt[str] = "full",
    max_tokens: Opt[int] = 1000,
    consistency_tokens: Opt[Texts] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[Answer]:
    """Records for a task, the best first, or without a task by salience: a page.

    `view="brief"` gives memories, `view="prompt"` an answer with a `prompt`.
    `next_cursor` of the answer, as `cursor` of the same request, leads to the next page.
    """
    return api.ask("POST /v1/retrieve", locals(), Answer)


def retrieve_with_selection(
    api: Api,
    task_descriptor: Opt[str] = NOT_GIVEN,
    *,
    trust: Opt[Json] = NOT_GIVEN,
    memory_types: Opt[Texts] = NOT_GIVEN,
    min_salience: Opt[float] = NOT_GIVEN,
    limit: Opt[int] = 10,
    user: User = NOT_GIVEN,
) -> Steps[Answer]:
    """`retrieve`, by the name of Membrane's client for an answer with a `selection`."""
    given = {name: value for name, value in locals().items() if name != "api"}
    return retrieve(api, **given)


def retrieve_graph(
    api: Api,
    task_descriptor: Opt[str] = NOT_GIVEN,
    *,
    trust: Opt[Json] = NOT_GIVEN,
    memory_types: Opt[Texts] = NOT_GIVEN,
    min_salience: Opt[float] = NOT_GIVEN,
    min_score: Opt[float] = NOT_GIVEN,
    tags: Opt[Texts] = NOT_GIVEN,
    root_limit: Opt[int] = 10,
    node_limit: Opt[int] = 25,
    edge_limit: Opt[int] = 100,
    max_hops: Opt[int] = 1,
    predicates: Opt[Texts] = NOT_GIVEN,
    node_types: Opt[Texts] = NOT_GIVEN,
    cursor: Opt[str] = NOT_GIVEN,
    consistency_tokens: Opt[Texts] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[Graph]:
    """Records for a task, and the records that relations connect with the roots: a page.

    `next_cursor` of the graph, as `cursor` of the same request, leads to the next page.
    """
    return api.ask("POST /v1/retrieve/graph", locals(), Graph)


def read_receipt(api: Api, receipt_id: str, *, user: User = NOT_GIVEN) -> Steps[AnswerReceipt]:
    """The parts of an answer's scores, for 7 days."""
    return api.read("GET /v1/receipts/{receipt_id}", locals(), AnswerReceipt)
