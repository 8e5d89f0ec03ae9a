"""Lead a conversation: the route, then an answer with tools, or the study of a long message."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from membrane.domain.chat.dialogue import (
    TIMEOUT_S,
    Message,
    Role,
    dialogue_of,
    last_turns,
    question_of_route,
    route_in,
    turns_of,
)
from membrane.domain.chat.instructions import first_note, second_note, study_prompt, system_prompt
from membrane.domain.chat.replies import ChatReply
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import ToolLog
from membrane.domain.chat.turns import Question
from membrane.domain.language import errors
from membrane.domain.language.vocabulary import Permission
from membrane.domain.study.catalog import catalog_of, prompt_catalog
from membrane.domain.study.hierarchy import Hierarchy, hierarchy_of
from membrane.domain.study.plan import LEAST_ROUNDS, is_document
from membrane.domain.tools.arguments import Profile
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.chat.rounds import (
    Answered,
    Asker,
    Ended,
    Frame,
    Talk,
    end_of,
    rounds,
    with_each,
)
from membrane.usecases.chat.run_calls import Runner, tools_for
from membrane.usecases.chat.sandbox import OFFERED, Session, sandbox_tools
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.models import ChatModel
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.topics.editing.topics import change_topic
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.reading.system_context import context_texts

PHASE_A, PHASE_B = "study_a", "study_b"

_REPLY = "{note}\n\n--- Phase A ---\n{first}\n\n--- Phase B ---\n{second}"
_NOTE = "I studied the document in two phases."
_NOT_BEGUN = "Phase B was not begun."

_STOPS = (errors.ResourceExhausted, errors.TooLarge, errors.Unavailable)


def is_long(talk: Talk) -> bool:
    """Whether the last message is to be studied: long, for storing, over topics."""
    return (
        talk.request.study_ingest
        and talk.profile is Profile.MEMSTATE
        and talk.route is not Route.QUERY
        and is_document(talk.dialogue[-1].text)
        and Permission.INGEST in talk.call.principal.permissions
    )


def study_message(talk: Talk) -> Generator[Frame, None, Answered]:
    """The frames of both phases, then the answer. Raises as `rounds` before a tool has run."""
    document = talk.dialogue[-1].text
    hierarchy, session_id = hierarchy_of(document), talk.world.new_id()
    made: list[str] = []
    session = Session(session_id, catalog_of(hierarchy, session_id, talk.world.count_tokens), made)
    logs = ToolLog(PHASE_A), ToolLog(PHASE_B)
    of_key = tools_for(Route.BOTH, talk.profile, talk.call.principal)
    tools = sandbox_tools(session, of_key)
    runner = Runner(tools, talk.call, talk.world, opened=OFFERED, made=made)
    second = Ended(_NOT_BEGUN)
    try:
        first = yield from _in_phase(PHASE_A, _phase_a(talk, session, hierarchy, runner, logs[0]))
        if first.stopped_by is None:
            steps = _phase_b(talk, session, first.text, logs[1])
            second = yield from _in_phase(PHASE_B, steps)
    finally:
        _end_session(session, talk)
    return Answered(
        _REPLY.format(note=_NOTE, first=first.text, second=second.text),
        [*logs[0].calls, *logs[1].calls],
        first.stopped_by or second.stopped_by,
        session.kind,
        _most_rounds(talk),
    )


def _phase_a(
    talk: Talk, session: Session, hierarchy: Hierarchy, runner: Runner, log: ToolLog
) -> Generator[Frame, None, Ended]:
    """Make topics of the units, with the tools of the sandbox."""
    catalog = prompt_catalog(hierarchy, session.id, talk.world.count_tokens)
    note = first_note(session.kind, catalog, hierarchy.document)
    question = Question(
        study_prompt(talk.route, talk.context, is_first_phase=True),
        turns_of([*talk.dialogue[:-1], Message(Role.USER, note)]),
        runner.offers,
    )
    return (yield from rounds(question, _most_rounds(talk), talk.asker, runner, log))


def _most_rounds(talk: Talk) -> int:
    return max(talk.request.max_tool_rounds, LEAST_ROUNDS)


def _phase_b(
    talk: Talk, session: Session, said: str, log: ToolLog
) -> Generator[Frame, None, Ended]:
    """Bring the topics of the session and the known topics together, with the tools of the route.

    A failure before a tool has run ends the phase, because phase A stands.
    """
    tools = tools_for(talk.route, talk.profile, talk.call.principal)
    runner, most = Runner(tools, talk.call, talk.world), talk.request.max_tool_rounds
    try:
        note = _note_b(talk, session, said)
        question = Question(
            study_prompt(talk.route, talk.context, is_first_phase=False),
            turns_of([*talk.dialogue[:-1], Message(Role.USER, note)]),
            runner.offers,
        )
        return (yield from rounds(question, most, talk.asker, runner, log))
    except _STOPS as error:
        return Ended(f"Phase B stopped: {error}.", error)


def _note_b(talk: Talk, session: Session, said: str) -> str:
    topics = [(each.id, each.title) for each in _topics_of(session, talk)]
    return second_note(session.kind, len(talk.dialogue[-1].text), topics, said)


def _in_phase(phase: str, steps: Generator[Frame, None, Ended]) -> Generator[Frame, None, Ended]:
    return with_each(steps, lambda frame: {**frame, "phase": phase})


def _end_session(session: Session, talk: Talk) -> None:
    """Take the kind of the session from the topics that still have the kind.

    The right to change these topics comes from the session: the caller's conversation made them. A
    failure is reported to operators, because the answer has what was written.
    """
    rights = talk.call.principal.permissions | {Permission.REVISE}
    principal = talk.call.principal._replace(permissions=rights)
    call = talk.call._replace(principal=principal, key=None)
    try:
        topics = _topics_of(session, talk)
    except errors.DomainError as fault:
        talk.world.report(call.rpc, FAULT, fault)
        return
    for topic in topics:
        try:
            if topic.kind == session.kind:
                change_topic(ChangeTopic(id=topic.id, topic_kind=""), call, talk.world)
        except errors.DomainError as fault:
            talk.world.report(call.rpc, FAULT, fault)


def _topics_of(session: Session, talk: Talk) -> Sequence[Topic]:
    """The topics made in the session that there still are, in the order of their making."""
    ids = list(dict.fromkeys(session.made))
    found = talk.world.topics.load_all(ids, talk.call.principal.trust)
    return [found[each] for each in ids if each in found and found[each].status in LIVING]


class Conversed(NamedTuple):
    """The end of a conversation."""

    reply: ChatReply
    stopped_by: errors.DomainError | None = None
    """The failure after which the conversation could not go on, although tools had run."""


def chat(request: Chat, call: Call, world: World) -> Conversed:
    """The end of the conversation; see `converse`."""
    return end_of(converse(request, call, world))


def converse(request: Chat, call: Call, world: World) -> Generator[Frame, None, Conversed]:
    """The frames of a conversation, then the end.

    Raises InvalidArgument for a dialogue without a last message of the user; NotConfigured without
    a model; TooLarge, OutOfTokens, OutOfTime, BusyModel and Unavailable before a tool has run.
    """
    dialogue = last_turns(dialogue_of(request.messages), request.intent_turns)
    asker = Asker(_model(world), call.principal, world)
    route = request.intent_override or _route(dialogue, asker)
    source = "override" if request.intent_override else "classifier"
    yield {"type": "intent", "route": route.value, "intent_source": source}
    may_read = Permission.READ in call.principal.permissions
    context = context_texts(world) if may_read else ()
    talk = Talk(request, dialogue, route, context, asker, call, world)
    answered = yield from (study_message(talk) if is_long(talk) else _answer(talk))
    yield {"type": "reply", "text": answered.text}
    return Conversed(_reply(talk, answered, source), answered.stopped_by)


def _model(world: World) -> ChatModel:
    if world.chat_model is None:
        raise errors.NotConfigured("no model leads conversations: the parameter ChatModel is none")
    return world.chat_model


def _route(dialogue: Sequence[Message], asker: Asker) -> Route:
    return route_in(asker.ask(question_of_route(dialogue), TIMEOUT_S).text)


def _answer(talk: Talk) -> Generator[Frame, None, Answered]:
    tools = tools_for(talk.route, talk.profile, talk.call.principal)
    runner = Runner(tools, talk.call, talk.world)
    prompt = system_prompt(talk.profile, talk.route, talk.context)
    question = Question(prompt, turns_of(talk.dialogue), runner.offers)
    log, most = ToolLog(), talk.request.max_tool_rounds
    ended = yield from rounds(question, most, talk.asker, runner, log)
    return Answered(ended.text, log.calls, ended.stopped_by, most_rounds=most)


def _reply(talk: Talk, answered: Answered, source: str) -> ChatReply:
    reply: ChatReply = {
        "reply": answered.text,
        "tool_log": [*answered.calls],
        "model": talk.asker.answered_by,
        "provider": talk.asker.model.provider,
        "intent": talk.route,
        "intent_source": source,
        "max_tool_rounds": answered.most_rounds,
        "tokens": {"used": talk.asker.tokens, "questions": talk.asker.questions},
    }
    if answered.session_kind:
        reply["study_ingest"] = True
        reply["study_session_kind"] = answered.session_kind
        reply["study_phases"] = 2
    return reply
