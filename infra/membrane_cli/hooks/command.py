"""`membrane hook start|stop`, and the last turn of a session, by the agent's format."""

import argparse
import json
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from membrane_cli.options import Parser
from membrane_cli.output import say

MAX_TAIL_BYTES = 4 * 1024 * 1024
"""The end of a transcript that is read; the results of tools make transcripts large."""
_NOT_TYPED = re.compile(r"<[a-z]+[-_]|\[Request interrupted")
"""The beginning of a text that Claude Code writes in the name of the user.

Such texts are `<bash-stdout>…`, `<task-notification>…`, `<ide_selection>…` and others.
"""
_NOT_SENT = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
"""The flags of entries beside the main conversation, and of summaries of a conversation."""


Turn = tuple[str, str]
"""The last messages of the user and of the agent, empty where absent."""


def _claude_code_turn(event: Mapping[str, Any]) -> Turn:
    """The answer from the hook's input, the rest from the transcript, a JSON object a line."""
    answered = _text(event.get("last_assistant_message"))
    for entry in _entries_from_the_end(_text(event.get("transcript_path"))):
        words = "\n".join(_texts_of(entry))
        if entry.get("type") == "assistant":
            answered = answered or words
        elif entry.get("type") == "user" and words:
            return words, answered
    return "", answered


def _gemini_cli_turn(event: Mapping[str, Any]) -> Turn:
    return _text(event.get("prompt")), _text(event.get("prompt_response"))


AGENTS: Mapping[str, Callable[[Mapping[str, Any]], Turn]] = {
    "claude-code": _claude_code_turn,
    "gemini-cli": _gemini_cli_turn,
}


def _entries_from_the_end(path: str) -> Iterator[Mapping[str, Any]]:
    """The entries of the main conversation, the last first; other lines are left out."""
    for line in reversed(_tail(path).split(b"\n")):
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and not any(entry.get(flag) for flag in _NOT_SENT):
                yield entry


def _tail(path: str) -> bytes:
    """The end of a regular file, empty without a file; a pipe would keep the hook waiting."""
    with (
        suppress(OSError, ValueError),
        os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file,
    ):
        about = os.fstat(file.fileno())
        if stat.S_ISREG(about.st_mode):
            file.seek(max(0, about.st_size - MAX_TAIL_BYTES))
            return file.read(MAX_TAIL_BYTES)
    return b""


def _texts_of(entry: Mapping[str, Any]) -> Sequence[str]:
    """The texts of an entry, without tools' calls, tools' results, thoughts and added texts."""
    texts: list[str] = []
    match entry.get("message"):
        case {"content": str(text)}:
            texts = [text.strip()]
        case {"content": list(parts)}:
            for part in parts:
                if isinstance(part, dict) and part.get("type") == "text":
                    texts.append(_text(part.get("text")))
        case _:
            pass
    return [text for text in texts if text and not _NOT_TYPED.match(text)]


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


LIMIT_S = 6.0
"""For the whole hook, the start of a local stack included; the agent may be waiting."""
EVENTS = ("start", "stop")


def add_options(parser: Parser) -> None:
    """The event and the agent; both events read the agent's JSON from standard input.

    The hook checks both words: argparse would end with code 2, which blocks an agent.
    """
    meaning = (
        "start: print what memory holds for the project, as context; "
        "stop: record the last messages as the state of the session"
    )
    parser.option("event", meaning, nargs="?", metavar="|".join(EVENTS))
    meaning = "who runs the hook (required)"
    parser.option("--agent", meaning, nargs="?", metavar="|".join(AGENTS))
    examples = ("start --agent claude-code", "stop --agent gemini-cli")
    parser.run_by(_hook, *(f"membrane hook {each}" for each in examples))


def _hook(options: argparse.Namespace) -> int:
    """0 always: a hook that fails says why on standard error, and the agent goes on."""
    words: Sequence[tuple[str, str, Collection[str]]] = (
        ("the event", options.event, EVENTS),
        ("--agent", options.agent, AGENTS),
    )
    for name, word, known in words:
        if word not in known:
            say(f"membrane hook: {name}: expected {' or '.join(known)}, not {word or 'nothing'}")
            return 0

    def give_up(*_: object) -> None:
        raise TimeoutError(f"memory did not answer within {LIMIT_S:g} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        from membrane_cli.hooks.session import answer_to_start, record_turn  # noqa: PLC0415

        event = sys.stdin.buffer.read() if sys.stdin else b""
        if options.event == "start":
            print(answer_to_start(event), end="", flush=True)
        else:
            record_turn(event, options.agent, AGENTS[options.agent])
    except Exception as error:  # noqa: BLE001 - a hook must not break the agent, whatever happens
        say(f"membrane hook {options.event}: {str(error) or type(error).__name__}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0
