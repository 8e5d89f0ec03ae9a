"""Settings of the search: what each does, and that a wrong one is named."""

from dataclasses import fields, replace
from operator import attrgetter

import pytest

from membrane.domain.search.score import Weights
from membrane.wiring.environment import SettingError
from membrane.wiring.search_settings import (
    EmbedderKind,
    SearchSettings,
    VectorFilters,
    read_search_settings,
)

VARIABLES = [
    "MEMBRANE_EMBEDDER",
    "MEMBRANE_EMBEDDING_MODEL",
    "MEMBRANE_EMBEDDING_DIMENSIONS",
    "MEMBRANE_EMBEDDING_CONCURRENCY",
    "MEMBRANE_FORMER_EMBEDDER",
    "MEMBRANE_FORMER_EMBEDDING_DIMENSIONS",
    "MEMBRANE_FORMER_EMBEDDING_MODEL",
    "MEMBRANE_VECTOR_FILTERS",
    "MEMBRANE_SCORE_FLOOR",
    "MEMBRANE_SEARCH_SHARDS",
    "MEMBRANE_RANKING_WEIGHTS",
    "MEMBRANE_INDEX_QUEUE",
]


def complaint(**variables: str) -> str:
    """What is said of an environment that cannot be used."""
    with pytest.raises(SettingError) as caught:
        read_search_settings(variables)
    return str(caught.value)


def test_unless_set_the_encoder_makes_the_vectors_and_the_table_searches_them() -> None:
    search = read_search_settings({})

    assert search == SearchSettings(
        embedder=EmbedderKind.ENCODER,
        model="amazon.titan-embed-text-v2:0",
        dimensions=384,
        former_embedder=EmbedderKind.ENCODER,
        former_dimensions=384,
        former_model="amazon.titan-embed-text-v2:0",
        concurrency=8,
        shards=1,
        filters=VectorFilters.EQUALITY,
        weights=Weights(),
        score_floor=0.1,
        queue="",
    )


@pytest.mark.parametrize(
    ("variable", "value", "attribute", "setting"),
    [
        ("MEMBRANE_EMBEDDER", "bedrock", "embedder", EmbedderKind.BEDROCK),
        ("MEMBRANE_EMBEDDING_MODEL", "another", "model", "another"),
        ("MEMBRANE_EMBEDDING_DIMENSIONS", "384", "dimensions", 384),
        ("MEMBRANE_EMBEDDING_CONCURRENCY", "64", "concurrency", 64),
        ("MEMBRANE_FORMER_EMBEDDING_DIMENSIONS", "384", "former_dimensions", 384),
        ("MEMBRANE_FORMER_EMBEDDING_MODEL", "another", "former_model", "another"),
        ("MEMBRANE_VECTOR_FILTERS", "in", "filters", VectorFilters.IN),
        ("MEMBRANE_SCORE_FLOOR", "0", "score_floor", 0.0),
        ("MEMBRANE_SEARCH_SHARDS", "1024", "shards", 1_024),
        ("MEMBRANE_RANKING_WEIGHTS", '{"dense": 2, "marks": 0}', "weights.dense", 2.0),
        ("MEMBRANE_INDEX_QUEUE", "https://queue", "queue", "https://queue"),
    ],
)
def test_each_variable_sets_what_it_names(
    variable: str, value: str, attribute: str, setting: object
) -> None:
    search = read_search_settings({variable: value})

    assert attrgetter(attribute)(search) == setting


@pytest.mark.parametrize("variable", VARIABLES)
def test_an_empty_variable_is_as_good_as_none(variable: str) -> None:
    search = read_search_settings({variable: ""})

    assert search == read_search_settings({})


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("MEMBRANE_EMBEDDER", "encoder, bedrock"),
        ("MEMBRANE_FORMER_EMBEDDER", "encoder, bedrock"),
        ("MEMBRANE_VECTOR_FILTERS", "equality, in"),
    ],
)
@pytest.mark.parametrize("value", ["titan", "TRUE", " false"])
def test_a_word_outside_its_list_is_refused_with_the_list(
    variable: str, words: str, value: str
) -> None:
    said = complaint(**{variable: value})

    assert said == f"{variable}: must be one of: {words}"


