"""`membrane recall`: memories by score, or a graph as a tree; `tail`: new memories."""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.search.score import Weights
from membrane_cli.memories.records import instant
from membrane_cli.options import Parser, connection, count, number_from, open_client
from membrane_cli.output import Row, print_all, print_json, print_rows, printable, say, shorten
from membrane_cli.shown_ids import keep, note

if TYPE_CHECKING:
    from membrane_client import Graph, GraphNode, Membrane, Memory, MemoryRecord, Recalled


NOTHING = "(nothing)"
"""Goes to standard error: no row for a script."""
CONNECTED = 25
"""The most nodes of a graph beside the roots."""
PARTS = {
    "lexical": "words",
    "dense": "meaning",
    "neighbours": "thread",
    "marks": "names",
    "period": "dates",
    "selector": "past use",
}
"""Names of a score's parts for people, where unlike the parts' own."""


def add_options(parser: Parser) -> None:
    parser.option("question", "a question in quotes")
    meaning = "the most memories to show; of --graph, roots"
    parser.option("--limit", meaning, type=count, default=8)
    parser.add_types()
    meaning = "only episodes with the outcome; more than once for several"
    outcomes = ("success", "failure", "partial")
    parser.option("--outcome", meaning, action="append", choices=outcomes)
    parser.option("--min-score", "from 0 to 1; if absent ScoreFloor", type=float)
    parser.flag("--prompt", "print one text for a model's system message")
    meaning = "the limit of the text of --prompt"
    parser.option("--max-tokens", meaning, type=count, default=1_000)
    meaning = (
        "print the memories as roots of a tree, with at most "
        f"{CONNECTED} more memories that relations connect with the roots"
    )
    parser.flag("--graph", meaning)
    meaning = "the most relations from a root to a node; if absent 1"
    parser.option("--max-hops", meaning, type=number_from(0))
    parser.add_client(json="a JSON object a line")
    parser.run_by(
        _recall,
        "membrane recall 'Which database does billing use?'",
        "membrane recall 'How was the last release deployed?' --outcome success --limit 3",
        "membrane recall 'What does Alice like?' --user alice --prompt --max-tokens 500",
        "membrane recall 'Who owns checkout-service?' --graph --max-hops 2",
    )


def _recall(options: argparse.Namespace) -> None:
    if options.graph:
        _recall_graph(options)
        return
    if options.max_hops is not None:
        options.refuse("--max-hops: needs --graph")
    as_prompt = {"view": "prompt", "max_tokens": options.max_tokens} if options.prompt else {}
    asked = {"limit": options.limit, "outcome": options.outcome, "min_score": options.min_score}
    with open_client(options) as client:
        found = client.recall(options.question, types=options.type, **asked, **as_prompt)
        reasons = {} if options.json or options.prompt else _reasons_of(client, found)
    text = str(found) if options.prompt else ""
    if options.prompt and options.json:
        print_json(found.raw["prompt"])
    elif text:
        print("\n".join(map(printable, text.split("\n"))))
    elif options.prompt or not (found or options.json):
        say(NOTHING)
    else:
        headings = ("score", "when (UTC)", "text", "why", "id")
        print_all(found, headings, partial(_row, reasons), as_json=options.json)


def _row(reasons: Mapping[str, str], memory: "Memory") -> Row:
    score = "" if memory.score is None else f"{memory.score:.2f}"
    return score, instant(memory.when), memory.text, reasons.get(memory.id, ""), memory.id


def _recall_graph(options: argparse.Namespace) -> None:
    for name in ("outcome", "prompt"):
        if getattr(options, name):
            options.refuse(f"--{name}: not together with --graph")
    roots = {"memory_types": options.type, "min_score": options.min_score}
    limits = {"root_limit": options.limit, "node_limit": options.limit + CONNECTED}
    with open_client(options) as client:
        graph = client.graph(options.question, max_hops=options.max_hops, **roots, **limits)
    if options.json:
        for node in graph.nodes:
            print_json(node.raw)
    elif graph.nodes:
        print_rows(("score", "when (UTC)", "text", "id"), _rows(graph))
    else:
        say(NOTHING)


def _reasons_of(client: "Membrane", found: "Recalled") -> Mapping[str, str]:
    """By record id the parts of the score, the strongest part first; read from the receipts."""
    receipts = map(client.read_receipt, found.receipt_ids if found else ())
    return {each.id: _reason(each.parts) for receipt in receipts for each in receipt.candidates}


def _reason(parts: Mapping[str, float]) -> str:
    weights = asdict(Weights())
    strongest = sorted(parts, key=lambda name: -parts[name] * weights.get(name, 1.0))
    return ", ".join(f"{PARTS.get(name, name)} {parts[name]:.2f}" for name in strongest[:3])


SHOWN_CHARACTERS = 160


