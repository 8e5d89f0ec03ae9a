"""Names that a text shows by their form."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.surfaces import MAX_SCANNED_CHARACTERS, is_name
from membrane.domain.entities.written import written_names
from tests.builders.hostile_texts import UNITS
from tests.growth import steps

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


def test_a_handle_has_the_name_as_alias() -> None:
    (handle,) = written_names("cc @ann")

    assert handle.aliases == ("ann",)


def test_the_address_of_a_repository_has_owner_and_name_as_alias() -> None:
    (address,) = written_names("clone https://github.com/acme/api.git now")

    assert address.aliases == ("acme/api",)


def test_of_overlapping_names_the_longest_counts() -> None:
    assert found("https://x.io/OPS-1/src/a.py") == [("https://x.io/OPS-1/src/a.py", "url")]


def test_names_stand_in_the_order_of_the_text() -> None:
    text = '"Team Lumo" met @bo on OPS-1, `deploy()`, src/a.py and https://x.io.'

    assert [surface for surface, _ in found(text)] == [
        *("Team Lumo", "@bo", "OPS-1", "deploy", "src/a.py", "https://x.io"),
    ]


def test_a_long_text_is_read_up_to_the_limit() -> None:
    padding = "x" * (MAX_SCANNED_CHARACTERS - len(" OPS-1 "))

    assert found(f"{padding} OPS-1  OPS-2") == [("OPS-1", "ticket")]


def test_a_name_longer_than_names_is_none() -> None:
    assert found("https://x.io/" + "a" * 250) == []


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_names_are_disjoint_and_in_order(text: str) -> None:
    spans = written_names(text)

    assert all(this.end <= following.start for this, following in pairwise(spans))
    assert all(is_name(text[span.start : span.end]) and span.kind for span in spans)


@pytest.mark.parametrize("unit", PIECES)
def test_ten_times_the_text_takes_about_ten_times_the_steps(unit: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (1_000, 10_000))

    few = steps(lambda: written_names(short))

    assert steps(lambda: written_names(long)) <= 12 * few + 500
