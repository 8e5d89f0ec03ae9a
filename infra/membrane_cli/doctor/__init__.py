"""`membrane doctor`: whether the machine is ready for the commands."""

from typing import NamedTuple


class Diagnosis(NamedTuple):
    name: str
    found: str
    advice: str = ""
    is_fatal: bool = False
    """Whether the local stack cannot run, or a named stack lacks something, because of it."""

    @property
    def mark(self) -> str:
        return "wrong" if self.is_fatal else "note" if self.advice else "ok"
