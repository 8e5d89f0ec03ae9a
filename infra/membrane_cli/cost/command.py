"""`membrane cost`."""

import argparse
import re

from rich.console import Console

from membrane_cli.cost.month import MONTH_S, PERIODS_S, Use, month_of
from membrane_cli.cost.prices import RETRIEVING, read_prices
from membrane_cli.output import add_json, print_json
from membrane_cli.parser import Parser
from membrane_cli.tables import show_rows

THOUSANDS = {"": 1, "k": 1_000, "M": 1_000_000}


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "--events", type=amount, default=0.0, help="events of 1 KB in a period, as in 100k"
    )
    parser.add_argument(
        "--retrievals",
        type=amount,
        default=0.0,
        help="retrievals for a task in a period, as in 20k",
    )
    parser.add_argument("--per", choices=PERIODS_S, default="day", help="the period")
    parser.add_argument("--live", type=amount, default=0.0, help="records that stay, as in 2M")
    parser.add_argument(
        "--scope",
        type=int,
        choices=RETRIEVING,
        default=min(RETRIEVING),
        help="records in the scope of a retrieval",
    )
    add_json(parser, "the dollars of every part, the total and the assumptions")
    parser.show("membrane cost --events 100k --retrievals 20k --per day --live 2M")
    parser.set_defaults(run=_cost)


def _cost(options: argparse.Namespace) -> None:
    prices, periods = read_prices(), MONTH_S / PERIODS_S[options.per]
    use = Use(options.events * periods, options.retrievals * periods, options.live, options.scope)
    parts = month_of(use, prices)
    assumed = ("events come evenly, fade and are pruned", *prices.assumptions)
    if options.json:
        print_json({"parts": parts, "total": sum(parts.values()), "assumed": assumed})
        return
    shares = sorted(parts.items(), key=lambda each: -each[1])
    rows = [(part, f"{dollars:,.2f}") for part, dollars in (*shares, ("all", sum(parts.values())))]
    console = Console(soft_wrap=True)
    show_rows(console, ("part", "$ a month"), rows)
    console.print(f"Assumed: {'; '.join(assumed)}.", markup=False, highlight=False)


def amount(text: str) -> float:
    """The number in a text like 250, 100k or 2M; raises ArgumentTypeError."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kM]?)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a number such as 250, 100k or 2M, not '{text}'")
    return float(found[1]) * THOUSANDS[found[2]]
