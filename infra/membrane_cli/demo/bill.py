"""Screen 8: the price of the demo on AWS, and the next three commands."""

import sys
from pathlib import Path

from membrane_cli.cost.month import MILLION, Use, month_of
from membrane_cli.cost.prices import GRAPH, RETRIEVING, read_prices
from membrane_cli.demo.sessions import LINE
from membrane_cli.demo.stage import Stage

A_DAY, DAYS = 1_000, 30


def show_bill(stage: Stage) -> None:
    """The price of every operation of the demo, and of a month with many sessions."""
    stage.screen(
        "8. What this costs on AWS",
        "The figures of `membrane cost`: with indexing and pruning, without free tiers.",
    )
    prices, bill = read_prices(), stage.bill
    dollars = {name: sum(prices.lines[name].values()) for name in bill}
    rows = [
        (name, str(times), f"{dollars[name]:.2f}", f"{times * dollars[name] / MILLION:.6f}")
        for name, times in bill.items()
    ]
    total = sum(times * dollars[name] for name, times in bill.items()) / MILLION
    rows.append(("all", str(bill.total()), "", f"{total:.6f}"))
    stage.show(("operation", "times", "$ a million", "$"), rows)
    asked = bill[LINE] + bill[GRAPH]
    events = (bill.total() - asked) * A_DAY * DAYS
    use = Use(events, asked * A_DAY * DAYS, 0, min(RETRIEVING))
    month = sum(month_of(use, prices).values())
    idle = sum(month_of(Use(0, 0, 0, min(RETRIEVING)), prices).values())
    stage.say(
        f"Reading by id, history and reinforcing cost less, and are left out; so is the study, "
        f"whose price depends on the text. {A_DAY:,} such sessions a day: ${month:,.2f} a month. "
        f"A month of doing nothing: ${idle:,.2f}.\n"
    )
    _show_next(stage)


def _show_next(stage: Stage) -> None:
    called = Path(sys.argv[0])
    membrane = sys.argv[0] if called.name == "membrane" and ".venv" in called.parts else "membrane"
    stage.say("Next, the first one in a terminal of its own:\n")
    for words in (
        "dev --api-key local-key",
        "remember 'Ada prefers short answers' --api-key local-key",
        "recall 'How should I write to Ada?' --api-key local-key",
    ):
        stage.say(f"  {membrane} {words}")
