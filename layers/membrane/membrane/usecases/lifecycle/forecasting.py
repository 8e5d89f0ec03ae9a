"""How many of the records that the rank index tells of will be prunable by when."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.salience.arrays import Anchors, counts_until, prunable_at, re_anchored
from membrane.domain.salience.function import Curves
from membrane.domain.salience.lifecycle import Lifecycle


@dataclass(frozen=True, slots=True)
class Rules:
    """By what the records of a type are pruned; None leaves a record what it has."""

    threshold: float
    half_life_s: int | None = None
    deletion_policy: DeletionPolicy | None = None


@dataclass(frozen=True, slots=True)
class Horizon:
    """The instants of a preview, in seconds since 1970, seen from `now_s`."""

    now_s: float
    instants_s: tuple[float, ...]
    curves: Curves

    def pruned(self, ranked: Sequence[Ranked], lifecycle: Lifecycle, rules: Rules) -> list[int]:
        """How many of these records, which fade alike, are prunable by each of the instants.

        Another half-life means what it means to a record whose lifecycle is changed now: its
        salience as of now fades on with it. Another threshold or deletion policy moves no anchor.
        """
        anchors = Anchors.of(
            [
                record.anchor
                for record in ranked
                if (rules.deletion_policy or record.deletion_policy) is DeletionPolicy.AUTO_PRUNE
            ]
        )
        half_life_s = rules.half_life_s or lifecycle.decay.half_life_seconds
        if half_life_s != lifecycle.decay.half_life_seconds:
            anchors = re_anchored(anchors, self.now_s, lifecycle, self.curves)
            decay = lifecycle.decay.model_copy(update={"half_life_seconds": half_life_s})
            lifecycle = lifecycle.model_copy(update={"decay": decay})
        prunable_s = prunable_at(anchors, lifecycle, self.curves, rules.threshold)
        return counts_until(self.instants_s, prunable_s)
