"""`membrane demo`."""

from rich.console import Console

from membrane_cli.demo.forgetting import show_forgetting
from membrane_cli.demo.reports import ingest, show_refusal, show_replay
from membrane_cli.demo.stage import running_stack, show_audit
from membrane_cli.parser import Parser


def add_options(parser: Parser) -> None:
    """The options."""
    parser.show("membrane demo")
    parser.set_defaults(run=lambda _: run_demo(Console()))


def run_demo(console: Console) -> None:
    """Show ingest, audit, replay, refusal and forgetting.

    Raises DemoError where an answer is not right.
    """
    with running_stack() as client:
        records = ingest(console, client)
        show_audit(console, client, records[0]["id"])
        show_replay(console, client)
        show_refusal(console, client)
        show_forgetting(console, client)
    console.print("\nEverything above came from the handlers that run in Lambda.")
