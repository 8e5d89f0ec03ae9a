"""The tables of prices: from the file that `membrane cost` reads, and from what is counted."""

import re
from collections.abc import Mapping

from membrane_cli.cost.month import Prices
from tests.bench import costs
from tests.worlds.metering import Cost

COLUMNS = ("api", "lambda", "dynamodb", "vectors", "logs", "storage")
"""Parts of the bill that have a column; the others are in the last one."""
HEADING = "| | $ | API | Lambda | DynamoDB | vectors (model) | logs | storage | other | replies |"

ROW = re.compile(
    r"^\| (?P<names>[^|]+) \| (?P<what>[^|]+) (?P<figures>(\| [\d.]+ ){4}\|)$", re.MULTILINE
)
"""Of an operation: its names, what it does to the table, and four figures."""


def table(prices: Prices) -> str:
    """The table's lines."""
    rows = [HEADING, "|---|---|" + "---|" * (len(COLUMNS) + 2)]
    for name, parts in prices.lines.items():
        columns = in_columns(parts)
        replies = columns.pop("egress", 0.0)
        others = sum(dollars for part, dollars in columns.items() if part not in COLUMNS)
        named = [columns.get(part, 0.0) for part in COLUMNS]
        cells = [sum(columns.values()), *named, others, replies]
        shown = " | ".join(f"{dollars:.2f}" for dollars in cells)
        rows.append(f"| {name} | {shown} |")
    return "\n".join(rows) + "\n"


def in_columns(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts with all that Lambda asks for in one."""
    columns = dict(parts)
    columns["lambda"] = columns.get("lambda", 0.0) + columns.pop("cpu", 0.0)
    return columns


def with_table(page: str, prices: Prices) -> str:
    """The page with the table as it is now."""
    return re.sub(rf"{re.escape(HEADING)}\n(\|.*\n)+", table(prices), page)


def operations(row: re.Match[str]) -> list[str]:
    """The names of a row's operations."""
    return row["names"].partition(", once")[0].split(", ")


def with_costs(page: str, measured: Mapping[str, Cost]) -> str:
    """The page with the figures of each operation as they are now."""

    def fresh(row: re.Match[str]) -> str:
        cost = measured.get(operations(row)[0])
        if cost is None:
            return row[0]
        figures = f"{cost.requests} | {cost.write_units:g} | {cost.read_units:g}"
        return f"| {row['names']} | {row['what']} | {figures} | {costs.price(cost):.3f} |"

    return ROW.sub(fresh, page)
