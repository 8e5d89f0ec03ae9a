"""Let a model study a document: passage by passage in a sandbox, then among all topics.

The topics of a passage are made under keys of the job: a repeated call with equal arguments writes
nothing a second time.
"""

from dataclasses import dataclass, replace

from membrane.domain.chat.instructions import first_note, second_note, study_prompt
from membrane.domain.chat.requests import USUAL_TOOL_ROUNDS, Route
from membrane.domain.chat.tool_log import ToolLog
from membrane.domain.chat.turns import Question, ToolCall, UserTurn
from membrane.domain.language.errors import NotConfigured
from membrane.domain.study.catalog import catalog_of, prompt_catalog
from membrane.domain.study.hierarchy import Level, Span, hierarchy_within
from membrane.domain.study.jobs import BATCHES, FED, MADE, Job, StudyStage
from membrane.domain.study.origins import Origin
from membrane.domain.study.plan import BETWEEN, LEAST_ROUNDS, Passage, digest_of
from membrane.domain.tools.arguments import Profile
from membrane.usecases.chat.rounds import Asker, OutOfTime, end_of, rounds
from membrane.usecases.chat.run_calls import Runner, tools_for
from membrane.usecases.chat.sandbox import OFFERED, Session, sandbox_tools
from membrane.usecases.study.work import Work
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.topics.loading import LIVING, load_topics

TOPICS_OF_QUESTION = 40
"""The topics of the sandbox that one question of phase B is about."""

MAX_SAID = 8_000
"""The characters of what a model said of the newest passages, for phase B."""

_APPEND = "memory_append_field"
_PROVENANCE = "provenance"


@dataclass(slots=True, kw_only=True)
class _StampingRunner(Runner):
    """Writes the place in the document as the provenance, whatever the model says."""

    origin: Origin
    fed: list[str]
    """The ids of the topics that got a field."""
    work: Work

    def run(self, asked: ToolCall) -> ToolAnswer:
        """See Runner; raises Superseded if another job or attempt has the document now."""
        self.work.require_claim()
        tool, arguments = self.tools.get(asked.name), asked.arguments
        takes = tool is not None and _PROVENANCE in tool.arguments.model_fields
        if takes and isinstance(arguments, dict):
            asked = asked._replace(arguments={**arguments, _PROVENANCE: str(self.origin)})
        answer = Runner.run(self, asked)
        if asked.name == _APPEND and isinstance(arguments, dict) and not answer.is_error:
            self.fed.append(str(arguments["topic_id"]))
        return answer


def study_next_passage(job: Job, work: Work) -> Job:
    """The job after the next passage, or in the following stage after the last.

    The job first keeps that the passage is begun: a later run knows then that a step was killed. A
    passage that an earlier study of the document finished is not read again. A passage for which
    the time of a run did not suffice is read once more, and counts as partial after that.

    Raises OutOfTokens, BusyModel, TooLarge, and Unavailable.
    """
    if job.place >= len(work.passages):
        return replace(job, stage=StudyStage.LINKING, place=0, units_done=job.units, cut=-1)
    passage = work.passages[job.place]
    if work.digest(passage) in work.earlier_study["passages"]:
        return _after_passage(job, passage)
    if job.begun != job.place:
        work.begun.add(job.place)
        return replace(job, begun=job.place)
    must_scan = job.must_scan or job.place not in work.begun
    said = _study(passage, job, work)
    studied = replace(with_cost(job, work), must_scan=must_scan)
    if said is None and job.cut != job.place:
        return replace(studied, cut=job.place)
    if said is None:
        partial = (*studied.partial, work.digest(passage))
        return _after_passage(replace(studied, partial=partial), passage)
    every = f"{job.said}\n{said}".strip()[-MAX_SAID:]
    return _after_passage(replace(studied, said=every), passage)


