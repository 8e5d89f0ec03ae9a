"""A finding about the machine, the API or AWS."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A finding, and the advice where something is wrong."""

    name: str
    found: str
    advice: str = ""
    is_fatal: bool = False
    """Whether the local stack cannot run, or a named stack lacks something, because of it."""

    @property
    def mark(self) -> str:
        """The first word of the line."""
        return "wrong" if self.is_fatal else "note" if self.advice else "ok"
