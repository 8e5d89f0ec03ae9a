"""The limits that the manual's pages list are those of the code."""

import re

import pytest

from tests.worlds.agreed import (
    DEFAULT_TOP_K,
    GROWTH_BYTES,
    LARGE_VALUE_BYTES,
    LEAST_CHAT_TOKENS,
    MAX_CALLS,
    MAX_CLASSES,
    MAX_CURRENT_BYTES,
    MAX_FOUND,
    MAX_HOLDERS,
    MAX_LOG_BYTES,
    MAX_MESSAGES,
    MAX_NAME_CHARACTERS,
    MAX_PAGE,
    MAX_QUESTION_TOKENS,
    MAX_RELATIONS,
    MAX_REPLY_BYTES,
    MAX_SCOPES,
    MAX_SEARCHED_CHARACTERS,
    MAX_SOURCES,
    MAX_STEPS,
    MAX_TERMS,
    MAX_TEXT_CHARACTERS,
    MAX_TOKENS,
    MAX_TOP_K,
    MAX_VALUE_BYTES,
    MAX_VERIFIED,
    PATIENCE_S,
    PREVIEW_CHARACTERS,
    RECEIPT_PERIOD,
    SHOWN_ENTRIES,
    Question,
    chat,
    document_search,
    documents,
    filters,
    places,
)
from tests.worlds.pages import manual

LIMITS = {
    "chat": {
        "messages of a request": {chat.MAX_MESSAGES},
        "characters of a message": {MAX_TEXT_CHARACTERS},
        "turns that the model reads": {chat.MAX_INTENT_TURNS},
        "questions to the model": {chat.MAX_TOOL_ROUNDS},
        "tokens of a question": {MAX_QUESTION_TOKENS},
        "bytes of `tool_log`": {MAX_LOG_BYTES >> 20, PREVIEW_CHARACTERS},
    },
    "documents": {
        "labels of a namespace": {places.MAX_LABELS},
        "bytes of a label, of a key": {places.MAX_LABEL_BYTES, places.MAX_KEY_BYTES},
        "bytes of a value": {MAX_VALUE_BYTES},
        "paths, searchable texts of a document": {documents.MAX_INDEXED_PATHS, filters.MAX_TEXTS},
        "characters of a searchable text": {filters.MAX_TEXT_CHARACTERS},
        "items of an append, of a removal": {documents.MAX_ITEMS},
        "bytes of the items of an append": {documents.MAX_APPEND_BYTES},
        "items of a read": {documents.MAX_ITEMS_READ},
        "former versions of a read": {documents.MAX_VERSIONS_READ},
        "characters of a rationale": {documents.MAX_RATIONALE_CHARACTERS},
        "seconds of a period": {documents.MAX_PERIOD_S},
        "documents of a page, namespaces of a page": {documents.MAX_LIMIT},
        "keys, levels, values of a filter": {
            filters.MAX_FILTER_KEYS,
            filters.MAX_FILTER_DEPTH,
            filters.MAX_FILTER_VALUES,
        },
        "documents examined by a call": {document_search.MAX_EXAMINED},
        "requests of a search, of a search by query": {
            document_search.MAX_PAGES,
            document_search.MAX_PAGES_BY_QUERY,
        },
        "large values examined by a search": {document_search.MAX_LARGE_VALUES},
        "operations of a batch": {documents.MAX_OPERATIONS},
    },
    "records": {
        "messages of a request; tool calls of a message": {MAX_MESSAGES, MAX_CALLS},
        "characters of a thread's name": {MAX_NAME_CHARACTERS},
        "relations of a new record": {MAX_RELATIONS},
        "new record in a reply": {MAX_REPLY_BYTES},
        "relations and sources added by later changes": {GROWTH_BYTES},
        "newest audit entries in a reply": {SHOWN_ENTRIES},
    },
    "retrieval": {
        "scopes of a retrieval": {MAX_SCOPES},
        "candidates ranked for a task": {MAX_FOUND},
        "indexed text of a record": {MAX_SEARCHED_CHARACTERS, MAX_TERMS},
        "consistency tokens of a request": {MAX_TOKENS},
        "lifetime of a receipt": {RECEIPT_PERIOD.days},
    },
    "revision": {
        "records merged at once": {MAX_SOURCES},
        "active facts of one head": {MAX_HOLDERS},
        "facts replaced by one write": {MAX_SOURCES},
        "facts contested by one observation": {MAX_SOURCES},
        "steps of": {MAX_STEPS},
        "audit entries of a page": {MAX_PAGE},
        "entries verified by the first page": {MAX_VERIFIED},
    },
    "salience": {
        "decay profiles of a scope and type": {MAX_CLASSES},
        "scopes of a preview": {MAX_SCOPES},
        "duration of a preview": {int(PATIENCE_S)},
    },
    "topics": {
        "current values of a topic": {MAX_CURRENT_BYTES >> 20, LARGE_VALUE_BYTES >> 10},
        "topics of a query": {DEFAULT_TOP_K, MAX_TOP_K},
        "scopes of a query": {MAX_SCOPES},
    },
}
"""By page and the beginning of a row of the table "Limits"."""


@pytest.mark.parametrize(
    ("page", "row"), [(page, row) for page, rows in LIMITS.items() for row in rows]
)
def test_a_limit_of_a_page_is_that_of_the_code(page: str, row: str) -> None:
    (value,) = re.findall(
        rf"^\| {re.escape(row)}.*? \| (.*) \|$", manual(page).section("Limits"), re.MULTILINE
    )

    shown = {int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", value)}

    assert shown >= LIMITS[page][row]


def test_the_least_daily_tokens_suffice_for_the_longest_question() -> None:
    assert MAX_QUESTION_TOKENS + Question("", []).max_tokens <= LEAST_CHAT_TOKENS
