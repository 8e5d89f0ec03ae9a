"""Strict JSON: what is let in can be stored, hashed and sent back; texts of one normal form."""

import hashlib
import json
import unicodedata
from abc import ABCMeta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import (
    LONE_SURROGATE,
    MAX_DEPTH,
    MAX_RECORD_DEPTH,
    canonical_json,
    compact_json,
    digest,
    parse_json,
    reparse,
    require_depth,
)
from membrane.domain.language.names import (
    MAX_MARKS,
    compatibility_form,
    fact_words,
    first_word_of,
    folded_name,
    term_of,
)
from tests.growth import calls, steps

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


def nested(levels: int, opening: str, closing: str) -> str:
    return opening * levels + "1" + closing * levels


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("true", True),
        ("-12.5e1", -125.0),
        ('"text"', "text"),
        (' {"a": [1, {"b": ""}]} ', {"a": [1, {"b": ""}]}),
        (b'{"caf\xc3\xa9": 1}', {"café": 1}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"😀"', "😀"),
        ("1e308", 1e308),
        ("1e-999", 0.0),
        ("[]", []),
    ],
    ids=str,
)
def test_well_formed_json_is_parsed(text: str | bytes, value: Any) -> None:
    parsed = parse_json(text)

    assert parsed == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 1}', "an object has the same key twice"),
        ('{"a": 1, "\\u0061": 2}', "an object has the same key twice"),
        ('[{"deep": {"a": 1, "b": 2, "a": 3}}]', "an object has the same key twice"),
        ("NaN", "NaN and Infinity are not JSON"),
        ("[Infinity]", "NaN and Infinity are not JSON"),
        ('{"a": -Infinity}', "NaN and Infinity are not JSON"),
        ("1e999", "a number is out of range"),
        ("[-1e999]", "a number is out of range"),
        ("9" * 400 + ".0", "a number is out of range"),
        ("9" * 5_000, "a number has too many digits"),
        ("-" + "9" * 5_000, "a number has too many digits"),
        (b'"\xff"', "the text is not UTF-8"),
        (b'"\xed\xa0\x80"', "the text is not UTF-8"),
        (b'"\xc0\xaf"', "the text is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "the text is not UTF-8"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_json_that_another_reader_could_take_differently_is_refused(
    text: str | bytes, reason: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_json(text)

    assert str(caught.value) == f"malformed JSON: {reason}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"\\ud800"', "the request"),
        ('"\\udc00\\ud800"', "the request"),
        ('{"\\udfff": 1}', "the request"),
        ('"\ud800"', "the request"),
        ('["ok", {"a": {"\udc00": 1}}]', "1.a"),
        ('{"items": [{"text": "ok"}, {"text": "\\ud83d"}]}', "items.1.text"),
    ],
    ids=ascii,
)
def test_half_a_character_is_named_by_its_place(text: str, place: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_json(text)

    assert str(caught.value) == f"{place} has {LONE_SURROGATE}"
    assert [each.field for each in caught.value.violations] == [place]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a" 1}',
        "{'a': 1}",
        "[1,]",
        '{"a": 1,}',
        "01",
        "+1",
        ".5",
        "1.",
        "0x10",
        "nan",
        "undefined",
        "tru",
        "1 2",
        "[1] // a comment",
        '"unended',
        '"a raw\nline break"',
        '"\\x41"',
        '"\\u12"',
        "\ufeff{}",
        b"\xef\xbb\xbf{}",
    ],
    ids=ascii,
)
def test_malformed_json_is_refused_with_its_position(text: str | bytes) -> None:
    with pytest.raises(InvalidArgument, match=r"^malformed JSON: .+ at character \d+$"):
        parse_json(text)


@pytest.mark.parametrize(
    ("levels", "opening", "closing"),
    [(64, "[", "]"), (64, '{"a":', "}"), (32, '[{"a":', "}]"), (63, "[", "]")],
)
def test_nesting_up_to_the_limit_is_accepted(levels: int, opening: str, closing: str) -> None:
    text = nested(levels, opening, closing)

    value = parse_json(text)

    assert compact_json(value) == text


