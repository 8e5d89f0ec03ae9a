"""Many callers at once in a time of their own: each request takes the same, and pauses are drawn.

One caller runs at a time, the one whose time is earliest, so that the order of all requests follows
from the seed alone and not from how threads happen to run.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from threading import Barrier, Condition, get_ident
from typing import TypeVar

from tests.worlds.agreed import FIRST_PAUSE_S, longest_pause

REQUEST_S = 0.005
"""What a request to the store takes."""

Outcome = TypeVar("Outcome")


@dataclass(slots=True)
class VirtualTime:
    """How far each caller has come, in seconds."""

    random: Random = field(default_factory=lambda: Random(7))
    ended_s: list[float] = field(default_factory=list)
    """When the callers that are done were done."""
    _reached: dict[int, float] = field(default_factory=dict)
    _turned: Condition = field(default_factory=Condition)

    def at_once(self, acts: Sequence[Callable[[], Outcome]]) -> list[Outcome]:
        """What the acts return, all of them begun at the instant 0."""
        all_there = Barrier(len(acts))

        def run(number: int, act: Callable[[], Outcome]) -> Outcome:
            self._reached[get_ident()] = number * 1e-9  # so that no two are equal
            all_there.wait()
            self._spend(0)
            try:
                return act()
            finally:
                self._end()

        with ThreadPoolExecutor(len(acts)) as threads:
            return list(threads.map(run, range(len(acts)), acts))

    def request(self, **_: object) -> None:
        """Let the caller's request take its time; a hook of the store's client."""
        self._spend(REQUEST_S)

    def back_off(self, tries: int) -> None:
        """Let the caller pause as `wiring.chance.back_off` does."""
        self._spend(self.random.uniform(0, FIRST_PAUSE_S * longest_pause(tries)))

    def _spend(self, seconds: float) -> None:
        with self._turned:
            if get_ident() not in self._reached:
                return  # a thread in which a caller reads side by side
            self._reached[get_ident()] += seconds
            self._turned.notify_all()
            self._turned.wait_for(self._is_my_turn)

    def _end(self) -> None:
        with self._turned:
            self.ended_s.append(self._reached.pop(get_ident()))
            self._turned.notify_all()

    def _is_my_turn(self) -> bool:
        return min(self._reached, key=self._reached.__getitem__) == get_ident()
