"""MemState's tools of a study session. No session opens here, so no unit catalog exists."""

from membrane.domain.tools.memstate.reorganising import StudyGraphSnapshot, StudyUnitCatalog
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.tools.memstate.answers import Expected, answer_of
from membrane.usecases.tools.memstate.graph import Place, graph_answer
from membrane.usecases.tools.memstate.windows import window_of
from membrane.usecases.tools.tool import ToolAnswer

_NO_CATALOG = "No study session is open: a catalog exists while a long document is being studied."
_NO_SESSION = "study_graph_snapshot is only available in Study phase A"


def unit_catalog(_asked: StudyUnitCatalog, _call: Call, _services: ToolServices) -> ToolAnswer:
    """The catalog of a call outside a session, which is empty."""
    return answer_of({"ok": True, "catalog": {}, "note": _NO_CATALOG})


def graph_snapshot(asked: StudyGraphSnapshot, call: Call, services: ToolServices) -> ToolAnswer:
    """The topics of a kind with the edges among them; raises Expected without a kind.

    MemState's MCP server takes the kind as an argument; in a session the kind is the session's.
    """
    kind = asked.study_topic_kind.strip()
    if not kind:
        raise Expected(_NO_SESSION)
    window = window_of(asked.cursor, call, services, include_archived=True)
    own = window._replace(topics=[each for each in window.topics if each.kind == kind])
    return graph_answer(own, Place(asked.offset, asked.edge_offset), call, services, within=True)
