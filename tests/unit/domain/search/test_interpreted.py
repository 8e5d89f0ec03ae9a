"""The words that an interpretation adds to the text by which a record is found."""

import pytest

from membrane.domain.records.interpretation import Interpretation, Mention
from membrane.domain.search.searchable import searchable, with_interpretation
from tests.builders.conversations import a_turn
from tests.builders.interpretations import an_interpretation

SAID = "Orion needs Postgres"


def test_without_an_interpretation_the_text_stays() -> None:
    assert with_interpretation(SAID, None) == SAID


def test_the_summary_and_the_names_follow_the_text() -> None:
    orion = Mention(surface="Orion", aliases=("Project O",))
    read = Interpretation(
        summary="A project depends on a database.",
        topical_labels=("infrastructure",),
        mentions=(orion,),
    )

    assert with_interpretation(SAID, read).split("\n") == [
        SAID,
        "A project depends on a database.",
        "infrastructure, Project O",
    ]


@pytest.mark.parametrize(
    "read",
    [
        an_interpretation("Orion", "postgres"),
        an_interpretation(summary="orion: needs Postgres!"),
        an_interpretation(topical_labels=("Postgres",)),
        Interpretation(),
    ],
    ids=["mentions", "summary", "labels", "empty"],
)
def test_words_that_the_text_has_are_not_repeated(read: Interpretation) -> None:
    assert with_interpretation(SAID, read) == SAID


def test_a_name_given_twice_is_added_once() -> None:
    read = an_interpretation("Titan", topical_labels=("Titan",))

    assert with_interpretation(SAID, read) == f"{SAID}\nTitan"


def test_a_record_is_found_by_the_interpretation_too() -> None:
    turn = a_turn(SAID).model_copy(update={"interpretation": an_interpretation("Titan")})

    assert searchable(turn).text.endswith(f"{SAID}\nTitan")
