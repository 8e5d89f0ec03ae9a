"""Traces of an agent with planted skills and plans among noise, and how much of them is found.

Every number, name and sequence is drawn from the seed. A planted skill is replayed with renamed
arguments, an added or a skipped step, and other wordings. Around the skills stand failures of no
skill, and successes by luck: the tools of a skill for another task, the first tools of a skill, the
task of a skill by other tools.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.likeness import normalised_tool
from membrane.domain.learning.plans import new_plan, updated_plan
from membrane.domain.learning.skills import Evidence, best_match, in_order, new_skill, updated_skill
from membrane.domain.records.payloads import (
    TOOL_CALL,
    CompetencePayload,
    EpisodicPayload,
    PlanGraphPayload,
    TimelineEvent,
    ToolNode,
)
from tests.builders.records import NOW

TRACES = 100
SKILLS = 6
PLANS = 3

KINDS = ("task", "message:user", "alarm")
TOOLS = (
    "read_file", "write_file", "search_code", "run_tests", "git_commit", "open_pull_request",
    "query_database", "send_mail", "create_ticket", "close_ticket", "build_image", "push_image",
    "restart_service", "fetch_logs", "read_metrics", "scale_cluster", "notify_channel", "http_get",
    "parse_csv", "render_report", "upload_object", "translate_text", "book_room", "charge_card",
)  # fmt: skip
NAMES = (
    ("path", "file"), ("query", "q"), ("target", "destination"), ("name", "title"),
    ("body", "content"), ("url", "address"), ("mode", "kind"), ("region", "zone"),
)  # fmt: skip
"""The names that an argument has in different traces."""

WORDS = (
    ("deploy", "service", "invoice", "customer", "refund", "backup", "restore", "report", "monthly",
     "payment", "incident", "database", "migrate", "certificate", "renew", "onboard", "employee",
     "translate", "manual", "release", "notes", "summarise", "meeting", "alert", "latency",
     "investigate", "warehouse", "import", "supplier", "catalogue", "review", "contract", "archive",
     "rotate", "secret", "benchmark"),
    ("Rechnung", "prüfen", "Kunde", "Mahnung", "versenden", "Bericht", "erstellen", "Lager",
     "bestellen", "Vertrag", "kündigen", "Übersetzung", "Störung", "beheben", "Zugang", "sperren",
     "Urlaub", "genehmigen", "Datenbank", "sichern", "Anleitung", "Reise", "buchen", "Termin"),
    ("請求", "確認", "顧客", "配備", "障害", "調査", "報告", "作成", "翻訳", "契約", "予約",
     "在庫", "発注", "会議", "要約", "証明", "更新", "復元", "監視", "移行", "承認", "経費",
     "出荷", "返品"),
)  # fmt: skip
"""Words of tasks in three languages; the last one writes no spaces."""
FILLERS = (
    ("please", "today", "urgent", "team", "asap", "again", "carefully", "quick", "board", "new"),
    ("bitte", "heute", "dringend", "sorgfältig", "wieder", "schnell", "Team", "neue", "wichtig"),
    ("至急", "今日", "再度", "丁寧", "新規", "全体", "優先", "簡単"),
)
UNSPACED = len(WORDS) - 1
PARAMETERS = ("alpha", "bravo", "kestrel", "osprey", "lynx", "magpie", "otter", "heron")
REASONS = ("no rights", "a timeout", "the disk is full", "the host is unknown")


@dataclass
class Planted:
    """A way to do a task, which the agent repeats."""

    kind: str
    language: int
    words: list[str]
    tools: list[str]
    flows: list[tuple[int, int]] = field(default_factory=list)
    """The positions of two steps, the first of which gives the second a value."""
    is_stated: bool = False
    """Whether the agent states the flow as a dependency, with no value that shows it."""
    successes: int = 0
    failures: int = 0


@dataclass
class Planting:
    evidence: list[Evidence]
    skills: list[Planted]

    @property
    def plans(self) -> list[Planted]:
        return [each for each in self.skills if each.flows]


def planted(seed: int, *, traces: int = TRACES) -> Planting:
    random = Random(seed)
    ways = _ways(random)
    agent = _Agent(random)
    made: list[EpisodicPayload] = []
    for way in ways:
        way.successes, way.failures = random.randint(4, 8), random.randint(1, 4)
        made += [agent.success(way) for _ in range(way.successes)]
        made += [agent.failure(way) for _ in range(way.failures)]
    while len(made) < traces:
        made.append(agent.noise(ways))
    random.shuffle(made)
    return Planting([_evidence(trace, at) for at, trace in enumerate(made)], ways)


def _evidence(trace: EpisodicPayload, number: int) -> Evidence:
    return Evidence(trace, f"trace-{number}", rfc3339(NOW + timedelta(hours=number)))


def _ways(random: Random) -> list[Planted]:
    """Skills of which no two can be taken for each other: other tools, or hardly a common word."""
    ways: list[Planted] = []
    while len(ways) < SKILLS:
        is_plan = len(ways) < PLANS
        length = random.randint(3 if is_plan else 2, 7)
        tools = random.sample(TOOLS, length)
        if ways and random.random() < 1 / 3:
            shared = random.choice(ways).tools[:2]
            tools = [*shared, *(each for each in tools if each not in shared)][:length]
        language = random.choice((0, 0, 1, 2))
        words = random.sample(WORDS[language], random.randint(3, 5))
        way = Planted(random.choice(KINDS), language, words, tools)
        if any(len({*way.words} & {*each.words}) > 1 for each in ways):
            continue
        if any(edits(way.tools, each.tools) <= 2 for each in ways):
            continue
        if is_plan:
            way.is_stated = random.random() < 1 / 4
            way.flows = _flows(random, length)
        ways.append(way)
    return ways


def _flows(random: Random, length: int) -> list[tuple[int, int]]:
    targets = random.sample(range(1, length), random.randint(1, min(3, length - 1)))
    return sorted((random.randrange(target), target) for target in targets)


class _Agent:
    """Replays the ways, never twice the same."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._constants = {tool: random.choice(("fast", "safe", "dry", "full")) for tool in TOOLS}
        self._arguments = {tool: random.sample(NAMES, random.randint(1, 3)) for tool in TOOLS}

    def success(self, way: Planted) -> EpisodicPayload:
        steps: list[int | str] = [*range(len(way.tools))]
        if len(steps) >= 3 and self._chance(0.25):
            if len(steps) > 3 and self._chance(0.5):
                in_flows = {each for flow in way.flows for each in flow}
                idle = [each for each in range(len(way.tools)) if each not in in_flows]
                if idle:
                    steps.remove(self._random.choice(idle))
            else:
                steps.insert(self._random.randint(0, len(steps)), self._random.choice(TOOLS))
        return self._trace(way, steps, OutcomeStatus.SUCCESS)

    def failure(self, way: Planted) -> EpisodicPayload:
        """Complete, or broken off after two steps or more."""
        steps: list[int | str] = [*range(len(way.tools))]
        if len(steps) > 2 and self._chance(0.6):
            steps = steps[: self._random.randint(2, len(steps) - 1)]
        return self._trace(way, steps, OutcomeStatus.FAILURE)

    def noise(self, ways: Sequence[Planted]) -> EpisodicPayload:
        """A trace that no skill should count."""
        random, way = self._random, self._random.choice(ways)
        language = random.choice((0, 0, 1, 2))
        others = random.sample(WORDS[language], random.randint(2, 5))
        if len({*others} & {*way.words}) > 1:
            others = [each for each in others if each not in way.words] or [way.words[0]]
        tools = random.sample(TOOLS, random.randint(2, 7))
        match random.randrange(5):
            case 0:  # the tools of a skill, by luck, for another task
                lucky = Planted(way.kind, language, others, way.tools)
            case 1:  # the first tools of a skill
                lucky = Planted(way.kind, language, others, [*way.tools[:2], *tools])
            case 2 if edits(tools, way.tools) > 1:  # the task of a skill, by other tools
                lucky = Planted(way.kind, way.language, way.words, tools)
            case _:
                lucky = Planted(random.choice(KINDS), language, others, tools)
        outcome = OutcomeStatus.FAILURE if self._chance(0.35) else OutcomeStatus.SUCCESS
        has_task_of_skill = lucky.words is way.words
        if outcome is OutcomeStatus.FAILURE and has_task_of_skill and tools[:2] == way.tools[:2]:
            outcome = OutcomeStatus.SUCCESS
        return self._trace(lucky, [*range(len(lucky.tools))], outcome)

    def _trace(
        self, way: Planted, steps: Sequence[int | str], outcome: OutcomeStatus
    ) -> EpisodicPayload:
        random = self._random
        parameter = f"{random.choice(PARAMETERS)}-{random.randrange(10_000)}"
        start = NOW + timedelta(minutes=random.randrange(10_000))
        values = {source: self._new_value() for source, _ in way.flows}
        calls: list[ToolNode] = []
        ids: dict[int | str, str] = {}
        for at, step in enumerate(steps):
            tool = way.tools[step] if isinstance(step, int) else step
            sources = [s for s, target in way.flows if target == step and s in ids]
            given = [] if way.is_stated else [values[source] for source in sources]
            brought = values.get(step) if isinstance(step, int) and not way.is_stated else None
            args = self._args(tool, parameter, given)
            node_id = f"call-{at}-{random.randrange(1_000)}"
            ids[step] = node_id
            calls.append(
                ToolNode(
                    id=node_id,
                    tool=self._spelling(tool),
                    args=args,
                    result=self._result(parameter if parameter in args.values() else "it", brought),
                    timestamp=rfc3339(start + timedelta(seconds=1 + at)),
                    depends_on=tuple(ids[each] for each in sources if way.is_stated),
                )
            )
        if outcome is OutcomeStatus.FAILURE and self._chance(0.7):
            error = {"error": random.choice(REASONS)}
            calls[-1] = calls[-1].model_copy(update={"result": error})
        task = TimelineEvent(
            t=rfc3339(start), event_kind=way.kind, ref="task", summary=self._wording(way, parameter)
        )
        called = (
            TimelineEvent(t=rfc3339(start), event_kind=TOOL_CALL, ref=call.id, summary="")
            for call in calls
        )
        return EpisodicPayload(
            kind="episodic",
            timeline=(task, *called),
            tool_graph=tuple(calls),
            outcome=outcome,
            outcome_reason=random.choice(REASONS) if outcome is OutcomeStatus.FAILURE else "",
        )

    def _wording(self, way: Planted, parameter: str) -> str:
        """The words of the way, a few left out, among fillers and a parameter."""
        random = self._random
        kept = [each for each in way.words if self._chance(0.85)]
        if len(kept) < 2:
            kept = random.sample(way.words, min(2, len(way.words)))
        fillers = random.sample(FILLERS[way.language], random.randint(0, 3))
        texts = [*map(self._inflected, kept), *fillers] if way.language == 0 else [*kept, *fillers]
        random.shuffle(texts)
        if self._chance(0.7):
            texts.insert(random.randint(0, len(texts)), parameter)
        return "の".join(texts) if way.language == UNSPACED else " ".join(texts)

    def _inflected(self, word: str) -> str:
        return word + "s" if self._chance(0.2) and word[-1] not in "sy" else word

    def _spelling(self, tool: str) -> str:
        if not self._chance(0.2):
            return tool
        return self._random.choice((tool.replace("_", "-"), tool.replace("_", " ").title()))

    def _args(self, tool: str, parameter: str, given: Sequence[str]) -> dict[str, Any]:
        """A constant, the parameter of the task, a number, and what earlier calls gave."""
        random = self._random
        names = [pair[self._chance(0.3)] for pair in self._arguments[tool]]
        values: list[Any] = [self._constants[tool], parameter, random.randrange(1_000)]
        args = dict(zip(names, values, strict=False))
        for number, value in enumerate(given):
            shown = random.choice((value, f"https://host/items/{value}", f"items/{value}.json"))
            args[f"input_{number}" if self._chance(0.7) else f"from_{number}"] = shown
        return args

    def _result(self, parameter: str, brought: str | None) -> Any:
        """The echo of the parameter, a state that is always the same, numbers, and a new value."""
        random = self._random
        told: dict[str, Any] = {"state": "done", "of": parameter, "rows": random.randrange(1_000)}
        if brought is None:
            return random.choice((told, f"done with {parameter}", None))
        return random.choice(
            ({**told, "id": brought}, {"item": {"key": brought}}, f"created {brought} at once")
        )

    def _new_value(self) -> str:
        return f"{self._random.choice(('tk', 'OPS', 'obj'))}-{self._random.randrange(16**6):06x}"

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


