"""The composition root: the one world of an environment, with everything that use cases work with.

A part of the world is made when it is first asked for, and its adapter is imported with it. A test
and the local stack give parts of their own.
"""

import time
from collections.abc import Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda import telemetry
from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.records.items import Codec, Shards
from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.salience.decay_defaults import implied_classes, reserved_classes
from membrane.wiring import chance, clients
from membrane.wiring.environment import VectorFilters
from membrane.wiring.parts import Parts, adapter, attribute, made_by, part, store
from membrane.wiring.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_kms import KMSClient
    from types_boto3_s3 import S3Client

    from membrane.adapters.dynamodb.access import DynamoKeys, DynamoRecentWrites
    from membrane.adapters.dynamodb.archive.exports import DynamoExports, DynamoRestores
    from membrane.adapters.dynamodb.archive.keyed_documents import DocumentArchive
    from membrane.adapters.dynamodb.archive.topic_restores import DynamoTopicRestores
    from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
    from membrane.adapters.dynamodb.documents.store import DynamoDocuments
    from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
    from membrane.adapters.dynamodb.indexes.names import DynamoNames
    from membrane.adapters.dynamodb.indexes.orders import DynamoDue, DynamoNatural, DynamoRanks
    from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
    from membrane.adapters.dynamodb.jobs import DynamoJobs
    from membrane.adapters.dynamodb.models import DynamoClaims, DynamoTokenBudget
    from membrane.adapters.dynamodb.records.queues import DynamoTicketQueues
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.adapters.dynamodb.records.uploads import DynamoUploads
    from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
    from membrane.adapters.dynamodb.search.vector_index import VectorIndex
    from membrane.adapters.dynamodb.search.vector_items import Encoding
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.access.principals import Principal, SourcePrincipals
    from membrane.domain.access.trust import Trust
    from membrane.domain.chat.allowances import Limits
    from membrane.domain.language.json_text import JsonObject
    from membrane.domain.learning.policy import LearningPolicy
    from membrane.domain.lifecycle.pruning import Retention
    from membrane.domain.metrics.snapshot import Snapshot
    from membrane.domain.records.stored import StoredRecord
    from membrane.domain.salience.decay_defaults import PolicyDefaults
    from membrane.domain.search.score import Weights
    from membrane.domain.topics.salience import TopicPolicy
    from membrane.table.blobs import BlobStore
    from membrane.table.index import ScopeRegistry
    from membrane.table.keys import SearchSpace
    from membrane.usecases.ports.bucket import ImportStore, Links
    from membrane.usecases.ports.keys import AccessTokens, KeyFinder, TokenVerifier
    from membrane.usecases.ports.models import ChatModel, HoldBack, Interpreter
    from membrane.usecases.ports.search import Embedder, NamedTopic, SetAside
    from membrane.usecases.ports.surroundings import (
        Clock,
        DeadLetters,
        Measure,
        Report,
        SendToInterpreter,
        SendToReasoning,
        Signer,
        StartExecution,
    )
    from membrane.wiring.settings import (
        ErasureSettings,
        InterpreterSettings,
        ModelSettings,
        SearchSettings,
        SignerSettings,
        StackSettings,
        TokenSettings,
    )


def _section(name: str) -> Any:
    """A part that is a section of the table of settings."""
    return part(
        lambda world: read_settings(name, world.environment, allows_loopback=world.allows_loopback)
    )


