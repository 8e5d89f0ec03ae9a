"""The eight lifecycle evaluations.

An evaluation asks the same questions of the service and of the baseline, and judges both answers by
the same rules. Most ask before the change, too: the change alone must move the answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from membrane.adapters.sentence_encoder import SentenceEncoder
from membrane_client import Membrane
from membrane_client.errors import MembraneError, NotFound
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import MemoryRecord
from tests.e2e.stack import Stack
from tests.eval.facts import PAIRS, Pair
from tests.eval.plain_search import PlainSearch
from tests.eval.rules import Rule
from tests.eval.trial import Trial, freeze
from tests.eval.verdict import Verdict

HALF_LIFE_DAYS = 30
"""The half-life of facts in a new deployment."""

FADED_DAYS = 301
"""An unused fact has faded to the threshold of the sweep after 300 days."""

CONTESTED = 0.7
"""The factor on the score of a contested fact."""

WRITERS = 4
EXACT = 1e-6


def retraction(trial: Trial) -> None:
    """A retracted fact is gone from the answer, and can still be read."""
    old = {pair: trial.tell(pair.old) for pair in PAIRS}
    for pair in PAIRS:
        trial.tell(pair.new)
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.old, pair.new)))
    for pair in PAIRS:
        trial.memory.retract(old[pair].id, rationale="was wrong")
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.new,), lacks=(pair.old,)))
        status = _status(trial.memory.retrieve_by_id(old[pair].id))
        trial.expect(pair, "the fact is read as retracted", holds=status == "retracted")


def reinforcement(trial: Trial) -> None:
    """Of two facts the second best is used each month: the fact gains on the best, and outlasts it.

    A month's use does not outweigh a clearly better match, so the first place is a figure until
    the unused fact has faded.
    """
    ids = {each: trial.tell(each).id for pair in PAIRS for each in (pair.old, pair.new)}
    used, unused, lag = {}, {}, {}
    for pair in PAIRS:
        answer = trial.ask(pair, Rule(has=(pair.old, pair.new)))
        unused[pair], used[pair] = sorted((pair.old, pair.new), key=answer.index)
        lag[pair] = _lead(trial, pair, ids[unused[pair]], ids[used[pair]])

    def use_each_month(months: int) -> None:
        for _ in range(months):
            trial.advance(HALF_LIFE_DAYS)
            for fact in used.values():
                trial.memory.reinforce(ids[fact], rationale="helped")

    use_each_month(3)
    for pair in PAIRS:
        later = _lead(trial, pair, ids[unused[pair]], ids[used[pair]])
        trial.expect(pair, "three months of use gain on the better match", holds=later < lag[pair])
    trial.verdict.figures["first after 3 months of use"] = sum(
        trial.answer(pair)[:1] == [used[pair]] for pair in PAIRS
    )
    use_each_month(8)
    for pair in PAIRS:
        trial.ask(pair, Rule(first=used[pair], lacks=(unused[pair],)))


def supersession(trial: Trial) -> None:
    """A superseded fact is gone from the answer; the past and the way to the successor remain."""
    old = {pair: trial.tell(pair.old) for pair in PAIRS}
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.old,)))
    believed_at = trial.now()
    trial.advance(1)
    new = {pair: trial.tell(pair.new, on_conflict="replace") for pair in PAIRS}
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.new,), lacks=(pair.old,)))
        past = trial.statements(pair.old, as_of=believed_at)
        latest = trial.memory.retrieve_by_id(old[pair].id, resolve="latest")
        trial.expect(pair, "as_of gives the old fact", holds=past == [pair.old])
        trial.expect(pair, "the old id leads to the new", holds=latest.id == new[pair].id)


def decay(trial: Trial) -> None:
    """An unused fact loses to a fresh one, and is pruned; time alone does both."""
    old = {pair: trial.tell(pair.old).id for pair in PAIRS}
    trial.advance(FADED_DAYS / 2)
    faded = 0.5 ** (FADED_DAYS / 2 / HALF_LIFE_DAYS)
    errors = [abs(trial.memory.retrieve_by_id(each).salience - faded) for each in old.values()]
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.old,)))
        trial.tell(pair.new)
    trial.advance(FADED_DAYS / 2)
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.new,), lacks=(pair.old,)))
        pruned = _history(trial, old[pair]) == ["create", "decay", "delete"]
        trial.expect(pair, "the audit shows decay and deletion", holds=pruned)
        trial.expect(pair, "the fact is gone", holds=not _exists(trial, old[pair]))
        trial.expect(pair, "the salience follows the curve", holds=max(errors) < EXACT)
    trial.verdict.figures["largest error of a salience"] = max(errors)


def contest(trial: Trial) -> None:
    """A contested fact loses its place to the other fact, and regains the place once resolved."""
    ids = {each: trial.tell(each).id for pair in PAIRS for each in (pair.old, pair.new)}
    best, other, factors = {}, {}, []
    for pair in PAIRS:
        answer = trial.ask(pair, Rule(has=(pair.old, pair.new)))
        best[pair], other[pair] = sorted((pair.old, pair.new), key=answer.index)
        before = trial.scores(pair)[ids[best[pair]]]
        trial.memory.contest(ids[best[pair]], ids[other[pair]], rationale="a second source")
        trial.ask(pair, Rule(first=other[pair], has=(best[pair],)))
        factors.append(trial.scores(pair)[ids[best[pair]]] / before)
    for pair in PAIRS:
        trial.memory.resolve(ids[best[pair]], "keep", rationale="the source was wrong")
        answer = trial.ask(pair, Rule(has=(best[pair], other[pair])))
        trial.expect(pair, "the resolved fact is first again", holds=answer[:1] == [best[pair]])
    trial.verdict.figures["mean factor on the score"] = sum(factors) / len(factors)


def validity(trial: Trial) -> None:
    """A fact is in the answer within the window of validity, and neither before nor after."""
    week = timedelta(days=7)
    begin = datetime.fromisoformat(trial.now())
    for pair in PAIRS:
        trial.tell(pair.old, start=begin, end=begin + week)
        trial.tell(pair.new, start=begin + week, end=begin + 2 * week)
    for has, lacks in (("old", "new"), ("new", "old")):
        for pair in PAIRS:
            sides = {"old": pair.old, "new": pair.new}
            trial.ask(pair, Rule(has=(sides[has],), lacks=(sides[lacks],)))
        trial.advance(7)
    for pair in PAIRS:
        trial.ask(pair, Rule(lacks=(pair.old, pair.new)))


def restore(trial: Trial) -> None:
    """A deleted fact is gone from the answer; once restored, the same fact answers again."""
    told = {pair: trial.tell(pair.old) for pair in PAIRS}
    for pair in PAIRS:
        trial.ask(pair, Rule(has=(pair.old,)))
    for record in told.values():
        trial.memory.delete_record(record.id, rationale="a slip")
    trial.advance(HALF_LIFE_DAYS - 1)
    for pair in PAIRS:
        trial.ask(pair, Rule(lacks=(pair.old,)))
    for record in told.values():
        trial.memory.restore_record(record.id, rationale="needed after all")
    for pair, record in told.items():
        trial.ask(pair, Rule(has=(pair.old,)))
        restored = trial.memory.retrieve_by_id(record.id)
        trial.expect(pair, "the content is as before", holds=restored.payload == record.payload)
        whole = _history(trial, record.id) == ["create", "delete", "revise"]
        trial.expect(pair, "the audit shows deletion and restoration", holds=whole)


def conflict(trial: Trial) -> None:
    """Of contradicting facts from several writers at once one stands, and a repeat adds none."""
    for pair in PAIRS:
        trial.tell(pair.old)
        trial.tell(pair.new)
        trial.ask(pair, Rule(has=(pair.old, pair.new)))
    for pair in PAIRS:
        stated = [pair.old, pair.new] * (WRITERS // 2)
        with ThreadPoolExecutor(WRITERS) as writers:
            list(writers.map(lambda fact: trial.tell(fact, on_conflict="replace"), stated))
    for pair in PAIRS:
        standing = trial.statements(pair.old)
        trial.expect(pair, "one fact stands", holds=len(standing) == 1)
        trial.ask(pair, Rule(one_of=(pair.old, pair.new)))
        before = trial.tell(pair.new, on_conflict="replace")
        again = trial.tell(pair.new, on_conflict="replace")
        trial.expect(pair, "a repeat is the same record", holds=again.id == before.id)
        trial.ask(pair, Rule(has=(pair.new,), lacks=(pair.old,)))


def _lead(trial: Trial, pair: Pair, first_id: str, second_id: str) -> float:
    """The lead of one record's score over another's, as a share."""
    scores = trial.scores(pair)
    return scores[first_id] / scores[second_id]


def _status(record: MemoryRecord) -> str:
    """The status of a fact; empty for a fact that was never revised."""
    revision = record.payload.revision if isinstance(record.payload, SemanticPayload) else None
    return "" if revision is None else str(revision.status)


def _history(trial: Trial, record_id: str) -> list[str]:
    """The actions of a record's audit trail, of which the hash chain verifies."""
    trail = trial.memory.read_audit(record_id, verify=True).first()
    return [str(each.action) for each in trail.audit_log] if trail.verified else []


def _exists(trial: Trial, record_id: str) -> bool:
    try:
        trial.memory.retrieve_by_id(record_id)
    except NotFound:
        return False
    return True


EVALUATIONS: Mapping[str, Callable[[Trial], None]] = {
    each.__name__: each
    for each in (
        retraction,
        reinforcement,
        supersession,
        decay,
        contest,
        validity,
        restore,
        conflict,
    )
}


def evaluated(names: Iterable[str], stack: Stack) -> Iterator[Verdict]:
    """The verdicts on the named evaluations, each reached on facts and a scope of its own.

    The clock of the stack stands still afterwards, in the future.
    """
    freeze(stack)
    with Membrane(stack.url, stack.secret) as memory:
        for name in names:
            trial = Trial(stack, memory, PlainSearch(SentenceEncoder()), Verdict(name))
            try:
                EVALUATIONS[name](trial)
            except MembraneError as error:
                trial.verdict.refusal = str(error)
            yield trial.verdict
