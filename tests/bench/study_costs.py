"""What the study of a document costs: requests and units, and dollars with all that follows.

python -m tests.bench.study_costs: prints the prices, and writes the figures of docs/costs.md.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.language.json_text import JsonObject
from membrane.table.blobs import BlobStore
from membrane.usecases.study.run_study import run_study
from membrane.wiring.world import World
from membrane_local.events.agenda import Agenda
from membrane_local.events.state_machines import Executions, state_machines_in
from tests.bench.agent_costs import LIMITS
from tests.bench.figures import shown
from tests.bench.job_costs import OWNER
from tests.bench.price import bill, prices
from tests.bench.price.figures import figures_of
from tests.bench.price.lines import Line
from tests.bench.price.table import in_columns, with_costs
from tests.bench.price.world import PricedWorld, Spent, priced_world
from tests.bench.topics import services_over
from tests.bench.workload import SCOPE, Sent
from tests.fakes.clock import MORNING, counted_ids, counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.pages import manual
from tests.worlds.stores import Store, memory_store

SAMPLE = Path(__file__).parents[1] / "samples" / "moby_dick.md"
CHAPTERS = 9
"""The first chapters of the sample, 101 KB."""

TITLE = "Moby-Dick; or, The Whale"
START = "POST /v1/studies"
STUDY = "study of a document of 100 KB"
AGAIN = f"{STUDY} again"
REMOVAL = "removal of a document of 100 KB"

COLUMNS = ("lambda", "dynamodb", "vectors", "s3", "states")
"""Parts of the bill that have a column."""
HEADING = "| | cents | Lambda | DynamoDB | vectors | S3 | state machine | other | WRU | RRU |"

INDEXED_AT_ONCE = 20
LONGEST_S = 600.0


def first_chapters() -> str:
    """The text of the first chapters."""
    parts = SAMPLE.read_text("utf-8").split("\n## ")
    return "\n## ".join(parts[: CHAPTERS + 1])


def study_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs, and the work behind; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    services, spent = _services(store), meter(store.client)
    found: dict[str, Cost] = {}

    def ask(rpc: str, **request: Any) -> JsonObject:
        reply: JsonObject = {}
        cost = spent_by(
            lambda: reply.update(perform(row_of(rpc), request, OWNER, services).body), spent
        )
        found.setdefault(rpc, cost)
        return reply

    def finish(work: str, reply: JsonObject, attempt: int = 1) -> None:
        job_id = reply["id"]
        found[work] = spent_by(partial(_finish, job_id, attempt, services), spent)

    document = {"document": first_chapters(), "title": TITLE, "with_model": False}
    begun = ask("StartStudy", **document)
    ask("ReadStudy", id=begun["id"])
    ask("ResumeStudy", id=begun["id"])
    finish(STUDY, begun, attempt=2)
    finish(AGAIN, ask("StartStudy", **document))
    ask("CancelStudy", id=ask("StartStudy", **document)["id"])
    removal = ask("RemoveDocument", document_id=begun["document_id"], dry_run=False)
    finish(REMOVAL, removal)
    return found


def _services(store: Store) -> World:
    return services_over(store).but(
        new_id=counted_ids(),
        new_salt=counted_salts(),
        chat_limits=LIMITS,
        start_execution=lambda *_: None,
    )


def _finish(job_id: str, attempt: int, services: World) -> None:
    rest = run_study(job_id, attempt, services, lambda: False)
    if rest.state != "done":
        raise RuntimeError(f"the study ends with {rest}")


@dataclass(slots=True)
class CountedBlobs:
    """Passes every call on to a bucket, and counts what S3 charges."""

    bucket: BlobStore
    writes: int = 0
    """Requests at the price of a PutObject: a listing, too."""
    reads: int = 0

    def write(self, name: str, content: bytes) -> None:
        self.writes += 1
        self.bucket.write(name, content)

    def get(self, name: str) -> bytes | None:
        self.reads += 1
        return self.bucket.get(name)

    def erase(self, name: str) -> None:
        """A listing; the removal of a version is free."""
        self.writes += 1
        self.bucket.erase(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bucket, name)


class CountedExecutions(Executions):
    """Executions whose transitions are counted: each entered state, and the end."""

    transitions: int

    def start(self, machine: str, name: str, execution_input: JsonObject) -> None:
        """See Executions."""
        self.transitions += 1
        super().start(machine, name, execution_input)

    def _enter(self, *told: Any) -> None:
        self.transitions += 1
        super()._enter(*told)


@dataclass(slots=True)
class StudyWorld:
    """A stack whose executions run when a request has started them."""

    world: PricedWorld
    blobs: CountedBlobs
    agenda: Agenda
    executions: CountedExecutions
    numbers: list[str] = field(default_factory=list)

    def price(self, name: str, route: str, body: JsonObject) -> Line:
        """The price of a request with the work behind, in cents, and the counts."""
        before = self.executions.transitions, self.blobs.writes, self.blobs.reads
        with self.world.spending() as spent:
            reply = self.work(route, body)
        transitions = self.executions.transitions - before[0]
        writes, reads = self.blobs.writes - before[1], self.blobs.reads - before[2]
        dollars = bill.bill_of(spent) | {
            "s3": writes * prices.S3_WRITE.dollars + reads * prices.S3_READ.dollars,
            "states": transitions * prices.TRANSITION.dollars,
        }
        counts = {
            "WRU": spent.cost.write_units,
            "RRU": spent.cost.read_units,
            "requests": spent.cost.requests,
            "bytes of vectors": spent.cost.indexed_bytes,
            "transitions": transitions,
            "S3 writes and listings": writes,
            "S3 reads": reads,
            "topics made": reply["made"]["topics"],
            "topics removed": reply["removed"]["topics"],
            **_cpu_of(spent),
        }
        return Line(name, bill.times(dollars, 100), "cents", counts=counts)

    def work(self, route: str, body: JsonObject) -> JsonObject:
        """The job at its end, with all that follows from its writes."""
        self.numbers.append(route)
        begun = self.world.http(Sent(route, body, f"study-{len(self.numbers)}"))
        if not self.agenda.wait_until_idle(LONGEST_S):
            raise RuntimeError("the study does not end")
        self.world.follow(INDEXED_AT_ONCE)
        read = Sent("GET /v1/studies/{id}", None, record_id=begun["id"])
        reply: JsonObject = self.world.http(read)
        if reply["state"] != "done":
            raise RuntimeError(f"the study ends as {reply}")
        return reply


@contextmanager
def study_world() -> Iterator[StudyWorld]:
    """An empty stack without a model."""
    with priced_world() as world:
        functions = world.functions
        blobs = CountedBlobs(functions.store.blobs)
        functions.store = replace(functions.store, blobs=blobs)
        functions.start_afresh()
        agenda = Agenda(functions.clock)
        machines = state_machines_in(world.template)
        executions = CountedExecutions(machines, functions, agenda)
        executions.transitions = 0
        functions.start_execution = executions.start
        try:
            yield StudyWorld(world, blobs, agenda, executions)
        finally:
            agenda.close()


def lines() -> Iterator[Line]:
    """Prices of a study, of the study of the same document again, and of the removal."""
    short = {"document": "# Tea\n\nAda likes tea.\n", "title": "Tea", "scope": SCOPE}
    whole = {"document": first_chapters(), "title": TITLE, "scope": SCOPE}
    with study_world() as studying:
        studying.work(START, short)  # now the functions are warm
        before = _stored(studying.world)
        first = studying.price(STUDY, START, whole)
        kept = _stored(studying.world) - before
        yield replace(first, counts={**first.counts, "cents a month to keep": 100 * kept})
        yield studying.price(AGAIN, START, whole)
        document_id = studying.work(START, whole)["document_id"]
        removal = {"document_id": document_id, "dry_run": False}
        yield studying.price(REMOVAL, "POST /v1/studies/remove", removal)


def _cpu_of(spent: Spent) -> Mapping[str, float]:
    """The processor time of each function, by unit."""
    found: defaultdict[str, float] = defaultdict(float)
    for run in spent.runs:
        found[f"CPU s of {run.function}"] += run.cpu_s
    return found


def _stored(world: PricedWorld) -> float:
    """Dollars a month for all items of the table."""
    return bill.stored_month(world.items(), world.template.table)


def with_prices(page: str, priced: Iterable[Line]) -> str:
    """The page with the table of prices as it is now."""
    rows = [HEADING, "|---" * (HEADING.count("|") - 1) + "|"]
    for line in priced:
        parts = [in_columns(line.bill)[each] for each in COLUMNS]
        cells = [line.dollars, *parts, line.dollars - sum(parts)]
        units = [f"{line.counts[each]:,.0f}" for each in ("WRU", "RRU")]
        shown_cells = " | ".join([*(f"{each:.3f}" for each in cells), *units])
        rows.append(f"| {line.name} | {shown_cells} |")
    table = "\n".join(rows) + "\n"
    return re.sub(rf"{re.escape(HEADING)}\n(\|.*\n)+", lambda _: table, page)


def main() -> int:
    """Print the prices, and write both tables."""
    with memory_store() as store:
        measured = study_costs(store)
    priced = list(lines())
    page = manual("costs")
    page.path.write_text(with_prices(with_costs(page.text, measured), priced), "utf-8")
    return shown(figure for line in priced for figure in figures_of(line))


if __name__ == "__main__":
    sys.exit(main())
