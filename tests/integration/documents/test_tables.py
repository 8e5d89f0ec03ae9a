"""What the documents list is what the code has."""

import re
from datetime import timedelta

import pytest

from membrane_local.template import read_template
from tests.worlds.agreed import (
    CLAIM_PERIOD,
    DOWNLOAD_LINK_PERIOD,
    FAULT_PROBLEM,
    KINDS,
    MAX_CLAIMS,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_PAYLOAD_BYTES,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    MAX_TEXT_CHARACTERS,
    MAX_VALUE_BYTES,
    ROWS,
    UPLOAD_LINK_PERIOD,
    usual_tuning,
)
from tests.worlds.pages import INFRA, PAGES, README, ROOT, Page, manual

EVERY_PAGE = "\n".join(page.text for page in PAGES)


def test_the_readme_is_short() -> None:
    words = re.findall(r"\S+", re.sub(r"```.*?```", " ", README.text, flags=re.DOTALL))

    assert len(words) <= 900


def test_the_limits_of_a_request_are_those_of_the_code() -> None:
    limits = manual("records").section("Limits")

    shown = {int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", limits)}

    assert shown >= {
        MAX_TEXT_CHARACTERS,
        MAX_TAGS,
        MAX_TAG_CHARACTERS,
        MAX_VALUE_BYTES,
        MAX_DEPTH,
        MAX_PAYLOAD_BYTES // 2**20,
        MAX_ITEMS,
        MAX_CLAIMS,
        UPLOAD_LINK_PERIOD // timedelta(minutes=1),
        CLAIM_PERIOD // timedelta(hours=1),
        DOWNLOAD_LINK_PERIOD // timedelta(minutes=1),
    }


def test_the_route_tables_are_the_routes() -> None:
    form = r"^\| (\w+).*?\| `(\w+ /\S+)` \| (\w+) \| (\d+) \|$"
    rows = re.findall(form, EVERY_PAGE, re.MULTILINE)

    expected = {
        (each.rpc, each.route, str(each.permission or "any"), str(each.status)) for each in ROWS
    }
    assert set(rows) == expected | {("health", "GET /health", "none", "200")}


def test_every_difference_names_a_test_that_there_is() -> None:
    form = r"`(?:tests/)?([\w/]+\.py)(?:::(\w+))?` \|$"
    named = re.findall(form, manual("differences").text, re.MULTILINE)

    assert len(named) >= 14
    for place, test in named:
        files = (ROOT / "tests").rglob(place)
        assert any(f"def {test}" in file.read_text() for file in files), (place, test)


def test_every_parameter_and_every_setting_of_the_tuning_is_described_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", manual("parameters").text, re.MULTILINE)
    parameters = {**read_template(ROOT / "template.yaml").parameters, **usual_tuning()}
    del parameters["Tuning"]  # a paragraph of its own

    assert sorted(name for name, _ in rows) == sorted(parameters)
    for name, default in rows:
        if default.startswith("`"):
            shown, usual = default.strip("`"), str(parameters[name])
            assert shown == usual or float(shown) == float(usual)


def test_every_error_is_explained() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([\d, ]+) \|", manual("errors").text, re.MULTILINE)
    shown = {(code, int(status)) for code, statuses in rows for status in statuses.split(",")}

    assert shown == {(each.code, each.status) for each in KINDS.values()} | {
        (str(FAULT_PROBLEM["code"]), 500)
    }


@pytest.mark.parametrize(("page", "section"), [(README, "Understand"), (INFRA, "Layout")])
def test_the_layout_names_what_is_there(page: Page, section: str) -> None:
    places = re.findall(r"^\| `([\w./]+)` \| ", page.section(section), re.MULTILINE)

    assert len(places) >= 8
    assert [each for each in places if not (page.path.parent / each).exists()] == []
