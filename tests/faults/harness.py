"""An act broken off at each of its steps, repeated, and compared with the undisturbed act."""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

from membrane_local.storage.stores import TABLE
from tests.faults.world import Saved, Stage, Step, Steps
from tests.worlds.agreed import CHANGE, LINE
from tests.worlds.depth import is_deep
from tests.worlds.faults import Killed

Fault = Callable[[Step, Callable[[], Any]], Any]
"""What happens at a step; is given the step, and the whole act."""

MADE = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}"
    r"|[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/]{21}[AQgw]=="
    r"|(?<=#)(?=[0-9]*[a-f])[0-9a-f]{16}(?=#)"
)
"""What differs where an id was given out and lost: ids, salts and digests, in hex and base64."""

CHANGES = 4
"""The most changes of an act that each fault meets without `--deep`."""

REFUSALS = 12
"""The most calls of an act that the table refuses without `--deep`."""

SCOPES = ("", "events", "elsewhere", "user:leaving")
"""The scopes of all acts."""

VOLATILE = re.compile(r'\\?"(next_cursor|signature|receipt_id|request_id)\\?": ?\\?"[^"]*"')
"""Of a reply: what names the reply itself."""


def killed_before(_step: Step, _act: Callable[[], Any]) -> Any:
    """The process ends, and the call is not made."""
    raise Killed


def killed_after(step: Step, _act: Callable[[], Any]) -> Any:
    """The call is carried out, and the process ends."""
    step.carry_out()
    raise Killed


def unheard(step: Step, _act: Callable[[], Any]) -> Any:
    """The call is carried out, and no try to learn of it has an answer."""
    step.carry_out()
    raise step.silence


def sent_twice(step: Step, _act: Callable[[], Any]) -> Any:
    """The call is carried out, the reply lost, and the client library sends the call again."""
    step.carry_out()
    return step.carry_out()


def refused(step: Step, _act: Callable[[], Any]) -> Any:
    """The table asks to try again."""
    assert step.refuse, "no table refuses the call"
    return step.refuse()


def disowned(step: Step, _act: Callable[[], Any]) -> Any:
    """The call is carried out, and the answer to the client's second try is that of `refused`."""
    assert step.refuse, "no table refuses the call"
    step.carry_out()
    return step.refuse()


def overtaken(step: Step, act: Callable[[], Any]) -> Any:
    """The same act is carried out wholly by another process before the call."""
    act()
    return step.carry_out()


FAULTS: tuple[Fault, ...] = (
    killed_before,
    killed_after,
    unheard,
    sent_twice,
    refused,
    overtaken,
)


@dataclass(frozen=True, slots=True)
class Act:
    """A request or a job, and the state that lets it succeed."""

    name: str
    """The route, or the function of a job; with more words where several acts have it."""
    prepare: Callable[[Stage], Any]
    do: Callable[[Stage, Any], Any]
    """The reply; is given what `prepare` gave."""
    bare: Callable[[Stage, Any], Any] | None = None
    """Like `do`, without an idempotency key."""
    repeats: str = ""
    """Why a repeat of an act that was carried out may do something once more."""
    parts: str = ""
    """Why a reader may see the act half done."""
    answers: str = ""
    """Why the reply to a repeat may be neither the first nor that to an undisturbed repeat."""
    refusable: str = ""
    """Why the caller hears of a table that asks to try again."""
    gives_up: str = ""
    """Why an act may end well, with less done than undisturbed, and is repeated in any case."""
    lost: str = ""
    """Why a message may be lost."""
    forgoes: Mapping[str, str] = field(default_factory=dict)
    """Why the faults of these names are left out."""
    patience: timedelta = timedelta()
    """How long what has begun may hold up a repeat."""
    erases: str = ""
    """A text of which no byte may be left."""
    is_idle: bool = False
    """Whether there is nothing to do."""
    shows: str = ""
    """A text that the replies of the routes have after the act."""
    unlike: Mapping[str, str] = field(default_factory=dict)
    """Why parts of the replies of the routes, as regular expressions, may differ after a repeat."""

    def __str__(self) -> str:
        return self.name


class Outcome(NamedTuple):
    """The reply, and what is stored and sent, with ids in order of appearance."""

    reply: str
    state: str
    messages: frozenset[str]
    blobs: frozenset[str]
    saved: Saved


class Undisturbed(NamedTuple):
    """An act that nothing disturbed."""

    given: Any
    before: Outcome
    once: Outcome
    twice: Outcome
    """After a repeat."""
    steps: int
    changing: Sequence[int]
    """The numbers of the steps that may change something."""
    refusable: Sequence[int]
    """The numbers of the steps that a table may refuse."""


