"""What the evaluations print and return, and how a rule judges an answer."""

from collections.abc import Sequence

import pytest

from tests.eval.__main__ import main
from tests.eval.facts import PAIRS, Fact
from tests.eval.rules import Rule
from tests.eval.verdict import Verdict, shown

RIGHT = Verdict("decay", figures={"mean factor": 0.7})
OLD, NEW = PAIRS[0].old, PAIRS[0].new


def wrong(name: str) -> Verdict:
    verdict = Verdict(name)
    verdict.ours[PAIRS[0]].append("'x' is missing")
    verdict.plain[PAIRS[0]].append("'x' is missing")
    return verdict


def test_each_verdict_is_one_line_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    status = shown([RIGHT, wrong("restore")])

    printed, complained = capsys.readouterr()
    assert status == 1
    assert printed.splitlines() == [
        "decay         pass  10 of 10; plain top-3 10 of 10; mean factor: 0.7",
        "restore       FAIL   9 of 10; plain top-3  9 of 10",
        "1 of 2 lifecycle evaluations pass",
    ]
    assert complained == f"  {PAIRS[0].question} 'x' is missing\n"


def test_an_evaluation_that_an_error_ends_fails(capsys: pytest.CaptureFixture[str]) -> None:
    status = shown([Verdict("restore", refusal="409 CONFLICT")])

    printed, complained = capsys.readouterr()
    assert status == 1
    assert printed.startswith("restore       FAIL   0 of 10")
    assert complained == "  ended by: 409 CONFLICT\n"


def test_the_status_is_0_where_every_evaluation_passes() -> None:
    assert shown([RIGHT, RIGHT]) == 0


def test_an_unknown_evaluation_is_named() -> None:
    with pytest.raises(SystemExit, match="no evaluation growth"):
        main(["decay", "growth"])


@pytest.mark.parametrize(
    ("rule", "answer", "complaint"),
    [
        (Rule(first=NEW, has=(OLD,)), [NEW, OLD], ""),
        (Rule(first=NEW), [OLD, NEW], f"'{NEW.text}' is not first"),
        (Rule(first=NEW), [], f"'{NEW.text}' is not first"),
        (Rule(has=(NEW,)), [OLD], f"'{NEW.text}' is missing"),
        (Rule(lacks=(OLD,)), [NEW, OLD], f"'{OLD.text}' is there"),
        (Rule(one_of=(OLD, NEW)), [OLD, NEW], "not exactly one of the facts is there"),
        (Rule(one_of=(OLD, NEW)), [], "not exactly one of the facts is there"),
        (Rule(one_of=(OLD, NEW)), [NEW], ""),
    ],
)
def test_a_rule_names_what_is_wrong_with_an_answer(
    rule: Rule, answer: Sequence[Fact], complaint: str
) -> None:
    assert rule.complaint(answer) == complaint


def test_all_questions_and_facts_differ() -> None:
    facts = [fact for pair in PAIRS for fact in (pair.old, pair.new)]

    assert len({each.question for each in PAIRS}) == len(PAIRS) >= 5
    assert len(set(facts)) == len(facts)
