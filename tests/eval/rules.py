"""The rule that judges an answer, from the service and from the baseline alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.eval.facts import Fact


@dataclass(frozen=True, slots=True)
class Rule:
    """What an answer must hold."""

    first: Fact | None = None
    has: tuple[Fact, ...] = ()
    lacks: tuple[Fact, ...] = ()
    one_of: tuple[Fact, ...] = ()
    """Facts of which the answer must have exactly one; empty for no such rule."""

    def complaint(self, answer: Sequence[Fact]) -> str:
        """What is wrong with an answer; empty where nothing is."""
        wrong = [f"'{each.text}' is missing" for each in self.has if each not in answer]
        wrong += [f"'{each.text}' is there" for each in self.lacks if each in answer]
        if self.first is not None and list(answer[:1]) != [self.first]:
            wrong.append(f"'{self.first.text}' is not first")
        if self.one_of and sum(each in answer for each in self.one_of) != 1:
            wrong.append("not exactly one of the facts is there")
        return ", ".join(wrong)