class Trial:
    """An act on a stage of its own."""

    def __init__(self, act: Act) -> None:
        self.act, self.stage = act, Stage()
        self._replies: dict[str, str] = {}
        self.undisturbed = self._undisturbed()

    def _undisturbed(self) -> Undisturbed:
        given = self.act.prepare(self.stage)
        before = self.outcome(None)
        steps = Steps()
        first = self.stage.run(partial(self.act.do, self.stage, given), steps)
        assert is_done(first), first
        once = self.outcome(first)
        assert not self.act.erases or self.act.erases not in self.texts()
        second = self.stage.run(partial(self.act.do, self.stage, given))
        assert not self.act.is_idle or once.state == before.state
        twice, known = self.outcome(second), (steps.taken, steps.changing, steps.refusable)
        return Undisturbed(given, before, once, twice, *known)

    def disturb(self, number: int, fault: Fault) -> None:
        """Let the fault happen at a step, repeat the act, and require the undisturbed outcome."""
        known, where = self.undisturbed, f"{fault.__name__} at step {number} of {self.act}"
        self.stage.restore(known.before.saved)
        whole = partial(self.attempt, Steps())
        reply = self.attempt(Steps(number, lambda step: fault(step, whole)))
        if fault in (refused, disowned) and not self.act.refusable:
            assert is_done(reply), f"{where}: {reply}"
        if not is_done(reply) or self.act.gives_up:
            broken = self.outcome(None)
            if not self.act.parts:
                self.require(broken, (known.before, known.once), f"{where}, before a repeat")
            clock = self.stage.cloud.functions.clock
            clock.advance(self.act.patience)
            if self.act.gives_up:  # the first repeat may go on behind the part that was given up
                self.attempt(Steps())
            reply = self.attempt(Steps())
            clock.set_to(known.before.saved.now)  # so that nothing has faded meanwhile
        end = self.outcome(reply)
        assert not self.act.erases or self.act.erases not in self.texts(), f"{where}: is left"
        allowed = (known.once, known.twice) if self.act.repeats else (known.once,)
        self.require(end, allowed, where)
        if not self.act.answers:
            assert end.reply in (known.once.reply, known.twice.reply), f"{where}: {end.reply}"
        lost = known.once.messages - end.messages
        assert not lost or self.act.lost, f"{where}: never sent: {lost}"

    def attempt(self, steps: Steps) -> Any:
        """The reply; None of a process that ended."""
        try:
            return self.stage.run(partial(self.act.do, self.stage, self.undisturbed.given), steps)
        except Killed:
            return None

    def texts(self) -> str:
        """All that is stored, in the table and in the bucket."""
        held = [plain({"B": base64.b64encode(each)}) for each in self.stage.blobs.blobs.values()]
        return "\n".join([stored(self.stage), *map(str, held)])

    def outcome(self, reply: Any) -> Outcome:
        """Of a reply, with the present state."""
        stage, seen = self.stage, dict[str, str]()
        state = in_order(stored(stage), seen)
        said = VOLATILE.sub("", in_order(json.dumps(reply, sort_keys=True), seen))
        sent = [*stage.cloud.sent, *stage.cloud.started]
        messages = frozenset(in_order(json.dumps(each, sort_keys=True), seen) for each in sent)
        held = [*stage.blobs.blobs, *stage.blobs.removed]
        blobs = frozenset(in_order(each, seen) for each in held)
        return Outcome(said, state, messages, blobs, stage.save())

    def require_shown(self) -> None:
        """The replies of the routes after the undisturbed act have what the act shows."""
        assert self.act.shows in self.replies_on(self.undisturbed.once), self.act.shows

    def require(self, found: Outcome, allowed: Sequence[Outcome], where: str) -> None:
        """The state is one of the allowed, in the table or by the replies of the routes."""
        if any(found.state == each.state and found.blobs >= each.blobs for each in allowed):
            return
        replies = self.replies_on(found)
        expected = [self.replies_on(each) for each in allowed]
        assert replies in expected, f"{where}:\n{difference(expected[-1], replies)}"

    def replies_on(self, outcome: Outcome) -> str:
        """The replies of the routes on a state, one a line."""
        if outcome.state not in self._replies:
            self.stage.restore(outcome.saved)
            known = self.undisturbed.before.state + self.undisturbed.once.state
            replies = all_replies(self.stage, [each for each in SCOPES if each in known])
            for pattern in self.act.unlike:
                replies = re.sub(pattern, "", replies)
            replies = VOLATILE.sub("", in_order(replies, {}))
            self.stage.restore(outcome.saved)
            self._replies[outcome.state] = replies
        return self._replies[outcome.state]


def is_done(reply: Any) -> bool:
    """Whether the caller knows that the act was carried out."""
    if not isinstance(reply, dict) or "error" in reply or reply.get("batchItemFailures"):
        return False
    results = json.loads(reply.get("body") or "{}").get("results", [])
    each = [found.get("status", 200) for found in results if isinstance(found, dict)]
    return all(int(status) < 300 for status in (reply.get("statusCode", 200), *each))


