"""What an export holds of keyed documents that were erased, are damaged or change meanwhile."""

from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.integration.archive.test_keyed_documents import BOOK, a_document
from tests.worlds.archiving import Pair, exported, lines_in, settle


def kinds_of(content: bytes) -> Any:
    return lines_in(content)[-1]["counts"]


def test_an_export_has_no_line_of_a_document_that_an_erasure_has_left_without_a_name(
    pair: Pair,
) -> None:
    a_document(pair.source)
    assert pair.source.call("PUT", "/v1/documents/books/other", {"value": 1}).status == 200
    assert pair.source.post("/v1/erasures", {"subject": "moby", "dry_run": False}).status == 202
    settle(pair.source)
    assert any(place.startswith("documents#=erased:") for place in pair.source.stored())

    content = exported(pair.source)

    assert kinds_of(content) == {"keyed_document": 1}
    assert b"other" in content


def test_a_limited_export_does_not_name_a_document_with_a_damaged_item(pair: Pair) -> None:
    a_document(pair.source)
    table = pair.source.functions.store.dynamodb
    for place, item in pair.source.stored().items():
        if "versions#" in place:
            spoiled: Any = {**item, "v": {"S": "?"}}
            table.put_item(TableName=TABLE, Item=spoiled)

    limited = exported(pair.source, key=pair.source.key_for(max_sensitivity="high"))

    assert kinds_of(exported(pair.source))["damaged"] == 2
    assert "damaged" not in kinds_of(limited)


@pytest.mark.parametrize("is_lowered", [False, True])
def test_a_limited_export_has_no_item_appended_while_the_document_was_above_the_limit(
    pair: Pair, *, is_lowered: bool
) -> None:
    api, done = pair.source, set[str]()
    assert api.call("PUT", BOOK, {"value": "open", "sensitivity": "low"}).status == 200
    assert api.post(f"{BOOK}/items", {"items": ["open"]}).status == 200
    hooks: Any = api.functions.store.dynamodb.meta.events

    def once(name: str, *acts: tuple[str, str, Any]) -> None:
        if name not in done:
            done.add(name)
            for act in acts:
                assert api.call(*act).status == 200

    def before_query(params: Any, **_: Any) -> None:
        if params["ExpressionAttributeValues"][":pk"]["S"].startswith("document#"):
            append = "POST", f"{BOOK}/items", {"items": ["a secret"]}
            once("raise", ("PUT", BOOK, {"value": "open", "sensitivity": "hyper"}), append)

    def after_query(parsed: Any, **_: Any) -> None:
        if is_lowered and "secret" in str(parsed):
            removal = "DELETE", f"{BOOK}?items=1", None
            once("lower", removal, ("PUT", BOOK, {"value": "open", "sensitivity": "low"}))

    low = api.key_for(max_sensitivity="low")
    hooks.register("provide-client-params.dynamodb.Query", before_query, "before")
    hooks.register("after-call.dynamodb.Query", after_query, "after")
    content = exported(api, key=low)
    hooks.unregister("provide-client-params.dynamodb.Query", unique_id="before")
    hooks.unregister("after-call.dynamodb.Query", unique_id="after")

    assert done == ({"raise", "lower"} if is_lowered else {"raise"})
    assert b"open" in content
    assert b"secret" not in content