# --- learning and scoring -----------------------------------------------------------------------


@dataclass
class Found:
    skills: list[CompetencePayload]
    plans: list[PlanGraphPayload]


def learned(evidence: Iterable[Evidence], *, lot: int = TRACES) -> Found:
    """What is learned when the traces come in lots, in the order of time."""
    ordered = in_order([*evidence])
    waiting: list[Evidence] = []
    skills: list[CompetencePayload] = []
    plans: dict[str, PlanGraphPayload] = {}
    for start in range(0, len(ordered), lot):
        offered, waiting = [*waiting, *ordered[start : start + lot]], []
        for each in offered:
            at = best_match(skills, each.trace)
            if at is None:
                waiting.append(each)
                continue
            skills[at] = updated_skill(skills[at], each)
            if plan := plans.get(skills[at].skill_name):
                plans[plan.plan_id] = updated_plan(plan, each)
        for group in groups_of(waiting):
            skill = new_skill(group)
            if skill is not None:
                skills.append(skill)
                used = {each.record_id for each in group}
                waiting = [each for each in waiting if each.record_id not in used]
                plan = new_plan(group)
                if plan is not None:
                    plans[plan.plan_id] = plan
    return Found(skills, [*plans.values()])


@dataclass(frozen=True)
class Score:
    precision: float
    recall: float