def integrate_next(job: Job, work: Work) -> Job:
    """The job after the next topics of the sandbox are brought together with all others."""
    made = dict([*work.answers_in(MADE).items()][job.place : job.place + TOPICS_OF_QUESTION])
    if not made:
        return replace(job, stage=StudyStage.TIDYING, place=0)
    found = load_topics(made, work.call.principal.trust, work.world.topics)
    topics = [(each.id, each.title) for each in found.values() if each.status in LIVING]
    tools = tools_for(Route.BOTH, Profile.MEMSTATE, work.call.principal)
    passages = sorted(set(made.values()))
    batch = digest_of(*passages)
    work.keep(BATCHES, {batch: " ".join(passages)})
    origin = job.origin(0, Span(0, job.characters), batch)
    call = work.call._replace(key=f"study {job.id} link {job.place}")
    runner = _StampingRunner(tools, call, work.world, origin=origin, fed=[], work=work)
    note = second_note(job.kind, job.characters, topics, job.said)
    try:
        said = _ask(note, runner, USUAL_TOOL_ROUNDS, work, is_first_phase=False)
    finally:
        work.keep(MADE, dict.fromkeys(runner.made, batch))
        work.keep(FED, dict.fromkeys(runner.fed, ""))
    after = with_cost(job, work)
    if said is None and job.cut != job.place:
        return replace(after, cut=job.place)
    return replace(after, place=job.place + TOPICS_OF_QUESTION, waits=0)


def with_cost(job: Job, work: Work) -> Job:
    """The job with the cost of the run's questions, which then count no more."""
    tokens, questions = job.tokens + work.tokens, job.questions + work.questions
    work.tokens = work.questions = 0
    return replace(job, tokens=tokens, questions=questions)


def _study(passage: Passage, job: Job, work: Work) -> str | None:
    """What the model says at the end; None if the time did not suffice."""
    heading = _heading_of(passage, job)
    hierarchy = hierarchy_within(work.text, heading, passage.paragraphs)
    made = [*work.answers_in(MADE)]
    session = Session(job.id, catalog_of(hierarchy, job.id, work.world.count_tokens), made)
    tools = sandbox_tools(session, tools_for(Route.BOTH, Profile.MEMSTATE, work.call.principal))
    digest = work.digest(passage)
    origin = job.origin(passage.section.number, passage.span, digest)
    call = work.call._replace(key=f"study {job.id} {job.place}")
    runner = _StampingRunner(
        tools, call, work.world, opened=OFFERED, made=made, origin=origin, fed=[], work=work
    )
    document = f"{heading}\n\n{work.text[slice(*passage.span)]}"
    catalog = prompt_catalog(hierarchy, job.id, work.world.count_tokens, Level.PARAGRAPH)
    note = first_note(session.kind, catalog, document)
    try:
        return _ask(note, runner, LEAST_ROUNDS, work, is_first_phase=True)
    finally:
        work.keep(MADE, dict.fromkeys(made, digest))


def _heading_of(passage: Passage, job: Job) -> str:
    path = BETWEEN.join((job.title, *passage.section.path))
    if passage.section.occurrence > 1:
        path = f"{path} ({passage.section.occurrence})"
    return path if passage.is_first else f"{path}, from character {passage.span.start}"


def _ask(note: str, runner: Runner, most: int, work: Work, *, is_first_phase: bool) -> str | None:
    """Lead the rounds to their end; None without time left, when what the calls wrote stands."""
    model = work.world.chat_model
    if model is None:
        raise NotConfigured("ChatModel is none: a model that began the study is gone")
    asker = Asker(model, work.call.principal, work.world)
    prompt = study_prompt(Route.INGEST, (), is_first_phase=is_first_phase)
    question = Question(prompt, [UserTurn(note)], runner.offers)
    try:
        ended = end_of(rounds(question, most, asker, runner, ToolLog()))
        if ended.stopped_by is not None:
            raise ended.stopped_by
    except OutOfTime:
        return None
    finally:
        work.tokens += asker.tokens
        work.questions += asker.questions
    return ended.text


def _after_passage(job: Job, passage: Passage) -> Job:
    done = {"paragraphs": len(passage.paragraphs)}
    if passage.is_first:
        done |= {"sections": 1, "sentences": passage.section.sentences}
    return replace(job.counting(units=done), place=job.place + 1, waits=0)