def trials_of(trial: Trial) -> Iterator[tuple[int, Fault]]:
    """Every fault at the steps that change something, and one fault at each of the other steps.

    Without `--deep`, a long act is disturbed at some of the steps, spread from first to last.
    """
    known, act = trial.undisturbed, crc32(trial.act.name.encode())
    changing, others = known.changing, sorted({*range(known.steps)} - {*known.changing})
    for number, fault in enumerate(FAULTS):
        if fault.__name__ in trial.act.forgoes:
            continue
        by_turns = [each for each in others if (each + number + act) % len(FAULTS) == 0]
        steps = {*sample(changing, CHANGES), *sample(by_turns, 1)}
        if fault is refused:
            steps = {*sample(known.refusable, REFUSALS)}
        yield from ((each, fault) for each in sorted(steps))


def sample(steps: Sequence[int], most: int) -> Sequence[int]:
    """All steps with `--deep`; else at most so many, spread from first to last."""
    if is_deep() or len(steps) <= most:
        return steps
    return [steps[number * (len(steps) - 1) // max(1, most - 1)] for number in range(most)]


def stored(stage: Stage) -> str:
    """Every item of the table, one a line, but for tickets, which no reply shows.

    The items of long changes come last: the ids that they name first are chosen by chance.
    """
    items = stage.database.tables[TABLE].items
    in_turn = sorted(items, key=lambda key: (key[0].startswith(CHANGE.encode()), key))
    kept = [items[key].rest() for key in in_turn if key[1] != LINE.encode()]
    return "\n".join(json.dumps(plain(each), sort_keys=True) for each in kept)


def plain(value: Any) -> Any:
    """An item's value with compressed texts as texts."""
    match value:
        case {"B": str(packed)} if len(value) == 1:
            content = base64.b64decode(packed)
            try:
                return zlib.decompress(content).decode()
            except (zlib.error, UnicodeDecodeError):
                return packed
        case dict():
            return {name: plain(each) for name, each in value.items()}
        case list():
            return [plain(each) for each in value]
        case _:
            return value


def in_order(text: str, seen: dict[str, str]) -> str:
    """The text with numbers for the ids and digests, in the order in which they first appear."""
    return MADE.sub(lambda found: seen.setdefault(found[0], f"<{len(seen)}>"), text)


def all_replies(stage: Stage, scopes: Sequence[str]) -> str:
    """The replies of the routes on records, topics, documents and the rest, one a line."""
    replies: list[str] = []

    def ask(route: str, body: Any = None, record_id: str = "", **more: Any) -> Any:
        reply = stage.cloud.ask(route, body, record_id, **more)
        replies.append(f"{route} {record_id} {more} {json.dumps(reply, sort_keys=True)}")
        return json.loads(reply.get("body") or "null")

    for scope, state in product(scopes, ("", "deleted", "pruned", "retracted")):
        page = ask("GET /v1/records", query=f"scope={scope}&state={state}&limit=100")
        for each in sorted(found["id"] for found in page["records"]):
            for below in ("", "/audit", "/versions"):
                ask(f"GET /v1/records/{{id}}{below}", None, each)
    for scope in scopes:
        query = f"scope={scope}&include_archived=true&limit=100"
        for each in ask("GET /v1/topics", query=query)["topics"]:
            ask("GET /v1/topics/{id}", None, each["id"])
        for each in ask("POST /v1/documents/search", {"scope": scope, "limit": 100})["documents"]:
            path = "/".join([*each["namespace"], each["key"]])
            query = f"scope={scope}&history=9&items=9&verify=true"
            ask("GET /v1/documents/{path+}", None, path, query=query)
    ask("GET /v1/graph", query="limit=100")
    for route in (
        "GET /v1/metrics",
        "GET /v1/consolidations",
        "GET /v1/reason/actions",
        "GET /v1/entities",
        "GET /v1/system-context",
        "GET /v1/exports",
        "GET /v1/namespaces",
    ):
        ask(route)
    ask("POST /v1/retrieve", {"limit": 100})
    verified = stage.cloud.invoke(
        "VerifyFunction", {"membrane-verify": {"after": None, "repair": False}}
    )
    replies.append(json.dumps(verified.get("findings"), sort_keys=True))
    replies.extend(result_in(each) for each in stage.imports.kept.values())
    return "\n".join(replies)


def result_in(content: bytes) -> str:
    """What the result of a file says of the lines, whether or not these were there before."""
    result = json.loads(content)
    lines = [result.get("lines"), result.get("created", 0) + result.get("replayed", 0)]
    return f"{result.get('status')} {lines} {result.get('refusals')}"


def difference(expected: str, found: str) -> str:
    """The lines in which two texts differ, shortened."""
    pairs = zip(expected.split("\n"), found.split("\n"), strict=False)
    lines = [(one, other) for one, other in pairs if one != other]
    return "\n".join(f"- {_near(one, other)}\n+ {_near(other, one)}" for one, other in lines[:3])


def _near(text: str, other: str) -> str:
    """The part of a text around the first difference."""
    same = next(
        (at for at, pair in enumerate(zip(text, other, strict=False)) if len({*pair}) > 1), 0
    )
    return f"{text[:60]} ... {text[max(0, same - 80) : same + 300]}"
