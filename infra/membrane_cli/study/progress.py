"""The states of a study as a bar in a terminal, elsewhere as lines."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from membrane_cli.output import printable, show_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from membrane_client import Study


def show_states(states: "Iterable[Study]", name: str, console: Console) -> "Iterator[Study]":
    """The states, each after it was shown; a line says a new state or stage alone."""
    with Progress(
        BarColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TextColumn("{task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as bars:
        bar = bars.add_task(printable(name), total=None, said="")
        before = ""
        for state in states:
            units, step = state.progress.paragraphs, step_of(state)
            bars.update(
                bar,
                completed=units.done,
                total=units.total or None,
                said=words_of(state),
                refresh=True,
            )
            if bars.disable and step != before:
                show_line(console, f"{name}: {words_of(state)}")
            before = step
            yield state


def words_of(state: "Study") -> str:
    """The state of a job in words, with the number of finished paragraphs once known."""
    units = state.progress.paragraphs
    counts = f", {units.done}/{units.total} paragraphs" if units.total else ""
    return step_of(state) + counts


def step_of(state: "Study") -> str:
    """The state of a job without numbers: of a running job, the stage."""
    if state.state == "waiting" and state.waits_until is not None:
        return f"waiting until {state.waits_until:%Y-%m-%d %H:%M} UTC"
    return state.stage if state.state == "running" else state.state
