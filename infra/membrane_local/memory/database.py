"""The calls of DynamoDB over tables in memory, each of them whole or not at all."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import ClassVar

from membrane_local.account import ACCOUNT, REGION
from membrane_local.memory import reads
from membrane_local.memory.attributes import Refused, invalid
from membrane_local.memory.files import TableFile
from membrane_local.memory.reads import Reply, Request
from membrane_local.memory.streams import MAX_RECORDS, Stream
from membrane_local.memory.tables import Table
from membrane_local.memory.writes import Tokens, batch_write_item, transact_write_items, write_alone


@dataclass(slots=True)
class Database:
    now_s: Callable[[], float] = time.time
    """The clock of streams and of tokens, in epoch seconds."""
    tables: dict[str, Table] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    lock: RLock = field(default_factory=RLock)
    file: TableFile | None = None
    failure: str = ""

    @classmethod
    def of_file(cls, file: TableFile) -> "Database":
        """The tables of a file, which keeps the tables from now on."""
        tables = [Table.kept_in(file, *each) for each in file.tables()]
        return cls(tables={each.name: each for each in tables}, file=file)

    def answer(self, operation: str, request: Request) -> Reply:
        call = self._CALLS.get(operation)
        if call is None:
            raise Refused("UnknownOperationException", f"{operation} is not known here")
        with self._whole():
            return call(self, request)

    def trim(self, table: str, before: int) -> int:
        """Forget the changes in a table's stream below a number; gives how many are left."""
        with self._whole():
            stream = self._table(table).stream
            if stream is None:
                return 0
            if self.file is not None:
                self.file.trim(table, before)
            stream.trim(before)
            return len(stream.changes)

    def has_erasure(self) -> bool:
        return self.file is not None and self.file.has_erasure()

    def note_erasure(self) -> None:
        """Note in the file: erased content may be inside from now on."""
        with self._whole():
            if self.file is not None:
                self.file.note_erasure(is_pending=True)

    def forget_erasures(self) -> bool:
        """Empty the log of the file; False while another program reads the file."""
        with self._whole():
            if self.file is None:
                return True
            is_empty = self.file.empty_log()
            if is_empty:
                self.file.note_erasure(is_pending=False)
            return is_empty

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Keep further callers out, and keep the writes in the file.

        Raises Refused for a file that cannot be written, from then on for every call: the tables in
        memory are ahead of the file.
        """
        with self.lock:
            if self.failure:
                raise Refused("InternalServerError", self.failure)
            try:
                yield
                if self.file is not None:
                    self.file.commit()
            except sqlite3.Error as error:
                self.failure = f"the store's file cannot be written: {error}"
                raise Refused("InternalServerError", self.failure) from error

    # --- tables ---

    def _create_table(self, request: Request) -> Reply:
        name = request["TableName"]
        if name in self.tables:
            raise Refused("ResourceInUseException", f"Table already exists: {name}")
        for index in request.get("VectorIndexes") or ():
            if index["DistanceFunction"] != "COSINE":
                raise invalid("A table in memory is searched by COSINE alone")
        arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"
        table = Table(dict(request), arn, self.now_s())
        self.tables[name] = table
        return self._with_stream(table, request)

    def _update_table(self, request: Request) -> Reply:
        return self._with_stream(self._table(request["TableName"]), request)

    def _delete_table(self, request: Request) -> Reply:
        table = self._table(request["TableName"])
        del self.tables[request["TableName"]]
        if self.file is not None:
            self.file.drop_table(table.name)
        return {"TableDescription": self._description(table)}

    def _update_time_to_live(self, request: Request) -> Reply:
        table, wanted = self._table(request["TableName"]), request["TimeToLiveSpecification"]
        table.time_to_live = wanted["AttributeName"] if wanted["Enabled"] else None
        self._keep(table)
        return {"TimeToLiveSpecification": wanted}

    def _describe_time_to_live(self, request: Request) -> Reply:
        name = self._table(request["TableName"]).time_to_live
        enabled = {"TimeToLiveStatus": "ENABLED", "AttributeName": name}
        return {"TimeToLiveDescription": enabled if name else {"TimeToLiveStatus": "DISABLED"}}

    def _with_stream(self, table: Table, request: Request) -> Reply:
        """The table's description, with the stream begun or ended as asked."""
        match request.get("StreamSpecification"):
            case {"StreamEnabled": True} if table.stream is not None:
                raise Refused("ResourceInUseException", "Table already has an enabled stream")
            case {"StreamEnabled": True, "StreamViewType": view}:
                table.stream = Stream(f"{table.arn}/stream/{self.now_s()}", view)
            case {"StreamEnabled": False}:
                if self.file is not None and table.stream is not None:
                    self.file.trim(table.name, table.stream.last_number + 1)
                table.stream = None
            case _:
                pass
        self._keep(table)
        return {"TableDescription": self._description(table)}

    def _keep(self, table: Table) -> None:
        table.file = self.file
        if self.file is not None:
            self.file.keep_table(table.name, table.describe())

    def _description(self, table: Table) -> Reply:
        parts = ("TableName", "AttributeDefinitions", "KeySchema")
        found: Reply = {
            **{part: table.definition[part] for part in parts},
            "TableArn": table.arn,
            "TableStatus": "ACTIVE",
            "CreationDateTime": table.created_s,
            "ItemCount": len(table.items),
            "TableSizeBytes": sum(each.size for each in table.items.values()),
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        }
        for kind in ("GlobalSecondaryIndexes", "VectorIndexes"):
            if table.definition.get(kind):
                found[kind] = [{**each, "IndexStatus": "ACTIVE"} for each in table.definition[kind]]
        if table.stream is not None:
            found |= {
                "StreamSpecification": {"StreamEnabled": True, "StreamViewType": table.stream.view},
                "LatestStreamArn": table.stream.arn,
            }
        return found

    def _table(self, name: str) -> Table:
        found = self.tables.get(name.rpartition("/")[2])
        if found is None:
            raise Refused("ResourceNotFoundException", "Requested resource not found")
        return found

    # --- streams ---

    def _describe_stream(self, request: Request) -> Reply:
        table, stream = self._stream(request["StreamArn"])
        return {"StreamDescription": stream.describe(table.name, table.definition["KeySchema"])}

    def _get_records(self, request: Request) -> Reply:
        arn, _, number = request["ShardIterator"].rpartition("|")
        _, stream = self._stream(arn)
        records, following = stream.read(int(number), request.get("Limit", MAX_RECORDS))
        return {"Records": records, "NextShardIterator": following}

    def _stream(self, arn: str) -> tuple[Table, Stream]:
        for table in self.tables.values():
            if table.stream is not None and table.stream.arn == arn:
                return table, table.stream
        raise Refused("ResourceNotFoundException", f"Requested resource not found: Stream: {arn}")

    # --- calls by operation ---

    _CALLS: ClassVar[Mapping[str, Callable[["Database", Request], Reply]]] = {
        "CreateTable": _create_table,
        "DescribeTable": lambda self, asked: {
            "Table": self._description(self._table(asked["TableName"]))
        },
        "UpdateTable": _update_table,
        "DeleteTable": _delete_table,
        "ListTables": lambda self, _: {"TableNames": sorted(self.tables)},
        "UpdateTimeToLive": _update_time_to_live,
        "DescribeTimeToLive": _describe_time_to_live,
        "GetItem": lambda self, request: reads.get_item(request, self._table),
        "BatchGetItem": lambda self, request: reads.batch_get_item(request, self._table),
        "Query": lambda self, request: reads.query(request, self._table),
        "Scan": lambda self, request: reads.scan(request, self._table),
        "SearchVectors": lambda self, request: reads.search_vectors(request, self._table),
        "PutItem": lambda self, asked: write_alone("Put", asked, self._table, self.now_s()),
        "UpdateItem": lambda self, asked: write_alone("Update", asked, self._table, self.now_s()),
        "DeleteItem": lambda self, asked: write_alone("Delete", asked, self._table, self.now_s()),
        "BatchWriteItem": lambda self, asked: batch_write_item(asked, self._table, self.now_s()),
        "TransactWriteItems": lambda self, request: transact_write_items(
            request, self._table, self.tokens, self.now_s()
        ),
        "DescribeStream": _describe_stream,
        "GetShardIterator": lambda self, asked: {
            "ShardIterator": self._stream(asked["StreamArn"])[1].iterator(asked)
        },
        "GetRecords": _get_records,
    }
