"""`membrane recall`."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from membrane.domain.search.score import Weights
from membrane_cli.memories.brief import instant, print_memories
from membrane_cli.memories.client_options import add_client, open_client, present_options
from membrane_cli.memories.tree import print_graph
from membrane_cli.output import add_json, print_json
from membrane_cli.outside_text import printable
from membrane_cli.parser import Parser, count

if TYPE_CHECKING:
    from membrane_client import Membrane, Recalled

LIMIT, PROMPT_TOKENS = 8, 1_000

NOTHING = "(nothing)"
"""Goes to standard error: no row for a script."""

CONNECTED = 25
"""The most nodes of a graph beside the roots."""

_NOT_OF_A_GRAPH = ("outcome", "prompt")

PARTS = {
    "lexical": "words",
    "dense": "meaning",
    "neighbours": "thread",
    "marks": "names",
    "period": "dates",
    "salience": "salience",
    "recency": "recency",
    "selector": "past use",
}
"""Names of a score's parts for people."""

PARTS_SHOWN = 3


def recall_options(parser: Parser) -> None:
    parser.add_argument("question", help="a question in quotes")
    parser.add_argument(
        "--limit", type=count, default=LIMIT, help="the most memories to show; of --graph, roots"
    )
    parser.add_argument(
        "--type", action="append", help="only memories of the type; more than once for several"
    )
    parser.add_argument(
        "--outcome",
        action="append",
        choices=("success", "failure", "partial"),
        help="only episodes with the outcome; more than once for several",
    )
    parser.add_argument("--min-score", type=float, help="from 0 to 1; if absent ScoreFloor")
    parser.add_argument(
        "--prompt", action="store_true", help="print one text for a model's system message"
    )
    parser.add_argument(
        "--max-tokens", type=count, default=PROMPT_TOKENS, help="the limit of the text of --prompt"
    )
    parser.add_argument(
        "--graph",
        action="store_true",
        help="print the memories as roots of a tree, with at most "
        f"{CONNECTED} more memories that relations connect with the roots",
    )
    parser.add_argument(
        "--max-hops", type=_hops, help="the most relations from a root to a node; if absent 1"
    )
    add_client(parser)
    add_json(parser, "a JSON object a line")
    parser.show(
        "membrane recall 'Which database does billing use?'",
        "membrane recall 'How was the last release deployed?' --outcome success --limit 3",
        "membrane recall 'What does Alice like?' --user alice --prompt --max-tokens 500",
        "membrane recall 'Who owns checkout-service?' --graph --max-hops 2",
    )
    parser.set_defaults(run=_recall, refuse=parser.error)


def _hops(text: str) -> int:
    """A number of hops, as an option; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError("expected a number from 0")
    return int(text)


def _recall(options: argparse.Namespace) -> None:
    if options.graph:
        _recall_graph(options)
        return
    if options.max_hops is not None:
        options.refuse("--max-hops: needs --graph")
    with open_client(options) as client:
        as_prompt = {"view": "prompt", "max_tokens": options.max_tokens}
        found = client.recall(
            options.question,
            limit=options.limit,
            **present_options(
                scope=options.scope,
                types=options.type,
                outcome=options.outcome,
                min_score=options.min_score,
            ),
            **(as_prompt if options.prompt else {}),
        )
        reasons = {} if options.json or options.prompt else reasons_of(client, found)
    if options.prompt and options.json:
        print_json(found.raw["prompt"])
    elif options.prompt and not str(found):
        print(NOTHING, file=sys.stderr)
    elif options.prompt:
        print("\n".join(map(printable, str(found).split("\n"))))
    else:
        print_recalled(found, reasons, as_json=options.json)


def _recall_graph(options: argparse.Namespace) -> None:
    for name in _NOT_OF_A_GRAPH:
        if getattr(options, name):
            options.refuse(f"--{name}: not together with --graph")
    with open_client(options) as client:
        graph = client.graph(
            options.question,
            root_limit=options.limit,
            node_limit=options.limit + CONNECTED,
            **present_options(
                scope=options.scope,
                memory_types=options.type,
                min_score=options.min_score,
                max_hops=options.max_hops,
            ),
        )
    if not graph.nodes and not options.json:
        print(NOTHING, file=sys.stderr)
    else:
        print_graph(graph, as_json=options.json)


def print_recalled(found: "Recalled", reasons: Mapping[str, str], *, as_json: bool) -> None:
    """Score, instant, text and reason of each memory."""
    if not found and not as_json:
        print(NOTHING, file=sys.stderr)
        return
    columns = {
        "score": lambda each: "" if each.score is None else f"{each.score:.2f}",
        "when (UTC)": lambda each: instant(each.when),
        "text": lambda each: each.text,
        "why": lambda each: reasons.get(each.id, ""),
    }
    print_memories(found, columns, as_json=as_json)


def reasons_of(client: "Membrane", found: "Recalled") -> Mapping[str, str]:
    """By record id the parts of the score, the strongest part first; read from the receipts."""
    receipts = map(client.read_receipt, found.receipt_ids if found else ())
    return {each.id: _reason(each.parts) for receipt in receipts for each in receipt.candidates}


def _reason(parts: Mapping[str, float]) -> str:
    """The strongest parts by the usual weights; a part is a number from 0 to 1."""
    weights = asdict(Weights())
    strongest = sorted(parts, key=lambda name: -parts[name] * weights.get(name, 1.0))
    return ", ".join(
        f"{PARTS.get(name, name)} {parts[name]:.2f}" for name in strongest[:PARTS_SHOWN]
    )
