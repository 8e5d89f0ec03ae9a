"""`membrane demo`, the first command of the README."""

import re
import subprocess
from pathlib import Path

import pytest

from membrane_cli.cost.month import FACT, LIFE, read_prices
from membrane_cli.demo.screens import (
    ALERT,
    FACTS,
    HOW_DEPLOYED,
    HOW_OFTEN,
    QUESTIONS,
    WHOSE_PAGER,
    WORKED,
)
from tests.e2e.once import made_once
from tests.e2e.stack import MEMBRANE


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What it prints, with its lines broken nowhere."""
    printed = made_once(tmp_path_factory.getbasetemp().parent / "demo", _show) / "printed"
    text = printed.read_text()
    assert "\x1b" not in text
    return " ".join(text.split())


def _show(folder: Path) -> None:
    done = subprocess.run([MEMBRANE, "demo"], capture_output=True, text=True, check=True)
    (folder / "printed").write_text(done.stdout)


def part(shown: str, number: int) -> str:
    """One screen."""
    begin = f" {shown}".index(f" {number}. ")
    return shown[begin:].partition(f" {number + 1}. ")[0]


def test_every_screen_says_in_one_line_what_it_shows(shown: str) -> None:
    headings = re.findall(r"(?<!\S)([1-8])\. [A-Z]", shown)

    assert headings == list("12345678")


def test_session_1_tells_facts_and_two_tool_calls(shown: str) -> None:
    first = part(shown, 1)

    assert all(" ".join(fact) in first for fact in FACTS)
    assert "(failure)" in first
    assert "(success)" in first
    assert (first.count(" semantic "), first.count(" episodic ")) == (3, 2)


def test_session_2_finds_what_is_asked_in_other_words_with_scores(shown: str) -> None:
    second = part(shown, 2)

    for question in (*QUESTIONS, HOW_DEPLOYED):
        assert f"membrane recall '{question}'" in second
    scored = re.findall(r"membrane recall '[^']*'(?: --\S+ \S+)* 0\.\d\d ", second)
    assert len(scored) == len(QUESTIONS) + 1
    assert WORKED[1].split()[-1] in second
    assert "meaning" in second


def test_a_corrected_fact_is_gone_from_the_answer_and_there_in_the_history(shown: str) -> None:
    answer, history = part(shown, 3).split("$ membrane history")

    assert "MySQL 9" in answer
    assert "PostgreSQL" not in answer
    assert "PostgreSQL 16" in history
    assert "migrated in" in history


def test_another_tenant_gets_nothing(shown: str) -> None:
    assert "(nothing)" in part(shown, 4)
    assert "404 NOT_FOUND" in part(shown, 4)


def test_a_graph_leads_from_an_alert_to_the_owner_of_the_service(shown: str) -> None:
    fifth = part(shown, 5)

    before, tree = fifth.split("$ membrane recall")
    assert WHOSE_PAGER in tree
    assert ALERT["text"] in tree
    assert "fact_subject_of: checkout-service is owned by Ada Byron" in tree
    assert "semantic" in before


def test_a_manual_told_again_has_one_more_revision_with_its_place(shown: str) -> None:
    sixth = part(shown, 6)

    assert HOW_OFTEN in sixth
    assert re.search(r"every two weeks\. Care, characters \d+ to \d+ study/text:", sixth)
    assert "Descale the kettle every month." in sixth


def test_after_three_days_what_was_used_is_there_and_what_was_not_has_an_audit(shown: str) -> None:
    seventh = part(shown, 7)

    assert "0.0039" in seventh
    assert "0.2039" in seventh
    assert "0.0127" in seventh
    assert "404 NOT_FOUND" in seventh
    assert "auto-pruned" in seventh
    assert seventh.count("decay-service") == 2


def test_the_last_screen_has_the_prices_of_the_cost_command_and_three_commands(shown: str) -> None:
    last, lines = part(shown, 8), read_prices().lines

    for name in (FACT, LIFE):
        assert f"{name} {'4' if name == FACT else '1'} {sum(lines[name].values()):.2f}" in last
    assert re.search(r"all 17 0\.0002\d\d", last)
    assert re.findall(r"membrane (dev|remember|recall) ", last) == ["dev", "remember", "recall"]