def _rows(graph: "Graph") -> Iterator[Sequence[str]]:
    for depth, way, node in branches(graph.nodes):
        score = "" if node.score is None else f"{node.score:.2f}"
        text = f"{way}: {brief_text(node.record)}" if way else brief_text(node.record)
        yield score, instant(node.record.created_at), "  " * depth + text, node.record.id


def branches(nodes: "Sequence[GraphNode]") -> "Iterator[tuple[int, str, GraphNode]]":
    """Each node behind the nearest node of the path that is shown: depth, predicates and node.

    The nodes below one node keep their order. The depth of a root is 0.
    """
    shown = {each.record.id for each in nodes}
    below: dict[str | None, list[tuple[str, GraphNode]]] = {}
    for node in nodes:
        predicates: list[str] = []
        parent = None
        for step in reversed(node.path):
            predicates.insert(0, step.predicate)
            if step.from_id in shown:
                parent = step.from_id
                break
        below.setdefault(parent, []).append((" / ".join(predicates), node))
    waiting = [(0, *each) for each in reversed(below.get(None, []))]
    while waiting:
        depth, way, node = waiting.pop()
        yield depth, way, node
        waiting += [(depth + 1, *each) for each in reversed(below.get(node.record.id, []))]


def brief_text(record: "MemoryRecord") -> str:
    """The beginning of the record's text; `(redacted)` for a redacted record."""
    match record.raw.get("payload"):
        case {"kind": "entity", "canonical_name": name}:
            text = name
        case {"kind": "competence", "skill_name": name}:
            text = name
        case {"kind": "semantic", "subject": subject, "predicate": predicate, "object": said}:
            said = said if isinstance(said, str) else compact_json(said)
            text = f"{subject} {predicate} {said}"
        case {"kind": "episodic", "timeline": timeline}:
            events = (
                each.get("summary") or f"{each['event_kind']} {each['ref']}" for each in timeline
            )
            text = ", ".join(events)
        case {"kind": "working", **state}:
            text = state.get("context_summary") or f"{state['thread_id']} {state['state']}"
        case {"kind": "plan_graph", **plan}:
            text = plan.get("intent") or plan["plan_id"]
        case {"kind": kind}:
            text = kind
        case _:
            text = "(redacted)"
    return shorten(str(text), SHOWN_CHARACTERS)


def tail_options(parser: Parser) -> None:
    parser.add_types()
    parser.add_seconds("--every", 2.0, "the time between retrievals")
    parser.add_client(json="a JSON object a line")
    parser.run_by(
        _tail, "membrane tail", "membrane tail --scope project:acme --type episodic --every 10"
    )


def _tail(options: argparse.Namespace) -> None:
    """Ends by Ctrl-C alone."""
    from membrane_cli.http_client import HttpClient, now_s  # noqa: PLC0415 - tail asks for the time

    try:
        service = HttpClient(*connection(options), options.timeout)
        ahead_s = now_s(service) - time.time()
        with open_client(options) as client:
            for each in new_memories(
                client, options.type, lambda: time.time() + ahead_s, options.every
            ):
                _print(each, as_json=options.json)
                keep(options)
    except KeyboardInterrupt:
        return


def new_memories(
    client: "Membrane",
    types: Sequence[str] | None,
    now: Callable[[], float],
    every_s: float,
    pause: Callable[[float], None] = time.sleep,
) -> "Iterator[Memory]":
    """Every memory made from now on, once; of a retrieval the oldest memory first.

    `now` gives seconds of the API's clock. An outage after the first reply is noted on standard
    error; memories made meanwhile are shown afterwards.
    """
    from membrane_client import ConnectionFailed, ServerError, TimedOut  # noqa: PLC0415 - help needs none

    late = timedelta(minutes=1)  # a new record may stay unseen: indexes lag, and clocks differ
    query: Any = {"view": "brief", "limit": 100, "memory_types": types}
    begin = since = from_epoch_seconds(now())
    seen: dict[str, None] = {}
    is_out: bool | None = None  # None = no reply yet
    while True:
        asked_at = from_epoch_seconds(now())
        try:
            page = client.retrieve(**query, created_after=since.isoformat())
            found = [*page.memories]
            while page.next_cursor:
                cursor = page.next_cursor
                page = client.retrieve(**query, created_after=since.isoformat(), cursor=cursor)
                found += page.memories
        except (ConnectionFailed, ServerError, TimedOut) as error:
            if is_out is None:
                raise
            if not is_out:
                say(f"membrane tail: {error}; retrying")
            is_out = True
        else:
            for each in sorted(found, key=lambda memory: memory.when):
                if each.id not in seen:
                    yield each
            seen = dict.fromkeys(each.id for each in found)
            since, is_out = max(begin, asked_at - late), False
        pause(every_s)


def _print(memory: "Memory", *, as_json: bool) -> None:
    if as_json:
        print_json(memory.raw)
        return
    note(memory.id)
    cells = (instant(memory.when), str(memory.type), memory.who or "-", memory.text, memory.id)
    print("\t".join(map(printable, cells)), flush=True)
