"""Select a skill or plan among the candidates of an answer."""

from collections.abc import Sequence

from membrane.domain.access.trust import View
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.search.selection import Selection, selection_of
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.judging import Candidate


def selection_among(
    scores: ByScore | None, shown: Sequence[Candidate], world: World
) -> Selection | None:
    """The selection among the candidates of the task or, without a task, those shown."""
    candidates = shown if scores is None else scores.selectable_candidates()
    full = [each.stored.record for each in candidates if each.view is View.FULL]
    fitting = None if scores is None else {each.id: scores.applicability(each) for each in full}
    return selection_of(full, epoch_seconds(world.now()), fitting)
