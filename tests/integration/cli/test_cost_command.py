"""`membrane cost`, as it is given."""

import re

import pytest

from membrane_cli.commands import run
from membrane_cli.cost.prices import read_prices


def test_it_tells_a_months_bill_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", "--events", "100k", "--retrievals", "20k", "--per", "day"]) == 0

    shown = capsys.readouterr().out
    found = re.findall(r"^(\w+)\t([\d,]+\.\d\d)$", shown, re.MULTILINE)
    parts = {part: float(dollars.replace(",", "")) for part, dollars in found}
    total = parts.pop("all")
    assert total == pytest.approx(sum(parts.values()), abs=0.01 * len(parts))
    assert parts["api"] == pytest.approx(120_000 * 30 / 1e6, abs=0.01)
    for assumption in read_prices().assumptions:
        assert assumption in shown


def test_what_is_no_amount_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["cost", "--events", "many"])

    assert ended.value.code == 2
    assert "expected a number such as 250, 100k or 2M, not 'many'" in capsys.readouterr().err
