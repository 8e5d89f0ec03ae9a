"""Names of the client for the document: classes, modules, and groups of parameters."""

from collections.abc import Mapping, Sequence

from client_generator.document import SCHEMAS

CLASSES: Mapping[str, str] = {
    "BatchedRecord": "BatchEntry",
    "BriefRecord": "Memory",
    "CaptureReply": "Captured",
    "Certificate": "CertificateBody",
    "CertificateReply": "Certificate",
    "ConsolidationReply": "ConsolidationResult",
    "ErasureReply": "Erasure",
    "EvidenceReply": "Evidence",
    "ExplainedCandidate": "ReceiptCandidate",
    "ExportView": "Export",
    "FieldProblem": "FieldError",
    "FindingReply": "Finding",
    "MessagesReply": "IngestedMessages",
    "Problem": "BatchError",
    "SignatureReply": "CertificateSignature",
    "StudyReply": "Study",
    "TopicReading": "TopicAccess",
}
"""The names of classes, where the schema has a different name."""

WORDS = (
    *("MemoryType", "Sensitivity", "OutcomeStatus", "TaskState", "ConflictPolicy", "DecayCurve"),
    *("DeletionPolicy", "RevisionStatus", "ValidityMode", "AuditAction", "ProvenanceKind"),
    *("EdgeKind", "FieldType", "Stage", "Route", "InterpretationStatus", "InterpretationFailure"),
)
"""The enumerations of the client; a word of a further enumeration is a text."""

MODULES: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "payloads": (
        "The payloads of records, by kind.",
        [],
        ["Payload", *(each for each in SCHEMAS if each.endswith("Payload-Output"))],
    ),
    "records": (
        "Records, and replies with records.",
        ["ingest", "records", "revision", "salience", "metrics"],
        ["MemoryRecord", "BriefRecord", "RemovedRecord"],
    ),
    "retrieval": ("Answers, graphs, lists and receipts.", ["retrieval"], []),
    "entities": ("Entities, and what was made of evidence.", ["entities", "learning"], []),
    "topics": ("Topics, and replies with topics.", ["topics"], []),
    "documents": ("Keyed documents: read, found, written and listed.", ["documents"], []),
    "jobs": (
        "Erasures, exports, studies, tools and conversations.",
        ["erasure", "exports", "studies", "agents"],
        [],
    ),
}
"""A module's docstring, the tags of the operations with its replies, and further schemas."""

VARIANTS: Mapping[str, Sequence[str]] = {
    "MemoryRecord": ["RedactedRecord", "OversizedRecord", "DeletedRecord", "BatchRecordId"],
    "WrittenReply": ["GoneReply"],
    "ListedEntity": ["SimilarEntity"],
    "BatchedRecord": ["BatchedMessages", "BatchedCapture", "RefusedItem"],
}
"""Schemas that share the class of the first; a field that the first lacks is optional."""

PLAIN_OBJECTS = ("ErrorBounds", "TopicSalience")
"""Replies whose parts a reader looks up by name."""

UNIONS: Mapping[str, Sequence[str]] = {
    "DocumentResult": [
        *("DocumentReply", "WrittenDocument", "DeletedDocument", "AppendedItems"),
        *("FoundDocuments", "NamespaceList"),
    ],
}
"""Classes that have the fields of further schemas, too."""

PAGES: Mapping[str, str] = {
    "ActionList": "actions",
    "AuditTrail": "audit_log",
    "CertificateReply": "entries",
    "ConsolidationList": "consolidations",
    "EntityList": "entities",
    "EntityPage": "facts",
    "FoundDocuments": "documents",
    "Graph": "nodes",
    "MentionList": "mentions",
    "NamespaceList": "namespaces",
    "TopicGraph": "nodes",
    "TopicList": "topics",
    "VersionList": "versions",
}
"""Replies that are pages, with the field of the items."""