class World(Parts):
    """The stores, clients, functions and settings of an environment.

    A given part takes the place of the part of the name, also for the parts that are made of it. A
    part that is given to `but` serves the copy alone.
    """

    environment: Mapping[str, str] = MappingProxyType({})
    """The variables that the settings are read from."""
    allows_loopback: bool = False
    """Whether a model or an issuer on the same machine may be reached over HTTP."""

    # --- clock, chance and time -------------------------------------------------------------------

    now: "Clock" = staticmethod(chance.system_clock)
    elapsed_s: "Callable[[], float]" = staticmethod(time.monotonic)
    """Seconds of a monotonic clock."""
    pause: "Callable[[float], None]" = staticmethod(time.sleep)
    back_off: "Callable[[int], None]" = staticmethod(chance.back_off)
    """Sleep a random time before try number n + 1."""
    receipt_wait_s: float = 2.0
    """Seconds that a finished answer waits for the write of the receipt."""
    new_id: "Callable[[], str]" = staticmethod(chance.new_id)
    new_salt: "Callable[[], str]" = staticmethod(chance.new_salt)
    new_cursor_key: "Callable[[], bytes]" = staticmethod(chance.new_cursor_key)
    draw: "Callable[[int], int]" = staticmethod(chance.draw)
    """A random integer from 0 up to, and without, the argument."""

    @staticmethod
    def remaining_s() -> float:
        """Seconds until the reply of the request is due; the edge replaces the unlimited time."""
        return float("inf")

    # --- settings ---------------------------------------------------------------------------------

    stack: "StackSettings" = _section("stack")
    policy: "PolicyDefaults" = _section("policy")
    retention: "Retention" = _section("retention")
    learning_policy: "LearningPolicy" = _section("learning")
    sources: "SourcePrincipals" = _section("sources")
    search_settings: "SearchSettings" = _section("search")
    topic_policy: "TopicPolicy" = _section("topics")
    erasure_settings: "ErasureSettings" = _section("erasure")
    interpreter_settings: "InterpreterSettings" = _section("interpreter")
    chat_settings: "ModelSettings" = _section("chat")
    chat_limits: "Limits" = _section("chat_limits")
    token_settings: "TokenSettings" = _section("tokens")
    signer_settings: "SignerSettings" = _section("signers")
    table: str = attribute("stack.table")
    bucket: str = attribute("stack.bucket")
    rank_shards: int = attribute("stack.rank_shards")
    due_shards: int = attribute("stack.due_shards")
    signing_key: str = attribute("stack.signing_key")
    export_function: str = attribute("stack.export_function")
    """The name of the function that writes exports; empty where no route needs the function."""
    consolidate_function: str = attribute("stack.consolidate_function")
    """The name of the function that consolidates; empty where no change ends a thread."""
    weights: "Weights" = attribute("search_settings.weights")
    score_floor: float = attribute("search_settings.score_floor")
    """The default of `min_score`."""
    web_origins: frozenset[str] = attribute("token_settings.web_origins")
    """Origins of the web pages that may call."""
    recovery_days: int = attribute("erasure_settings.recovery_days")
    """Days for which point-in-time recovery holds earlier states of the table."""
    fence_wait_s: float = attribute("erasure_settings.fence_wait_s")
    """Seconds after which no writer is left that does not know a new fence."""
    most_tries: int = attribute("interpreter_settings.most_tries")
    """The deliveries of a capture, before the queue moves the message to the dead letters."""
    daily_tokens: int = attribute("interpreter_settings.daily_tokens")
    """The most tokens of a day (UTC) for interpretations, of questions and answers together."""

    @part
    def senders(self) -> "tuple[Principal, ...]":
        """The principals of requests that wait in queues and files."""
        return tuple(filter(None, self.sources))

    @part
    def guard(self) -> Guard:
        """The guard of the build; the rules are imported where a build has rules."""
        match self.stack.authorizer:
            case Guarding.KEY:
                return Guard()
            case Guarding.IAM:
                return Guard(Guarding.IAM, self.signer_settings.rules)
            case Guarding.JWT:
                return Guard(Guarding.JWT, self.token_settings.rules)

    # --- records ----------------------------------------------------------------------------------

    @part
    def dynamodb(self) -> "DynamoDBClient":
        return clients.table_client()

    @part
    def codec(self) -> Codec:
        shards, policy = Shards(self.rank_shards, self.due_shards), self.policy
        blobs, retracted = self.in_parts("blobs"), self.retention.retracted
        return Codec(shards, policy.custom_curves, blobs, policy.prune_threshold, retracted)

    @part
    def classes(self) -> ClassRegistry:
        implied = cache(partial(implied_classes, defaults=self.policy))
        reserved = partial(reserved_classes, defaults=self.policy)
        place = self.dynamodb, self.table
        return ClassRegistry(*place, implied, reserved, self.rank_shards, self.now)

    @part
    def require_open(self) -> "Callable[[Collection[str]], None]":
        """What refuses writes to a scope that an erasure works on."""
        return lambda scopes: self.in_parts("fences").require_open(scopes)

    records: "DynamoRecords" = store(
        "records.store.DynamoRecords", "blobs", "require_open", "now", "codec", "links", "classes"
    )
    ticket_queues: "DynamoTicketQueues" = store("records.queues.DynamoTicketQueues", "now")
    uploads: "DynamoUploads" = store("records.uploads.DynamoUploads", "blobs", "links", "now")
    fences: "DynamoFences" = store("erasure.fences.DynamoFences", "elapsed_s")
    due: "DynamoDue" = store("indexes.orders.DynamoDue", "due_shards")
    ranks: "DynamoRanks" = store("indexes.orders.DynamoRanks", "classes", "rank_shards")
    natural: "DynamoNatural" = store("indexes.orders.DynamoNatural")
    learning: "DynamoLearning" = store("indexes.learning.DynamoLearning")
    names: "DynamoNames" = store("indexes.names.DynamoNames")
    integrity: "DynamoIntegrity" = store(
        "integrity.integrity_store.DynamoIntegrity", "codec", "blobs"
    )

    @part
    def snapshots(self) -> "dict[tuple[Principal, Trust], tuple[datetime, Snapshot]]":
        """The last metrics of each principal, with the time of the count."""
        return {}

    # --- search -----------------------------------------------------------------------------------

    embedders: "Sequence[Embedder]" = made_by("models.embedders")
    """The embedders of indexed texts: the present and, during a change, the former embedder."""

    @part
    def embedder(self) -> "Embedder":
        """The embedder of questions: the present, or until a re-index is done the former one."""
        match self.embedders:
            case [present, former]:
                from membrane.usecases.search.reindex import Changeover

                return Changeover(present, former, self.catalogue.progress)
            case _:
                return self.embedders[0]

    @part
    def encodings(self) -> "Sequence[Encoding]":
        from membrane.adapters.dynamodb.search.vector_items import Encoding

        return [Encoding(each.dimensions, each.name) for each in self.embedders]

    @part
    def encoding(self) -> "Encoding":
        return self.encodings[0]

    catalogue: "DynamoCatalogue" = store("catalogue.DynamoCatalogue", "encoding", "now")

    @part
    def vectors(self) -> "VectorIndex":
        from membrane.table.keys import RECORDS

        return self._index(RECORDS)

    search: "VectorIndex" = attribute("vectors")

    @part
    def topic_vectors(self) -> "VectorIndex":
        from membrane.table.keys import TOPICS

        return self._index(TOPICS)

    topic_search: "VectorIndex" = attribute("topic_vectors")

    def _index(self, space: "SearchSpace") -> "VectorIndex":
        from membrane.adapters.dynamodb.search.vector_index import (
            Filtering,
            VectorIndex,
            route_searches,
        )
        from membrane.table.index import ScopeRegistry

        route_searches(self.dynamodb)
        settings, place = self.search_settings, (self.dynamodb, self.table)
        registry = ScopeRegistry(*place, space, self.elapsed_s)
        filtering = Filtering(self.measure, by_in=settings.filters is VectorFilters.IN)
        kept = (*place, self.encodings, settings.shards)
        return VectorIndex(*kept, registry, filtering, self.now)

    receipts: "DynamoReceipts" = store("search.answer_receipts.DynamoReceipts", "now")
    cursor_key: "Callable[[], bytes]" = store("access.CursorKey", "new_cursor_key")
    """The key that seals cursors; equal in all execution environments."""

    # --- topics and documents ---------------------------------------------------------------------

    topics: "DynamoTopics" = store(
        *("topics.topic_store.DynamoTopics", "blobs", "require_open", "now", "retention"),
        "elapsed_s",
    )

    def topics_of_entities(
        self, entities: "Sequence[StoredRecord]", trust: "Trust"
    ) -> "Sequence[NamedTopic]":
        """The visible topics that refer to the entities."""
        from membrane.usecases.topics.neighbourhood import topics_of_entities

        return topics_of_entities(entities, trust, self)

    documents: "DynamoDocuments" = store(
        "documents.store.DynamoDocuments", "blobs", "require_open", "now", "retention"
    )

    # --- bucket, queues, other functions, operators -----------------------------------------------

    s3_client: "Callable[[], S3Client]" = staticmethod(clients.s3_client)
    kms_client: "Callable[[], KMSClient]" = staticmethod(clients.kms_client)
    blobs: "BlobStore" = adapter("bucket.S3Blobs", "s3_client", "bucket")
    imports: "ImportStore" = adapter("bucket.S3Imports", "s3_client", "bucket")
    links: "Links" = adapter("bucket.S3Links", "s3_client", "bucket")
    signer: "Signer" = adapter("kms.KmsSigner", "kms_client", "signing_key")

    @part
    def report(self) -> "Report":
        return telemetry.reporter(self.now, telemetry.namespace_of(self.stack.stack))

    @part
    def measure(self) -> "Measure":
        return telemetry.meter(self.now, telemetry.namespace_of(self.stack.stack))

    @staticmethod
    def invoke_later(name_or_arn: str, event: "JsonObject") -> None:
        """Start a function by name or ARN with an event; raises Unavailable."""
        from membrane.adapters.messaging import invoke

        invoke(clients.lambda_client(), name_or_arn, event)

    @staticmethod
    def send(queue: str, body: str, delay_s: int) -> None:
        """Send a message to a queue after 0 to 900 seconds; raises Unavailable."""
        from membrane.adapters.messaging import send_message

        send_message(clients.sqs_client, queue, body, delay_s)

    @part
    def send_to_interpreter(self) -> "SendToInterpreter | None":
        """None = no model interprets captures."""
        if not self.stack.interpreter_queue:
            return None
        from membrane.adapters.messaging import send_capture

        return partial(send_capture, self.send, self.stack.interpreter_queue)

    @part
    def hold_back(self) -> "HoldBack":
        from membrane.adapters.messaging import hide_message

        return partial(hide_message, clients.sqs_client, self.stack.interpreter_queue)

    @part
    def send_to_reasoning(self) -> "SendToReasoning":
        from membrane.adapters.messaging import send_json

        return partial(send_json, self.send, self.stack.topic_queue)

    @part
    def set_aside(self) -> "SetAside":
        from membrane.adapters.messaging import set_aside

        return partial(set_aside, self.send, self.stack.index_queue)

    @part
    def dead_letters(self) -> "DeadLetters":
        from membrane.adapters.messaging import SqsDeadLetters

        return SqsDeadLetters(clients.sqs_client, self.erasure_settings.dead_letters)

    @part
    def start_erasing(self) -> "Callable[[str], None]":
        """Start the job of an erasure in a function of its own; do not wait for the end."""
        from membrane.adapters.aws_lambda.events.jobs import ERASE

        def start_erasing(erasure_id: str) -> None:
            self.invoke_later(self.erasure_settings.function, {ERASE: {"id": erasure_id}})

        return start_erasing

    @part
    def start_execution(self) -> "StartExecution":
        from membrane.adapters.messaging import start_execution

        machine_arn = self.stack.study_machine
        return lambda name, sent: start_execution(clients.states_client(), machine_arn, name, sent)

    # --- callers and models -----------------------------------------------------------------------

    keys: "DynamoKeys" = store("access.DynamoKeys")
    recent_writes: "DynamoRecentWrites" = store("access.DynamoRecentWrites", "now")

    @part
    def kept_keys(self) -> "KeyFinder":
        from membrane.usecases.access.api_keys import KeptKeys

        return KeptKeys(self.in_parts("keys"), self.now)

    @part
    def access_tokens(self) -> "AccessTokens | None":
        """None = only API keys authenticate."""
        settings = self.token_settings
        if not settings.issuer:
            return None
        from membrane.usecases.ports.keys import AccessTokens

        return AccessTokens(settings.issuer, settings.rules, self.in_parts("token_verifier"))

    token_verifier: "TokenVerifier" = made_by("models.token_verifier")
    interpreter: "Interpreter | None" = made_by("models.interpreter")
    """None = no model interprets."""
    chat_model: "ChatModel | None" = made_by("models.chat_model")
    """None = the operator has chosen no model."""

    @staticmethod
    def count_tokens(text: str) -> int:
        """The tokens of a text, for the catalog of a document's units."""
        from membrane.adapters.sentence_encoder import count_tokens

        return count_tokens(text)

    chat_purse: str = "chat-tokens"
    """The partition of the sums of tokens of conversations."""
    token_budget: "DynamoTokenBudget" = store("models.DynamoTokenBudget", "now")
    chat_budget: "DynamoTokenBudget" = store("models.DynamoTokenBudget", "now", "chat_purse")
    claims: "DynamoClaims" = store("models.DynamoClaims", "now")

    # --- jobs -------------------------------------------------------------------------------------

    exports: "DynamoExports" = store("archive.exports.DynamoExports", "now")

    @part
    def scopes(self) -> "ScopeRegistry":
        from membrane.table.index import ScopeRegistry

        return ScopeRegistry(*map(self.in_parts, ("dynamodb", "table")))

    restores: "DynamoRestores" = store(
        *("archive.exports.DynamoRestores", "blobs", "require_open", "now", "codec", "links"),
        *("classes", "scopes"),
    )
    topic_restores: "DynamoTopicRestores" = store(
        *(
            "archive.topic_restores.DynamoTopicRestores",
            "blobs",
            "require_open",
            "now",
            "retention",
        ),
        "elapsed_s",
    )
    document_archive: "DocumentArchive" = store(
        "archive.keyed_documents.DocumentArchive", "blobs", "require_open", "now", "retention"
    )
    jobs: "DynamoJobs" = store("jobs.DynamoJobs", "now")
    erasures: "DynamoErasures" = store("erasure.erasure_store.DynamoErasures", "blobs", "now")
