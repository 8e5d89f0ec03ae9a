"""One finding about the machine, the API or AWS."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, and what to do where something is wrong."""

    name: str
    found: str
    advice: str = ""
    is_fatal: bool = False
    """Whether the local stack cannot run so."""

    @property
    def mark(self) -> str:
        """The first word of its line."""
        return "wrong" if self.is_fatal else "note" if self.advice else "ok"
