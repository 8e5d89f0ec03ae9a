"""Keyed documents over fakes that remember which pages were read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.documents.document import Document
from membrane.domain.language.json_text import JsonObject
from tests.fakes.clock import FakeClock
from tests.fakes.document_world import SharingDocuments, keeping
from tests.fakes.search import FakeEmbedder
from tests.worlds.documents import DocumentCaller, writer


@dataclass(slots=True)
class WatchedDocuments(SharingDocuments):
    """Notes each page that was read, and refuses a page behind the prefix, as DynamoDB does."""

    pages: list[int] = field(default_factory=list)
    """The number of documents of each page."""
    refreshed: list[str] = field(default_factory=list)
    """The keys of the documents whose period began anew."""

    def page(self, scope: str, prefix: str, after: str | None, limit: int) -> Any:
        """See DynamoDocuments."""
        assert after is None or after.startswith(prefix), "outside query boundaries"
        found = SharingDocuments.page(self, scope, prefix, after, limit)
        self.pages.append(len(found.documents))
        return found

    def refresh(self, before: Document, after: Document) -> bool:
        """See DynamoDocuments."""
        self.refreshed.append(before.place.key)
        return SharingDocuments.refresh(self, before, after)


@dataclass(slots=True)
class Shelf:
    """A caller for all scopes, and the fakes beneath."""

    clock: FakeClock = field(default_factory=FakeClock)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    store: WatchedDocuments = field(init=False)
    caller: DocumentCaller = field(init=False)
    loaded: list[str] = field(default_factory=list)
    """The name of the embedder for each time that it was loaded."""

    def __post_init__(self) -> None:
        self.store = WatchedDocuments(now=self.clock)
        services = keeping(now=self.clock, documents=self.store, embedder=self.embedder)
        self.store.values = services.records.values  # type: ignore[attr-defined]  # of the fake
        services = replace(services, embedder=self._load)
        every = writer("ann", ("ingest", "read", "revise"), ("team",), "hyper")
        self.caller = DocumentCaller(services, every)

    def put(self, namespace: str, key: str, value: Any = None, **more: Any) -> None:
        """Write a document; `namespace` has labels between slashes."""
        at = {"namespace": namespace.split("/"), "key": key}
        self.caller.perform_put({**at, "value": {} if value is None else value, **more})

    def search(self, caller: DocumentCaller | None = None, **asked: Any) -> JsonObject:
        self.store.pages.clear()
        return (caller or self.caller).search(**asked)

    def keys(self, caller: DocumentCaller | None = None, **asked: Any) -> list[str]:
        """The keys of the documents of one search."""
        return [each["key"] for each in self.search(caller, **asked)["documents"]]

    def labels(self, caller: DocumentCaller | None = None, **asked: Any) -> list[str]:
        """The namespaces of one listing, with slashes between labels."""
        self.store.pages.clear()
        return list(map("/".join, (caller or self.caller).namespaces(**asked)["namespaces"]))

    def _load(self) -> FakeEmbedder:
        self.loaded.append(self.embedder.name)
        return self.embedder


def pages_of(ask: Callable[..., JsonObject], **asked: Any) -> Iterator[JsonObject]:
    """Every page of a search or a listing."""
    page = ask(**asked)
    yield page
    while "next_cursor" in page:
        page = ask(**asked, cursor=page["next_cursor"])
        yield page
