"""Topics come back as they were stored, whatever they are made of and however large they are."""

from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.language.fields import VANISHING
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.salience import fading_lifecycle
from membrane.domain.topics.topic import (
    Archive,
    Field,
    Group,
    LadderStep,
    Line,
    MergeLink,
    Topic,
    TopicStatus,
)
from membrane.usecases.ports.topics import TopicChange
from tests.builders.generated_records import SCOPES, TEXTS, VALUES
from tests.builders.stored_records import NOW, noise
from tests.builders.stored_topics import (
    LINE,
    created,
    happened,
    read,
    revision,
    topic,
    with_field,
)
from tests.worlds.depth import examples
from tests.worlds.stores import Store

numbers = count(1)
instants = st.datetimes().map(lambda naive: naive.isoformat() + "Z")
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
large_values = st.builds(LargeValue, st.just("topic@elsewhere"), digests, st.integers(1, 10**7))
optional_texts = st.none() | TEXTS
seconds = st.integers(-(10**16), 10**16).map(lambda micros: micros / 1_000_000)
saliences = st.just(0.0) | st.floats(VANISHING, 1e100)

revisions = st.builds(
    Revision,
    id=st.uuids(version=4).map(str),
    value=VALUES | large_values,
    field_type=st.sampled_from(FieldType),
    valid_from=instants,
    recorded_at=instants,
    order=st.integers(0, 10**15),
    provenance=TEXTS,
    why_changed=optional_texts,
    impact_expected=optional_texts,
    operation=optional_texts,
    principal=TEXTS,
    evidence=TEXTS,
    ref_topic_id=optional_texts,
)
archives = st.builds(Archive, digests, st.integers(1, 1_000), instants, instants)
lines = st.builds(
    Line, TEXTS, digests, st.integers(0, 1_000), st.lists(archives, max_size=2).map(tuple)
)
fields = st.builds(
    Field,
    type=st.sampled_from(FieldType),
    current=st.none() | revisions,
    lines=st.lists(lines, max_size=3).map(tuple),
    ref_topic_id=optional_texts,
    is_detached=st.booleans(),
    deleted_at=st.none() | instants,
)
anchors = st.builds(Anchor, saliences, seconds, seconds)
merges = st.builds(
    MergeLink,
    into=TEXTS,
    at=instants,
    why=TEXTS,
    status=st.sampled_from(TopicStatus),
    kept=st.dictionaries(TEXTS, fields, max_size=2),
    base=st.none() | anchors,
    gave_summary=st.booleans(),
)
topics = st.builds(
    Topic,
    id=st.builds(lambda: f"topic-{next(numbers)}"),
    scope=st.sampled_from(SCOPES),
    sensitivity=st.sampled_from(Sensitivity),
    title=TEXTS,
    summary=TEXTS,
    kind=TEXTS,
    status=st.sampled_from(TopicStatus),
    base=anchors,
    lifecycle=st.integers(1, 3_000_000_000).map(fading_lifecycle),
    fields=st.dictionaries(TEXTS, fields, max_size=3),
    groups=st.dictionaries(TEXTS, st.builds(Group, revisions), max_size=2),
    absorbed=st.lists(TEXTS, max_size=2).map(tuple),
    unmerged_from=st.lists(TEXTS, max_size=2).map(tuple),
    merged=st.none() | merges,
    step=st.sampled_from(LadderStep),
    created_at=instants,
    updated_at=instants,
    due_s=st.none() | seconds,
    version=st.integers(1, 10**9),
)


@settings(max_examples=examples(60))
@given(generated=topics)
def test_a_topic_of_any_content_comes_back_equal(store: Store, generated: Topic) -> None:
    whole = happened(generated, version=generated.version)

    created(store, whole)

    assert store.topics.load(whole.id) == whole
    assert store.topics.load_all([whole.id, "absent"]) == {whole.id: whole}


@settings(max_examples=examples(60))
@given(generated=st.lists(revisions, min_size=1, max_size=5, unique_by=lambda each: each.id))
def test_revisions_of_any_content_come_back_equal_in_their_order(
    store: Store, generated: list[Revision]
) -> None:
    line = Line("topic-1", f"{next(numbers):016x}")
    told = [(line, each) for each in generated]
    before = store.topics.load("topic-1")
    after = topic() if before is None else happened(before)

    store.topics.commit(TopicChange(topics=[(before, after)], revisions=told))

    found = store.topics.history(line)
    assert sorted(found, key=repr) == sorted(generated, key=repr)
    assert [each.place for each in found] == sorted((each.place for each in found), reverse=True)
    archive = store.topics.archive(line, generated)
    assert sorted(store.topics.load_archive(line, archive), key=repr) == sorted(generated, key=repr)


@pytest.mark.parametrize(
    "value",
    [
        {"$blob": {"sha256": "0" * 64, "size": 9, "of": "record-1"}},
        {"large": {"of": "record-1", "sha256": "0" * 64, "size": 9}},
        {"value": 1},
        {"$upload": "upload-1"},
    ],
)
def test_no_value_that_is_sent_passes_for_one_that_lies_in_the_bucket(
    store: Store, value: dict[str, Any]
) -> None:
    told = revision(value=value, field_type=FieldType.JSON)

    created(store, with_field(topic(), told, 1), revisions=[(LINE, told)])

    assert store.topics.history(LINE) == [told]
    assert read(store).fields["colour"].current == told


LARGE_TEXTS = {
    "repetitive": "x" * 100_000,
    "just inline": noise(40_000),
    "random": noise(120_000),
    "unicode": "é日🧠" * 10_000,
}


@pytest.mark.parametrize("content", LARGE_TEXTS.values(), ids=LARGE_TEXTS)
def test_a_topic_with_a_large_text_comes_back_equal(store: Store, content: str) -> None:
    told = revision(value=content)
    large = with_field(topic(summary=content), told, 1)

    created(store, large, revisions=[(LINE, told)])

    assert read(store) == large
    assert store.topics.history(LINE) == [told]


def test_a_topic_of_many_fields_comes_back_equal(store: Store) -> None:
    several = {
        f"field {number}": Field(
            type=FieldType.STRING,
            current=revision(number, noise(200, number)),
            lines=(Line("topic-1", f"{number:016x}", 1),),
        )
        for number in range(2_000)
    }
    large = topic(fields=several, created_at=NOW)

    created(store, large)
    assert read(store) == large

    after = happened(replace(large, fields={}))
    store.topics.commit(TopicChange(topics=[(large, after)]))
    assert read(store) == after