@pytest.mark.parametrize("levels", [65, 66, 1_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_beyond_the_limit_is_refused(levels: int, opening: str, closing: str) -> None:
    text = nested(levels, opening, closing)

    with pytest.raises(InvalidArgument) as caught:
        parse_json(text)

    assert str(caught.value) == "malformed JSON: nested deeper than 64 levels"


def test_a_caller_that_knows_better_may_allow_more_levels() -> None:
    text = nested(MAX_RECORD_DEPTH, "[", "]")

    value = parse_json(text, MAX_RECORD_DEPTH)

    assert compact_json(value) == text


def test_more_levels_than_the_caller_allows_are_refused_with_their_number() -> None:
    text = nested(MAX_RECORD_DEPTH + 1, "[", "]")

    with pytest.raises(InvalidArgument, match="nested deeper than 72 levels"):
        parse_json(text, MAX_RECORD_DEPTH)


def test_brackets_in_strings_do_not_count_as_nesting() -> None:
    text = json.dumps("[" * 1_000)

    value = parse_json(text)

    assert value == "[" * 1_000


def test_a_wide_value_is_not_taken_for_a_deep_one() -> None:
    text = "[" + ",".join(["[]"] * 10_000) + "]"

    value = parse_json(text)

    assert len(value) == 10_000


def test_the_canonical_form_sorts_keys_and_has_no_spaces() -> None:
    value = {"b": [1, 2.5, None], "a": {"é": True, "Z": "<&>"}, "": "\n"}

    spelling = canonical_json(value)

    assert spelling == '{"":"\\n","a":{"Z":"<&>","é":true},"b":[1,2.5,null]}'.encode()


def test_the_canonical_form_does_not_depend_on_the_order_of_keys() -> None:
    one, other = parse_json('{"a":1,"b":{"c":2,"d":3}}'), parse_json('{"b":{"d":3,"c":2},"a":1}')

    spellings = {canonical_json(one), canonical_json(other)}

    assert len(spellings) == 1


def test_the_compact_form_keeps_the_order_of_keys() -> None:
    value = {"b": 1, "a": [1, 2]}

    spelling = compact_json(value)

    assert spelling == '{"b":1,"a":[1,2]}'


@pytest.mark.parametrize("write", [canonical_json, compact_json])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_what_is_not_json_is_never_written(write: Any, number: float) -> None:
    value = {"a": [number]}

    with pytest.raises(ValueError, match="not JSON compliant"):
        write(value)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_text_may_name_what_a_number_must_not_be(word: str) -> None:
    value = {word: [word]}

    spelling = compact_json(value)

    assert spelling == f'{{"{word}":["{word}"]}}'


@given(JSON_VALUES)
def test_parsing_the_compact_form_gives_the_value_back(value: Any) -> None:
    spelling = compact_json(value)

    parsed = parse_json(spelling)

    assert parsed == value


@given(JSON_VALUES)
def test_parsing_the_canonical_form_gives_the_value_back(value: Any) -> None:
    spelling = canonical_json(value)

    parsed = parse_json(spelling)

    assert parsed == value
    assert canonical_json(parsed) == spelling


@given(st.text() | st.binary())
def test_any_text_is_parsed_or_refused_and_never_breaks_the_parser(text: str | bytes) -> None:
    try:
        value = parse_json(text)
    except InvalidArgument:
        return

    assert parse_json(canonical_json(value)) == value


@given(JSON_VALUES)
def test_a_value_that_something_else_parsed_is_returned_as_it_is(value: Any) -> None:
    again = reparse(value)

    assert again == value


@pytest.mark.parametrize(
    "value",
    [float("nan"), {"a": float("-inf")}, "\ud800", {"\udc00": 1}, json.loads(nested(65, "[", "]"))],
    ids=["NaN", "infinity", "surrogate", "surrogate in a key", "depth 65"],
)
def test_a_value_that_something_else_parsed_is_held_to_the_same_rules(value: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^malformed JSON: |has a lone surrogate"):
        reparse(value)


def test_a_parsed_value_too_deep_to_be_written_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(InvalidArgument, match="nested deeper than 64 levels"):
        reparse(value)


def test_asking_for_the_depth_calls_few_functions_for_each_container() -> None:
    value: list[Any] = [{} for _ in range(2_000)]

    assert steps(lambda: require_depth(value, MAX_DEPTH)) <= 2 * 2_000


def test_the_depth_of_containers_asks_for_no_abstract_type() -> None:
    value: list[Any] = [{"inner": [{}]}] * 100

    asked = calls(ABCMeta.__instancecheck__, lambda: require_depth(value, MAX_DEPTH))

    assert asked == 0


GRAVE_BELOW, GRAVE = "\u0316", "\u0300"
"""Unicode orders the mark below before the mark above."""

LISTS_OF_TEXTS = st.lists(st.text(max_size=5), max_size=5)


def test_names_have_a_form_in_which_case_width_and_spacing_make_no_difference() -> None:
    assert term_of("@bobm") == "bobm"
    assert term_of("  Team\tLUMO ") == term_of("\uff34\uff45\uff41\uff4d lumo") == "team lumo"
    assert first_word_of(term_of("Team Lumo")) == "team"


@given(st.text(max_size=40))
@example("ŉ")
def test_the_term_of_a_term_is_the_term(name: str) -> None:
    assert term_of(term_of(name)) == term_of(name)


@given(st.text(max_size=20) | st.text(st.sampled_from("aA_@ 1/\uff3f\u3000"), max_size=8))
@example("ŉ")
@example("_@ ")
def test_a_folded_text_is_never_empty_and_folds_to_itself(text: str) -> None:
    assert folded_name(folded_name(text)) == folded_name(text)
    assert bool(folded_name(text)) == bool(text)
    assert fact_words(*fact_words(text, text)) == fact_words(text, text)


@given(
    st.text()
    | st.text(
        st.sampled_from(f"ae\u00e9\u1f82\u0f73\uff71\uff9e\ufdfa{GRAVE}{GRAVE_BELOW}"), max_size=30
    )
)
def test_the_compatibility_form_is_nfkc_of_any_text_with_short_runs_of_marks(text: str) -> None:
    assert compatibility_form(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize("marks", [GRAVE + GRAVE_BELOW, "\u0f73"])
def test_a_longer_run_of_marks_is_parted(marks: str) -> None:
    form = compatibility_form("a" + marks * 1_000)

    longest = max(len(run) for run in form[1:].split("\u034f"))
    assert longest <= 2 * MAX_MARKS


def test_a_digest_covers_each_text_after_its_length_in_bytes() -> None:
    hashed = b"\x00\x00\x00\x02\xc3\xa9\x00\x00\x00\x00\x00\x00\x00\x02ab"

    assert digest("é", "", "ab") == hashlib.sha256(hashed).digest()


@given(LISTS_OF_TEXTS, LISTS_OF_TEXTS)
@example(["ab", "c"], ["a", "bc"])
@example(["abc"], ["abc", ""])
def test_no_two_lists_of_texts_have_the_same_digest(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)