def skill_score(found: Sequence[CompetencePayload], planting: Planting) -> Score:
    """A found skill is right with the steps of a planted one, but for one, and with its counts.

    Counts may be wrong by one, or by a fifth. A planted skill counts once.
    """
    left = [*planting.skills]
    right = 0
    for skill in found:
        way = next((each for each in left if _is_skill(skill, each)), None)
        if way is not None:
            left.remove(way)
            right += 1
    return _score(right, len(found), len(planting.skills))


def plan_score(found: Sequence[PlanGraphPayload], planting: Planting) -> Score:
    """A found plan is right with the steps of a planted one, but for one, and with its edges.

    The edges are those between the steps that both have.
    """
    left = planting.plans
    right = 0
    for plan in found:
        way = next((each for each in left if _is_plan(plan, each)), None)
        if way is not None:
            left.remove(way)
            right += 1
    return _score(right, len(found), len(planting.plans))


def _score(right: int, found: int, all_of: int) -> Score:
    return Score(right / found if found else 1.0, right / all_of if all_of else 1.0)


def _is_skill(skill: CompetencePayload, way: Planted) -> bool:
    tools = [each.tool for each in skill.recipe]
    stats = skill.performance
    return (
        stats is not None
        and edits(tools, way.tools) <= 1
        and skill.triggers[0].conditions["event_kind"] == way.kind
        and _is_near(stats.success_count, way.successes)
        and _is_near(stats.failure_count, way.failures)
    )


def _is_near(count: int, planted_count: int) -> bool:
    return abs(count - planted_count) <= max(1, planted_count / 5)


def _is_plan(plan: PlanGraphPayload, way: Planted) -> bool:
    ops = [normalised_tool(node.op) for node in plan.nodes]
    tools = [normalised_tool(tool) for tool in way.tools]
    if edits(ops, tools) > 1:
        return False
    names = {node.id: op for node, op in zip(plan.nodes, ops, strict=True)}
    edges = {(names[edge.from_], names[edge.to]) for edge in plan.edges}
    flows = {(tools[source], tools[target]) for source, target in way.flows}
    return edges == {flow for flow in flows if {*flow} <= {*ops}}


def edits(a: Sequence[str], b: Sequence[str]) -> int:
    """The edit distance of two sequences of tools, whatever their spelling."""
    first, second = ([normalised_tool(tool) for tool in each] for each in (a, b))
    row: list[int] = list(range(len(second) + 1))
    for at, tool in enumerate(first, start=1):
        before, row[0] = row[0], at
        for column, other in enumerate(second, start=1):
            before, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, before + (tool != other)),
            )
    return row[len(second)]