BASES: Mapping[str, str] = {
    "Answer": 'Found[MemoryRecord], of="records"',
    "BriefRecord": 'MemoryRecord, has="when"',
    "EntityAlias": "Name",
    "IngestedTopic": "ChangedTopic",
    "membrane__domain__entities__replies__ListedTopic": "TopicOfEntity",
    "ErasureReply": 'ErasureState, Page[Finding], of="findings"',
    "ErasureState": "Job",
    "FoundDocument": "ShownDocument",
    "Prompt": "Text",
    "RecordList": 'Page[MemoryRecord], of="records"',
    "ShownDocument": "StoredDocument",
    "StudyReply": "Job",
    "TopicRevision": "BundledRevision",
    "UnmergedTopic": "ChangedTopic",
}
"""The bases of further classes."""

_BRIEF = (
    "Memory",
    "Memory(each) for each in self.raw['records']",
    "The records in brief, where `view='brief'` was asked for.",
)
PROPERTIES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "Answer": {"memories": _BRIEF},
    "Graph": {
        "records": (
            "MemoryRecord",
            "each.record for each in self.nodes",
            "The records of the nodes.",
        ),
    },
    "RecordList": {
        "memories": _BRIEF,
        "removed_records": (
            "RemovedRecord",
            "RemovedRecord(each) for each in self.raw['records']",
            "The removed records, where the state `deleted` or `pruned` was asked for.",
        ),
    },
}
"""Views of a reply beside the fields: class of the items, items, and docstring."""

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "": "Any"}
"""The plain types of JSON."""

DEFAULTS: Mapping[tuple[str, str], str] = {
    ("BriefRecord", "text"): '""',
    ("DecayProfile", "reinforcement_gain"): "0",
    ("Selection", "why"): '""',
    ("StoredDocument", "rationale"): '""',
    ("MessagesReply", "skipped"): "0",
    ("AppendField", "value"): '""',
}
"""Of absent fields and of parameters; an absent flag is False, and in these classes a number 0:"""

ABSENT_IS_ZERO = (
    *("DecayProfile", "PerformanceStats-Output", "PlanMetrics-Output"),
    *("Interpretation", "Mention", "RelationCandidate", "ReferenceCandidate"),
)

GROUPS: Mapping[str, tuple[str, Sequence[str]]] = {
    "ingest": ("Reports, conversations and whole records on their way into memory.", ["ingest"]),
    "records": (
        "Records and entities: found, read, corrected, merged and deleted.",
        [
            *("records", "retrieval", "metrics", "revision", "salience"),
            *("entities", "learning"),
        ],
    ),
    "topics": ("Topics: knowledge of a thing, in named fields with histories.", ["topics"]),
    "documents": (
        "JSON values under keys in namespaces, with lists beside the values.",
        ["documents"],
    ),
    "jobs": (
        "Erasures, exports, studies and tools.",
        ["erasure", "exports", "studies", "agents"],
    ),
}
"""A module's docstring, and the tags of the operations."""

BY_HAND = {"Chat"}

