"""What an export holds of keyed documents that were erased, are damaged or change meanwhile."""

from typing import Any

from membrane_local.storage.stores import TABLE
from tests.integration.archive.test_keyed_documents import a_document
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
