"""A topic that a reader may not see costs the reader what an absent one costs."""

import pytest

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.topics.loading import load_topic
from tests.builders.stored_topics import created, topic
from tests.worlds.stores import Store

LOW = Trust(Sensitivity.LOW, frozenset({"a"}))


def test_a_topic_beyond_the_trust_is_left_out(store: Store) -> None:
    created(store, topic("shown", scope="a", sensitivity=Sensitivity.LOW))
    created(store, topic("above", scope="a", sensitivity=Sensitivity.HIGH))
    created(store, topic("elsewhere", scope="b", sensitivity=Sensitivity.LOW))
    asked = ["shown", "above", "elsewhere", "absent"]

    assert store.topics.load_all(asked, LOW).keys() == {"shown"}
    assert store.topics.load_all(asked).keys() == {"shown", "above", "elsewhere"}


@pytest.mark.parametrize("hidden", ["above", "elsewhere"])
def test_the_content_of_a_hidden_topic_is_not_read(table: Store, hidden: str) -> None:
    """The document is damaged: whoever reads it fails."""
    created(table, topic("above", scope="a", sensitivity=Sensitivity.HIGH))
    created(table, topic("elsewhere", scope="b", sensitivity=Sensitivity.LOW))
    for item in table.everything():
        if "document" in item:
            table.put({**item, "document": {"S": "{"}})
    table.watched.requests.clear()

    for topic_id in (hidden, "absent"):
        with pytest.raises(NotFound):
            load_topic(topic_id, LOW, table.topics)

    assert table.watched.operations() == ["GetItem", "GetItem"]