SHARED: Mapping[str, tuple[str, str, Sequence[str], str]] = {
    "Caller": ("TypedDict", "ReadStudy", ["user"], "Who calls: without a user, the client's user."),
    "Write": (
        "Caller",
        "IngestEvent",
        ["idempotency_key"],
        "A call with effects; without a key, a new key makes its attempts one write.",
    ),
    "Reach": (
        "Caller",
        "RetrieveByID",
        ["max_sensitivity", "scope"],
        "A read within a trust that is narrower than the key's.",
    ),
    "Search": (
        "Caller",
        "Retrieve",
        [
            *("trust", "memory_types", "min_salience", "min_score", "tags", "cursor"),
            "consistency_tokens",
        ],
        "A search for records; `cursor` is the `next_cursor` of the page before.",
    ),
    "Claim": (
        "Write",
        "Resolve",
        ["actor", "rationale"],
        "",
    ),
    "Labels": (
        "Write",
        "IngestEvent",
        ["source", "tags", "scope", "sensitivity", "lifecycle"],
        "",
    ),
    "GraphSearch": (
        "Search",
        "RetrieveGraph",
        ["root_limit", "node_limit", "edge_limit", "max_hops", "predicates", "node_types"],
        "A search for a graph; the limits default to 10 roots, 25 nodes, 100 edges and 1 hop.",
    ),
    "Report": ("Labels", "IngestEvent", ["timestamp"], "A report of what happened at a time."),
    "Capture": (
        "Report",
        "CaptureMemory",
        ["source_kind", "context", "proposed_type", "summary"],
        "",
    ),
    "Listing": (
        "Caller",
        "ListTopics",
        ["scope", "limit", "cursor"],
        "A list of a scope; `cursor` is the `next_cursor` of the page before.",
    ),
    "ReachListing": ("Reach", "ReadAudit", ["limit", "cursor"], ""),
    "TopicChange": (
        "Write",
        "ChangeTopic",
        ["summary", "topic_kind", "salience", "sensitivity"],
        "",
    ),
    "DocumentChange": (
        "Write",
        "DeleteDocument",
        ["scope", "expected_version", "must_exist", "rationale", "operation_id"],
        "",
    ),
}
"""Parameters that many operations share: base, an operation with them, names, docstring.

An operation takes the last group that it has whole.
"""


def shared_names(group: str) -> Sequence[str]:
    base, _, names, _ = SHARED[group]
    return [*names, *(shared_names(base) if base in SHARED else ())]


ONE_PAGE = ("ReadEntity", "RetrieveGraph")
"""Calls that return a page, not all items."""

POSITIONAL: Mapping[str, Sequence[str]] = {
    "AppendField": ["value"],
    "CallTool": ["arguments"],
    "Contest": ["contesting_ref"],
    "CreateExport": ["scope"],
    "CreateTopic": ["title"],
    "IngestObservation": ["object"],
    "IngestTopic": ["title"],
    "NestFields": ["field_names", "nest_key"],
    "PromoteFields": ["field_names"],
    "Retrieve": ["task_descriptor"],
    "RetrieveGraph": ["task_descriptor"],
    "SearchDocuments": ["namespace_prefix"],
    "SetFieldRef": ["ref_topic_id"],
    "UndoPromotion": ["child_topic_id", "relationship_kind"],
    "UnnestFields": ["nest_key"],
}
"""The optional parameters that a caller may give by position."""

PATH_NAMES = {
    ("Supersede", "id"): "old_id",
    ("Fork", "id"): "source_id",
    ("records", "id"): "record_id",
    ("topics", "id"): "topic_id",
    ("receipts", "id"): "receipt_id",
    ("exports", "id"): "export_id",
}
"""The names of `{id}` of a path, by operation or by the first word of the path."""

PARTS: Mapping[str, tuple[str, str]] = {
    "BatchedDocuments": ("results", "Sequence[DocumentResult]"),
    "CreateExport": ("export", "Export"),
    "DocumentReply": ("document", "ShownDocument"),
    "Metrics": ("snapshot", "Snapshot"),
    "RecordReply": ("record", "MemoryRecord"),
    "WrittenReply": ("record", "MemoryRecord"),
}
"""By operation or reply: the field that is the result, and the type of the result."""

BY_CODE = ("BatchDocuments", "DeleteRecord")
"""Calls that need more than a row says."""


def first_form(schema: str) -> str:
    return next((each for each, others in VARIANTS.items() if schema in others), schema)


def class_of(schema: str) -> str:
    """The class of a schema: `CompetencePayload-Output` is CompetencePayload."""
    if schema.startswith("membrane__"):
        return "TopicEntry" if "__topics__" in schema else schema.rpartition("__")[2]
    return CLASSES.get(schema, schema.removesuffix("-Output"))
