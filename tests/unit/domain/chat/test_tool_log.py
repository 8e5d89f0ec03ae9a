"""The log of calls within the size of a reply."""

import pytest

from membrane.domain.chat.tool_log import MAX_LOG_BYTES, MAX_PART_BYTES, ToolLog
from membrane.domain.language.json_text import compact_json


def test_a_small_call_is_kept_whole() -> None:
    log = ToolLog()

    entry = log.add("read", {"id": "m"}, {"text": "x"})

    assert entry == {"tool": "read", "args": {"id": "m"}, "result": {"text": "x"}}
    assert log.calls == [entry]


def test_a_large_result_is_a_preview_with_links_to_what_it_names() -> None:
    large = {"ok": True, "topics": [{"id": "a b"}], "text": "x" * MAX_PART_BYTES}

    entry = ToolLog().add("memory_list_topics", {"topic_id": "t"}, large)

    text = compact_json(large)
    assert entry["result"] == {"cut": True, "bytes": len(text), "preview": text[:400]}
    assert entry["links"] == ["/v1/topics/t", "/v1/topics/a%20b"]


def test_a_memory_has_a_link_to_the_record() -> None:
    large = {"memories": [{"id": "m1"}, {"id": "m2"}, {"id": "m1"}], "text": "x" * MAX_PART_BYTES}

    entry = ToolLog().add("recall", {}, large)

    assert entry["links"] == ["/v1/records/m1", "/v1/records/m2"]


@pytest.mark.parametrize("letter", ["x", "\u6c34"])
def test_a_full_log_keeps_the_names_and_sizes_of_later_calls(letter: str) -> None:
    log = ToolLog()
    most = {"topic_id": "t", "text": letter * (MAX_PART_BYTES // len(letter.encode()) - 100)}

    for _ in range(4_000):
        log.add("read", most, most)

    assert len(log.calls) == 4_000
    assert log.calls[0]["result"] == most
    size = len(compact_json(most).encode())
    part = {"cut": True, "bytes": size, "preview": ""}
    assert log.calls[-1] == {"tool": "read", "args": part, "result": part}
    assert len(compact_json(log.calls).encode()) < 1.5 * MAX_LOG_BYTES


def test_a_call_names_at_most_20_addresses() -> None:
    large = {"topics": [{"id": f"t{n}"} for n in range(5_000)]}

    assert len(ToolLog().add("memory_list_topics", {}, large)["links"]) == 20
