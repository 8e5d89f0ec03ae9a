"""A memory that was exported and restored answers every read as the first memory does."""

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.builders.random_memories import ACTIONS, Memory
from tests.worlds.archiving import BEGINNING, Pair, exported, file_of, lines_in, restored
from tests.worlds.depth import examples
from tests.worlds.reads import (
    OF_SWEEPS,
    found_for_tasks,
    lists_of,
    metrics_of,
    past_of,
    records_of,
    repeats_of,
    topics_of,
    without,
)

YEAR_S = 365 * 86_400
REPORTS = ("event", "observation", "full record", "messages", "tool output")
TOPICS = ("new topic", "told topic", "field", "long history")
"""Actions with which a memory begins, so that later actions find records and topics."""


@settings(
    max_examples=examples(5),
    phases=[Phase.explicit, Phase.generate],  # an example takes seconds, too long for shrinking
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    actions=st.lists(st.sampled_from(sorted(ACTIONS)), min_size=10, max_size=60),
    seed=st.integers(0, 2**32),
)
def test_a_restored_memory_answers_every_read_alike(
    stacks: Pair, actions: list[str], seed: int
) -> None:
    stacks.start_afresh()
    memory = Memory(stacks.source, Random(seed))
    for action in (*REPORTS, *TOPICS, *REPORTS, *TOPICS, *actions):
        memory.act(action)
    stacks.level_clocks()

    result = stacks.move()

    assert (result["status"], result["refused"]) == ("done", 0), result
    source, target = stacks.source, stacks.target
    assert records_of(target, memory.ids) == records_of(source, memory.ids)
    assert past_of(target, memory.ids, BEGINNING) == past_of(source, memory.ids, BEGINNING)
    assert lists_of(target) == lists_of(source)
    assert metrics_of(target) == metrics_of(source)
    assert topics_of(target, memory.topic_ids) == topics_of(source, memory.topic_ids)
    assert found_for_tasks(target) == found_for_tasks(source)
    assert repeats_of(target, memory.sent) == repeats_of(source, memory.sent)
    stacks.advance(YEAR_S)
    assert records_of(target, memory.ids) == records_of(source, memory.ids)
    assert topics_of(target, memory.topic_ids) == topics_of(source, memory.topic_ids)
    assert lists_of(target) == lists_of(source)
    assert metrics_of(target) == metrics_of(source)
    for api in (source, target):
        api.invoke("DecayFunction", {})
    swept = without(records_of(source, memory.ids), OF_SWEEPS)
    assert without(records_of(target, memory.ids), OF_SWEEPS) == swept
    assert lists_of(target) == lists_of(source)
    assert metrics_of(target) == metrics_of(source)


@pytest.mark.parametrize("restored_last", ["first", "second"])
def test_a_topic_and_its_alias_with_archived_history_are_restored_in_either_order(
    stacks: Pair, restored_last: str
) -> None:
    stacks.start_afresh()
    memory = Memory(stacks.source, Random(1))
    for topic_id in ("first", "second"):
        memory.send("POST", "/v1/topics", {"topic_id": topic_id, "title": "server"})
        for number in range(30):
            said = {"field_name": "n", "value": number}
            memory.send("POST", f"/v1/topics/{topic_id}/fields", said)
    memory.act("reason")
    stacks.source.post("/_dev/clock", {"advance_seconds": YEAR_S})
    stacks.source.invoke("ReasonFunction", {"membrane-reason": {}})
    stacks.level_clocks()
    content = exported(stacks.source)
    first, *lines, _ = lines_in(content)
    earlier = [each for each in lines if each.get("topic", {}).get("id") != restored_last]

    assert restored(stacks.target, file_of(first, *earlier), "earlier.ndjson")["refused"] == 0
    result = restored(stacks.target, content, "whole.ndjson")

    assert (result["created"], result["refused"]) == (1, 0), result
    topics = topics_of(stacks.source, memory.topic_ids)
    assert len({topics[f"/v1/topics/{each}"][1]["id"] for each in memory.topic_ids}) == 1
    assert topics_of(stacks.target, memory.topic_ids) == topics