@pytest.mark.parametrize(
    ("variable", "limits"),
    [
        ("MEMBRANE_EMBEDDING_CONCURRENCY", "1 to 64"),
        ("MEMBRANE_SEARCH_SHARDS", "1 to 1024"),
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "1e3", " 7", "1025", "²"])
def test_a_number_outside_its_limits_is_refused_with_the_limits(
    variable: str, limits: str, value: str
) -> None:
    said = complaint(**{variable: value})

    assert said == f"{variable}: must be a whole number from {limits}"


@pytest.mark.parametrize("value", ["-0.1", "1.1", "nan", "much"])
def test_a_floor_that_is_no_share_is_refused(value: str) -> None:
    assert "MEMBRANE_SCORE_FLOOR" in complaint(MEMBRANE_SCORE_FLOOR=value)


def test_the_former_embedder_has_dimensions_of_its_own() -> None:
    search = read_search_settings(
        {
            "MEMBRANE_FORMER_EMBEDDER": "bedrock",
            "MEMBRANE_FORMER_EMBEDDING_DIMENSIONS": "512",
        }
    )

    assert (search.dimensions, search.former_dimensions) == (384, 512)
    assert search.former_embedder is EmbedderKind.BEDROCK
    assert "must be 384" in complaint(MEMBRANE_FORMER_EMBEDDING_DIMENSIONS="512")


def test_bedrocks_usual_size_is_its_smallest() -> None:
    assert read_search_settings({"MEMBRANE_EMBEDDER": "bedrock"}).dimensions == 256


@pytest.mark.parametrize("dimensions", [256, 512, 1_024])
def test_bedrock_makes_the_size_that_is_asked_for(dimensions: int) -> None:
    environment = {
        "MEMBRANE_EMBEDDER": "bedrock",
        "MEMBRANE_EMBEDDING_DIMENSIONS": str(dimensions),
    }

    assert read_search_settings(environment).dimensions == dimensions


@pytest.mark.parametrize(
    ("embedder", "made"), [("encoder", "384"), ("bedrock", "256 or 512 or 1024")]
)
@pytest.mark.parametrize("dimensions", ["0", "16", "383", "2048", "many"])
def test_a_size_that_an_embedder_does_not_make_is_refused_with_those_that_it_makes(
    embedder: str, made: str, dimensions: str
) -> None:
    said = complaint(MEMBRANE_EMBEDDER=embedder, MEMBRANE_EMBEDDING_DIMENSIONS=dimensions)

    assert said == f"MEMBRANE_EMBEDDING_DIMENSIONS: must be {made} with the embedder {embedder}"


def test_a_weight_that_is_not_named_is_the_usual_one() -> None:
    environment = {"MEMBRANE_RANKING_WEIGHTS": '{"salience": 0, "lexical": 1000}'}

    weights = read_search_settings(environment).weights

    assert weights == replace(Weights(), salience=0.0, lexical=1_000.0)


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "5",
        "[]",
        "null",
        '{"lexical": -0.1}',
        '{"lexical": 1000.5}',
        '{"lexical": NaN}',
        '{"lexical": 1e999}',
        '{"lexical": "1"}',
        '{"lexical": true}',
        '{"lexical": null}',
        '{"lexical": 1, "lexical": 2}',
    ],
)
def test_weights_that_cannot_be_any_are_refused(value: str) -> None:
    said = complaint(MEMBRANE_RANKING_WEIGHTS=value)

    assert said.startswith("MEMBRANE_RANKING_WEIGHTS: ")


def test_an_unknown_weight_is_refused_with_the_known_ones() -> None:
    said = complaint(MEMBRANE_RANKING_WEIGHTS='{"lexicl": 1}')

    known = ", ".join(each.name for each in fields(Weights))
    assert said == (
        f"MEMBRANE_RANKING_WEIGHTS: there is no weight 'lexicl'; the weights are: {known}"
    )
