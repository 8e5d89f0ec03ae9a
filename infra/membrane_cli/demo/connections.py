"""Screen 5: captures name things, and a graph leads from an alert to the owner of a service."""

from membrane_cli.cost.prices import CAPTURE, GRAPH
from membrane_cli.demo.sessions import SOURCE
from membrane_cli.demo.stage import Stage, require
from membrane_cli.memories.tree import brief_text

OWNERSHIP = {"subject": "checkout-service", "predicate": "is owned by", "object": "Ada Byron"}
ALERT = {"text": "At 03:12 the pager went off: checkout-service lost its database"}
WHOSE_PAGER = "Whose pager went off last night?"


def show_connections(stage: Stage) -> None:
    """Capture a statement and an alert, and ask for the owner, whom the alert does not name."""
    stage.screen(
        "5. An alert names a service, another report names its owner",
        "A capture links evidence to what it names; a graph follows the links.",
    )
    client = stage.first.client
    stated = client.capture(OWNERSHIP, source_kind="observation", source=SOURCE)
    alert = client.capture(ALERT, source_kind="alert", source=SOURCE)
    stage.bill[CAPTURE] += 2
    found = [*stated.created_records, alert.primary_record]
    rows = [(each.id[:8], each.type, brief_text(each)) for each in found]
    stage.show(("id", "type", "content"), rows)
    stage.settle()
    about_one_alert = ("--type", "episodic", "--limit", "1")
    graph = ("--graph", "--max-hops", "2", *about_one_alert)
    headings = ("score", "when (UTC)", "text")
    nodes = stage.command(stage.first, headings, "recall", WHOSE_PAGER, *graph)
    stage.bill[GRAPH] += 1
    tree = [row[2].strip() for row in nodes]
    require(ALERT["text"] in tree[0], f"the graph begins with {tree[0]}")
    answer = " ".join(OWNERSHIP.values())
    require(any(line.endswith(answer) for line in tree), f"the graph is {tree}")
