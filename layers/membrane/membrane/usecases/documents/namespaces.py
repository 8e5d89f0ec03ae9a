"""List the namespaces that have documents: one small page of documents for each run of places."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from membrane.domain.documents import places
from membrane.domain.documents.model import Document
from membrane.domain.documents.requests import ListNamespaces
from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import Room
from membrane.usecases.documents.reading import ROOM_BYTES, visible
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of

if TYPE_CHECKING:
    from membrane.domain.documents.replies import NamespaceList

RPC = "ListNamespaces"
"""Cursors are bound to this name: a listing within a batch continues a listing outside."""

MAX_PAGES = 100
"""Requests to the store of a call."""

FIRST_PAGE_SIZE = 2
"""Documents of the first page of a run: few, because the rest of a namespace is skipped."""

GROWTH = 4
PAGE_SIZE = 32
"""Documents of a page at most. A page grows where no document of the page before was skipped:
hidden documents, and namespaces with one document each."""

Labels = tuple[str, ...]


def list_namespaces(request: ListNamespaces, call: Call, world: World) -> ReplyBody:
    """The next namespaces with a document that the principal may see, in the order of places.

    Raises InvalidArgument for the cursor of a different request.
    """
    scope = call.principal.scope_for_writing(request.scope)
    body: NamespaceList = {"namespaces": [], "examined": 0}
    if not call.principal.trust.covers(scope):
        return ReplyBody(body)
    binding = binding_of(request, call._replace(rpc=RPC))
    scan = _Scan(request, scope, call, world, epoch_seconds(world.now()))
    if request.cursor is not None:
        match decode(request.cursor, binding, world.cursor_key()):
            case {"after": str(after), "last": [*last]} if len(last) <= places.MAX_LABELS:
                scan.after, scan.last = after, tuple(map(str, last))
            case _:
                raise foreign_cursor()
    for document in scan.documents():
        scan.pass_by(document)
    state = {"after": scan.after, "last": [*scan.last]}
    cursor = None if scan.is_ended else encode(state, binding, world.cursor_key())
    body = {
        "namespaces": [[*labels] for labels in scan.found],
        "examined": scan.examined,
        **cursor_part(cursor),
    }
    return ReplyBody(body)


@dataclass(slots=True)
class _Scan:
    """A walk that skips the documents which could not add a namespace."""

    request: ListNamespaces
    scope: str
    call: Call
    world: World
    now_s: float
    after: str = ""
    """The place, or the text between two places, behind which the walk goes on."""
    last: Labels = ()
    """The last result, also of an earlier call."""
    found: list[Labels] = field(default_factory=list)
    seen: set[Labels] = field(default_factory=set)
    """The results of this call: two long namespaces may come by turns."""
    examined: int = 0
    is_ended: bool = False
    is_full: bool = False
    room: Room = field(default_factory=partial(Room, ROOM_BYTES))

    def documents(self) -> Iterator[Document]:
        """The documents behind `after`, to the limit, to the end, or of MAX_PAGES requests.

        The caller passes each; the walk ends at a document for which the reply has no room.
        """
        prefix = places.searchable_prefix(
            [*takewhile(lambda label: label != places.WILDCARD, self.request.prefix)]
        )
        size = FIRST_PAGE_SIZE
        for _ in range(MAX_PAGES):
            page, following = self.world.documents.page(
                self.scope, prefix, self.after or None, size
            )
            size = min(GROWTH * size, PAGE_SIZE)
            for document in page:
                if document.place.sort_text <= self.after:
                    size = FIRST_PAGE_SIZE
                    continue
                if self.is_full:
                    return
                yield document
                if self.after < document.place.sort_text:
                    return
            self.after = max(self.after, following or "")
            # Every place with the prefix lies before a text without the prefix.
            self.is_ended = following is None or not self.after.startswith(prefix)
            if self.is_full or self.is_ended:
                return

    def pass_by(self, document: Document) -> None:
        """Go behind the document, and behind all documents that add no further namespace."""
        namespace, asked = document.place.namespace, self.request
        ordered = document.place.sort_text
        is_visible = visible(document, self.call.principal, self.now_s) is not None
        self.examined += is_visible
        dead = places.dead_end(namespace, asked.prefix)
        if dead is not None:
            self.after = places.after_all_of(dead) or ordered
        elif not places.has_labels(namespace, asked.prefix, asked.suffix):
            self.after = places.after_documents_of(namespace) or ordered
        elif not is_visible:
            self.after = ordered
        elif self._adds(namespace[: asked.max_depth]):
            self.after = self._behind(namespace) or ordered

    def _adds(self, labels: Labels) -> bool:
        """Whether the result is in the reply; no for a reply without room."""
        if labels == self.last or labels in self.seen:
            return True
        if not self.room.takes(labels):
            self.is_full = True
            return False
        self.found.append(labels)
        self.seen.add(labels)
        self.last = labels
        self.is_full = len(self.found) == self.request.limit
        return True

    def _behind(self, namespace: Labels) -> str | None:
        """A text behind all documents with the same result as the namespace; None if too long."""
        depth = self.request.max_depth
        is_cut = depth is not None and len(namespace) >= depth
        return (
            places.after_all_of(namespace[:depth])
            if is_cut
            else places.after_documents_of(namespace)
        )
