"""`membrane hook start|stop`."""

import argparse
import signal
import sys

from membrane_cli.hooks.turns import AGENTS
from membrane_cli.options import Parser
from membrane_cli.output import printable

LIMIT_S = 6.0
"""For the whole hook, the start of a local stack included; the agent may be waiting."""


EVENTS = ("start", "stop")


def add_options(parser: Parser) -> None:
    """The event and the agent; both events read the agent's JSON from standard input.

    The hook checks both words: argparse would end with code 2, which blocks an agent.
    """
    parser.show("membrane hook start --agent claude-code", "membrane hook stop --agent gemini-cli")
    parser.add_argument(
        "event",
        nargs="?",
        metavar="|".join(EVENTS),
        help="start: print what memory holds for the project, as context; "
        "stop: record the last messages as the state of the session",
    )
    parser.add_argument(
        "--agent", nargs="?", metavar="|".join(AGENTS), help="who runs the hook (required)"
    )
    parser.set_defaults(run=_hook)


def _hook(options: argparse.Namespace) -> int:
    """0 always: a hook that fails says why on standard error, and the agent goes on."""
    wrong = _wrong_words(options)
    if wrong:
        print(printable(f"membrane hook: {wrong}"), file=sys.stderr)
        return 0
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        from membrane_cli.hooks.session import answer_to_start, record_turn  # noqa: PLC0415

        event = sys.stdin.buffer.read() if sys.stdin else b""
        if options.event == "start":
            print(answer_to_start(event), end="", flush=True)
        else:
            record_turn(event, options.agent)
    except Exception as error:  # noqa: BLE001 - a hook must not break the agent, whatever happens
        reason = str(error) or type(error).__name__
        print(printable(f"membrane hook {options.event}: {reason}"), file=sys.stderr)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _wrong_words(options: argparse.Namespace) -> str:
    """What is wrong with the event and the agent; empty where both are known."""
    for name, word, known in (
        ("the event", options.event, EVENTS),
        ("--agent", options.agent, AGENTS),
    ):
        if word not in known:
            return f"{name}: expected {' or '.join(known)}, not {word or 'nothing'}"
    return ""


def _give_up(*_: object) -> None:
    raise TimeoutError(f"memory did not answer within {LIMIT_S:g} s")
