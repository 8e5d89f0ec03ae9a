"""Names in texts and objects: of known entities, by their form, and in listed fields."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.capture.reading import structured_mentions
from membrane.domain.entities.known_names import (
    MAX_NAME_WORDS,
    MAX_WORDS,
    known_spans,
    known_terms,
    words_to_look_up,
)
from membrane.domain.entities.names import (
    MAX_MENTIONS,
    MAX_SCANNED_CHARACTERS,
    Span,
    disjoint_spans,
)
from membrane.domain.entities.written import written_names
from membrane.domain.language.names import (
    MAX_NAME_CHARACTERS,
    STOPWORDS,
    first_word_of,
    is_name,
    term_of,
)
from tests.builders.hostile_contents import UNITS
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
    known_in = defaultdict[str, dict[str, str]](dict)
    for name in names:
        known_in[first_word_of(term_of(name))][term_of(name)] = name
    return dict(known_in)


def known_in(text: str, *names: str) -> list[tuple[str, str]]:
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
    assert known_in(text, name) == [(surface, name)]


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
    assert known_in(text, name) == []


def test_the_longest_of_the_known_names_counts() -> None:
    text = "Team Lumo West, Team Lumo and Lumo"

    names = known_in(text, "Team Lumo", "Team Lumo West", "West", "Lumo")

    assert [name for _, name in names] == ["Team Lumo West", "Team Lumo", "Lumo"]


def test_names_within_longer_names_are_among_the_terms() -> None:
    names = buckets("Team Lumo", "Team Lumo West", "West", "Lumo", "Ann")

    assert known_terms("Team Lumo West", names) == ["team lumo", "team lumo west", "lumo", "west"]


def test_a_name_of_too_many_words_is_not_looked_for() -> None:
    longest, longer = "lumo" + " west" * (MAX_NAME_WORDS - 1), "lumo" + " west" * MAX_NAME_WORDS

    assert known_in(f"{longest}, {longer}", longest, longer) == [(longest, longest)] * 2


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
    assert (name, name) in known_in(text, name)


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


PIECES = (
    *("src/a.py", "https://x.io/a", "`run()`", "ABC-12", "@ann", '"Project Orion"', "repo a1/b2"),
    *(*UNITS, "`", "@", "#1", "issue ", "\u201c", "\u201d", "'s", "\u2019s"),
)


def found(text: str) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.kind) for each in written_names(text)]


@pytest.mark.parametrize(
    ("text", "surface", "kind"),
    [
        ("Look at src/auth/login.py.", "src/auth/login.py", "file"),
        ("(web/notes.md)", "web/notes.md", "file"),
        ("Failed in src/auth/login.py:42:7, again", "src/auth/login.py", "file"),
        ("web/app.ts#L10-L20", "web/app.ts", "file"),
        ("in `src/utils/`", "src/utils", "file"),
        ("file=/etc/hosts", "/etc/hosts", "file"),
        ("run ./deploy", "./deploy", "file"),
        ("edit ~/notes", "~/notes", "file"),
        ("README.md's end", "README.md", "file"),
        ("`index.js`", "index.js", "file"),
        ("See https://x.io/a?b=1.", "https://x.io/a?b=1", "url"),
        ("(https://x.io/a_(b))", "https://x.io/a_(b)", "url"),
        ("at x.io/docs", "x.io/docs", "url"),
        ("the repo acme/api is", "acme/api", "repository"),
        ("acme/api repository", "acme/api", "repository"),
        ("`acme/api`", "acme/api", "repository"),
        ("https://github.com/acme/api.git", "https://github.com/acme/api.git", "repository"),
        ("Fixed OPS-12!", "OPS-12", "ticket"),
        ("branch feature/OPS-12", "OPS-12", "ticket"),
        ("CVE-2024-12345:", "CVE-2024-12345", "ticket"),
        ("Issue #12.", "#12", "ticket"),
        ("acme/api#12", "acme/api#12", "ticket"),
        ("ask @ann_b, please", "@ann_b", "person"),
        ("call `restart_pods()`", "restart_pods", "tool"),
        ("`Router.dispatch()`", "Router.dispatch", "symbol"),
        ("`MAX_SIZE` is", "MAX_SIZE", "symbol"),
        ("out of `image-mill`", "image-mill", "symbol"),
        ('the "Project Orion" plan', "Project Orion", "concept"),
        ("the \u201cbilling API\u201d", "billing API", "concept"),
        ("\u201eHaus am See\u201c", "Haus am See", "concept"),
        ('called "Orion".', "Orion", "concept"),
    ],
)
def test_a_form_shows_a_name(text: str, surface: str, kind: str) -> None:
    assert found(text) == [(surface, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "Remember Orchid as the staging deploy target",
        "and/or his/her 24/7 12/05/2026 TCP/IP w/o km/h I/O e.g./i.e.",
        "acme/api without a word beside",
        "GET /v1/capture and docs/tests",
        "UTF-8 SHA-256 GPT-4 Q3-2024 ABC-0 PCI-3.2 x-ABC-12-y",
        "#5 alone, step #2. Issue",
        "ann@example.com @angular/core @property @here mail@ @example.com",
        "https://user:secret@example.com/a",
        "postgres://user:secret@host/db",
        "`true` `x` `git status` `text/html` `and/or` `@dataclass` ``",
        '"Ship it now" "Not found" "Yes" "hello" "One two three four five Six" "See. This."',
        '{"state": "Active Now"} x = "Foo Bar" a 5" screen and 6" Screen',
        "Node.js and console.log",
    ],
)
def test_other_forms_show_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "PR #12 of acme/mill is open",
        "pull request #12 in the repo acme/mill",
        "issue #12 (acme/mill)",
        "issue #12 of https://github.com/acme/mill",
        "acme/mill PR #12",
        "acme/mill's pull request #12.",
        "In acme/mill, issue #12",
        "acme/web, acme/mill PR #12",
        "acme/web and PR #12 of acme/mill",
    ],
)
def test_the_number_of_a_ticket_has_the_repository_beside_in_the_name(text: str) -> None:
    (number,) = [each for each in written_names(text) if each.kind == "ticket"]

    assert (text[number.start : number.end], number.name) == ("#12", "acme/mill#12")


@pytest.mark.parametrize(
    "text",
    [
        "PR #12",
        "PR #12 of the mill in src/api",
        "the bug #12 and or so many words later acme/mill",
        "acme/mill is slow, see PR #12",
    ],
)
def test_the_number_of_a_ticket_stays_bare_without_a_repository_beside(text: str) -> None:
    (number,) = [each for each in written_names(text) if each.kind == "ticket"]

    assert number.name == ""


def test_a_handle_and_the_address_of_a_repository_have_the_name_as_alias() -> None:
    handle, address = written_names("cc @ann: clone https://github.com/acme/api.git now")

    assert (handle.aliases, address.aliases) == (("ann",), ("acme/api",))


def test_a_long_text_is_read_up_to_the_limit() -> None:
    padding = "x" * (MAX_SCANNED_CHARACTERS - len(" OPS-1 "))

    assert found(f"{padding} OPS-1  OPS-2") == [("OPS-1", "ticket")]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_names_are_disjoint_and_in_order(text: str) -> None:
    spans = written_names(text)

    assert all(this.end <= following.start for this, following in pairwise(spans))
    assert all(is_name(text[span.start : span.end]) and span.kind for span in spans)


@pytest.mark.parametrize("unit", PIECES)
def test_ten_times_the_text_shows_names_in_about_ten_times_the_steps(unit: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (1_000, 10_000))

    few = steps(lambda: written_names(short))

    assert steps(lambda: written_names(long)) <= 12 * few + 500


SPANS = st.lists(
    st.builds(
        lambda start, length: Span(start, start + length),
        st.integers(0, 30),
        st.integers(1, 10),
    )
)


def test_of_equal_places_the_first_counts() -> None:
    known, written = Span(3, 9, entity_id="e"), Span(3, 9, "file")

    assert disjoint_spans([known, written]) == (known,)


@given(SPANS)
def test_what_is_left_out_overlaps_with_a_span_as_long(given_spans: list[Span]) -> None:
    kept = disjoint_spans(given_spans)

    assert all(this.end <= following.start for this, following in pairwise(kept))
    for span in given_spans:
        rivals = [each for each in kept if each.start < span.end and span.start < each.end]
        assert max(each.length for each in rivals) >= span.length


def mentioned(content: Any) -> list[tuple[str, str]]:
    return [(each.surface, each.entity_kind) for each in structured_mentions(content)]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("subject", "concept"),
        ("tool_name", "tool"),
        ("tool", "tool"),
        ("project", "project"),
        ("file", "file"),
        ("path", "file"),
        ("person", "person"),
        ("user", "person"),
        ("agent", "person"),
        ("service", "service"),
        ("repository", "repository"),
        ("entity", "concept"),
        ("entities", "concept"),
        ("entity_name", "concept"),
        ("entityName", "concept"),
        ("related-entity", "concept"),
        ("tool_entity", "tool"),
    ],
)
def test_the_key_gives_the_kind(key: str, kind: str) -> None:
    (mention,) = structured_mentions({key: "Orchid"})

    assert (mention.surface, mention.entity_kind, mention.confidence) == ("Orchid", kind, 0.5)


@pytest.mark.parametrize(
    "key",
    ["identity", "entity_id", "entity_type", "subjects_of", "text", "ref", "preferences", "", "_"],
)
def test_other_keys_name_nothing(key: str) -> None:
    assert mentioned({key: "Orchid"}) == []


@pytest.mark.parametrize("key", ["subject", "entity"])
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("src/auth/login.py", "file"),
        ("https://example.com/a", "url"),
        ("acme/api", "repository"),
        ("OPS-12", "ticket"),
    ],
)
def test_a_subject_has_the_kind_of_its_look(key: str, value: str, kind: str) -> None:
    assert mentioned({key: value}) == [(value, kind)]


@pytest.mark.parametrize(
    "value", [1, True, None, {"name": "Orchid"}, "", " \n", [1, ["x"]], "x" * 257]
)
def test_only_texts_of_the_length_of_a_name_are_names(value: Any) -> None:
    assert mentioned({"project": value}) == []


def test_equal_names_are_mentioned_once_as_first_written() -> None:
    assert mentioned({"project": "Orchid", "subject": "ORCHID", "entity": " orchid"}) == [
        ("Orchid", "project")
    ]


@given(st.dictionaries(st.sampled_from(["subject", "entities", "file"]), st.lists(st.text())))
def test_mentions_are_few_distinct_names(content: dict[str, list[str]]) -> None:
    surfaces = [surface for surface, _ in mentioned(content)]

    terms = [*map(term_of, surfaces)]
    assert len(terms) == len(set(terms)) <= MAX_MENTIONS
    assert all(0 < len(each) <= MAX_NAME_CHARACTERS for each in (*surfaces, *terms))
