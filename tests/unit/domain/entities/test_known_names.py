"""Names of known entities in a text."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.entities.known_names import (
    MAX_NAME_WORDS,
    MAX_WORDS,
    known_spans,
    known_terms,
    names_by_word,
    words_to_look_up,
)
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.stop_words import STOPWORDS
from tests.growth import steps

WORDS = (
    "team",
    "lumo",
    "west",
    "Ann",
    "Acme",
    "Inc.",
    "C++",
    "Dr.",
    "d'or",
    "(x)",
    "\ufdfa",
    "k\u00b4b",
)
BETWEEN = (" ", "  ", "\n", "\n\n", ", ", "\u2014", "'s ", "\u3000", ". ", " (", ") ", '" ')
names_of_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
texts_of_words = st.lists(st.sampled_from((*WORDS, *BETWEEN))).map("".join)


def buckets(*names: str) -> dict[str, dict[str, str]]:
    """The stored names: the id of an entity is its name."""
    found = defaultdict[str, dict[str, str]](dict)
    for name in names:
        found[first_word_of(term_of(name))][term_of(name)] = name
    return dict(found)


def found(text: str, *names: str) -> list[tuple[str, str]]:
    spans = known_spans(text, buckets(*names))
    return [(text[each.start : each.end], each.entity_id) for each in spans]


@pytest.mark.parametrize(
    ("text", "surface", "name"),
    [
        ("we asked team  LUMO about it", "team  LUMO", "Team Lumo"),
        ("(Team Lumo)", "Team Lumo", "Team Lumo"),
        ("Team Lumo's pager", "Team Lumo", "Team Lumo"),
        ("Team\nLumo.", "Team\nLumo", "Team Lumo"),
        ("the \u201cOrchid\u201d\u2014our target", "Orchid", "orchid"),
        ("by Acme Inc.!", "Acme Inc.", "Acme Inc."),
        ("by Acme Inc, then", "Acme Inc", "Acme Inc"),
        ("Dr. Smith said", "Dr. Smith", "Dr. Smith"),
        ("McDonald's opened", "McDonald's", "McDonald's"),
        ("in C++, mostly", "C++", "C++"),
        ("\uff34eam lumo", "\uff34eam lumo", "team lumo"),
        ("QA said", "QA", "qa"),
        ("\u7530\u4e2d said", "\u7530\u4e2d", "\u7530\u4e2d"),
        ("ask @ann about it", "@ann", "@ann"),
        ("what of ORCHID's pager", "ORCHID", "Orchid"),
        ("open lib/plan.c.", "lib/plan.c", "lib/plan.c"),
        ("Stra\u00dfe 5", "Stra\u00dfe 5", "STRASSE 5"),
        ('see "owner/repo"', "owner/repo", "owner/repo"),
        ("see #orchid", "orchid", "Orchid"),
        ("the _orchid_ plan", "orchid", "Orchid"),
        ("is orchid\u2013up?", "orchid", "Orchid"),
    ],
)
def test_a_known_name_is_found_at_borders_of_words(text: str, surface: str, name: str) -> None:
    assert found(text, name) == [(surface, name)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the annex", "Ann"),
        ("billing-api", "billing"),
        ("Team. Lumo", "Team Lumo"),
        ("Team\n\nLumo", "Team Lumo"),
        ("team\u2014lumo", "Team Lumo"),
        ("a qa run", "QA"),
        ("The will of IT", "It"),
        ("X marks the spot", "X"),
    ],
)
def test_other_words_are_not_the_name(text: str, name: str) -> None:
    assert found(text, name) == []


def test_the_longest_of_the_known_names_counts() -> None:
    text = "Team Lumo West, Team Lumo and Lumo"

    names = found(text, "Team Lumo", "Team Lumo West", "West", "Lumo")

    assert [name for _, name in names] == ["Team Lumo West", "Team Lumo", "Lumo"]


def test_names_within_longer_names_are_among_the_terms() -> None:
    names = buckets("Team Lumo", "Team Lumo West", "West", "Lumo", "Ann")

    assert known_terms("Team Lumo West", names) == ["team lumo", "team lumo west", "lumo", "west"]


def test_names_are_grouped_by_first_word() -> None:
    ids = {"team lumo": "a", "team": "b", "lumo": "c"}

    assert names_by_word(ids) == {"team": {"team lumo": "a", "team": "b"}, "lumo": {"lumo": "c"}}


def test_a_name_of_too_many_words_is_not_looked_for() -> None:
    longest, longer = "lumo" + " west" * (MAX_NAME_WORDS - 1), "lumo" + " west" * MAX_NAME_WORDS

    assert found(f"{longest}, {longer}", longest, longer) == [(longest, longest)] * 2


def test_a_text_is_looked_up_by_the_words_that_may_begin_a_name() -> None:
    assert words_to_look_up("Ann's team met the (Orchid) people.") == (
        *("ann", "ann's", "team", "met", "orchid", "orchid)", "(orchid", "(orchid)"),
        *("people", "people."),
    )


def test_a_stop_word_is_not_looked_up() -> None:
    assert words_to_look_up("The was don't IT's and, it") == ()


def test_names_come_before_plain_words_where_words_are_too_many() -> None:
    plain = [f"wx{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(150)]

    words = words_to_look_up(" ".join((*plain, "Orchid,", "billing-api")))

    assert words == (*plain[: MAX_WORDS - 2], "orchid", "billing-api")


def test_fewer_words_are_looked_up_within_a_lower_limit() -> None:
    assert words_to_look_up("who owns the Orchid plan", 2) == ("owns", "orchid")


@given(st.lists(st.text(min_size=1)).map(" ".join))
def test_the_words_are_few_and_distinct(text: str) -> None:
    words = words_to_look_up(text)

    assert len(words) == len(set(words)) <= MAX_WORDS
    assert not STOPWORDS & set(words)


@given(names_of_words, texts_of_words, texts_of_words)
@example("Acme Inc.", "", "")
def test_a_name_between_spaces_is_looked_up_and_found(name: str, before: str, after: str) -> None:
    text = f"{before} \n\n{name}\n\n {after}"

    assert first_word_of(term_of(name)) in words_to_look_up(text)
    assert (name, name) in found(text, name)


@given(st.lists(names_of_words), texts_of_words)
def test_every_place_holds_a_known_name(names: Iterable[str], text: str) -> None:
    known = buckets(*names)

    spans = known_spans(text, known)

    for span in spans:
        term = term_of(text[span.start : span.end])
        assert known[first_word_of(term)][term] == span.entity_id
    assert all(this.end <= following.start for this, following in pairwise(spans))


@pytest.mark.parametrize("unit", ["team ", "team", "(", "team' ", "\u0300", "\ufdfa ", "\n"])
def test_ten_times_the_text_takes_about_ten_times_the_steps(unit: str) -> None:
    names = buckets("team " * 40 + "lumo", "team")
    short, long = (unit * (length // len(unit)) for length in (1_000, 10_000))

    few = steps(lambda: known_spans(short, names))
    looked_up = steps(lambda: words_to_look_up(short))

    assert steps(lambda: known_spans(long, names)) <= 14 * few + 500
    assert steps(lambda: words_to_look_up(long)) <= 14 * looked_up + 500


def test_ten_times_the_names_take_about_ten_times_the_steps() -> None:
    text = "lumo " * 200
    few, many = (buckets(*("lumo " * each for each in range(1, size))) for size in (13, 121))

    assert steps(lambda: known_spans(text, many)) <= 14 * steps(lambda: known_spans(text, few))
