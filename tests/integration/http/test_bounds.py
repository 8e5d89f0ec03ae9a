"""What an answer holds and costs has a bound, however much callers have written or asked for."""

from functools import partial
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.growth import steps
from tests.integration.http.test_documents import DOCUMENTS, put
from tests.worlds.api import Api
from tests.worlds.metering import meter, spent_by
from tests.worlds.recall import (
    about,
    change,
    entity,
    ids,
    keep,
    keep_together,
    retrieved,
    settle,
    stalled,
    turn,
)
from tests.worlds.topic_client import Topics, field


def test_a_cursor_has_a_bound_and_forgets_nothing_that_was_given_by_score(api: Api) -> None:
    """Records of tokens are given by score, then by salience, and each is marked in the cursor."""
    by_score = keep_together(api, [about(f"t{number}", "tea", salience=0.3) for number in range(8)])
    settle(api)
    asked: dict[str, Any] = {"task_descriptor": "tea", "min_score": 0.0}
    with stalled(api):
        written = [api.post("/v1/records", turn(f"new{n}", "x")) for n in range(550)]
        newest_first = [each.body["consistency_token"] for each in written][::-1]
        page = retrieved(api, **asked, limit=7)
        shown, lengths, start = ids(page), list[int](), 0
        while "next_cursor" in page:
            lengths.append(len(page["next_cursor"]))
            told = newest_first[start : start + 100]
            more = {"cursor": page["next_cursor"], "consistency_tokens": told}
            page = retrieved(api, **asked, limit=99, **more)
            shown += ids(page)
            start += 99

    assert {*shown[:7]} < {*by_score}
    assert len(shown) == len({*shown}) == 558
    assert max(lengths) < 5_000


def test_successors_of_all_named_entities_are_read_together(api: Api) -> None:
    spent = meter(api.functions.store.dynamodb)
    for name in ("Ann", "Bob", "Cleo"):
        keep(api, entity(name, name))
        new = entity(f"{name}2", f"New{name}")
        change(api, name, "supersede", new_record=new, rationale="renamed")
    settle(api)

    def asking(task: str) -> tuple[list[str], int]:
        body: dict[str, Any] = {"task_descriptor": task, "max_hops": 0, "min_score": 1.0}
        roots: list[str] = []
        cost = spent_by(
            lambda: roots.extend(api.post("/v1/retrieve/graph", body).body["root_ids"]), spent
        )
        return sorted(roots), cost.requests

    one, few = asking("Where is Ann?")
    three, many = asking("Where are Ann and Bob and Cleo?")

    assert (one, three) == (["Ann2"], ["Ann2", "Bob2", "Cleo2"])
    assert many == few


def test_an_edge_remembers_its_latest_periods_alone(topics: Topics) -> None:
    one, other = topics.make("Ada"), topics.make("Bob")

    def edges_bytes(times: int) -> int:
        for _ in range(times):
            topics.relate(one, "knows", other)
            topics.part(one, "knows", other)
        stored = topics.api.stored().items()
        return sum(len(str(each)) for key, each in stored if " out#" in key or " in#" in key)

    few, full, more = (edges_bytes(times) for times in (3, 50, 10))

    assert full > 4 * few
    assert more < 1.05 * full


def test_the_work_for_a_long_change_of_a_topic_grows_with_its_length(topics: Topics) -> None:
    def work(count: int) -> int:
        told = [field(f"field {number}", number) for number in range(count)]
        return steps(partial(topics.tell, *told, placement="new_topic", title=f"Sines {count}"))

    work(120)
    short, long = work(200), work(800)

    assert long / short < 4 * 1.3


def test_a_query_is_embedded_only_where_documents_have_vectors(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(api, "n", "plain", value={"text": "sailing"})
    put(api, "other", "text", value={"text": "sailing"}, asked={"index": ["text"]})
    for key, item in api.stored().items():
        if key.startswith("documents#"):
            made_elsewhere = {**item, "e": {"S": "predecessor"}}
            api.functions.store.dynamodb.put_item(TableName=TABLE, Item=made_elsewhere)
    put(api, "m", "text", value={"text": "sailing"}, asked={"index": ["text"]})
    asked: list[Any] = []
    (model, *_) = api.functions.worlds["DocumentsFunction"].embedders
    embed = type(model).embed

    def note(self: Any, texts: Any) -> Any:
        asked.append(texts)
        return embed(self, texts)

    monkeypatch.setattr(type(model), "embed", note)

    for namespace, query in (("n", "boats"), ("other", "boats"), ("m", None), ("m", "boats")):
        body = {"namespace_prefix": [namespace], "query": query}
        assert api.post(f"{DOCUMENTS}/search", body).status == 200
        assert bool(asked) is (namespace == "m" and query is not None)
