"""Uploads, an item of the table each; TTL and the bucket's lifecycle end unclaimed uploads."""

from collections.abc import Mapping
from dataclasses import dataclass

from membrane.domain.language.errors import DomainError
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.sizes import Upload, require_claimable
from membrane.table import items
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable
from membrane.usecases.ports.bucket import Link, Links
from membrane.usecases.ports.surroundings import Clock


class _Existing(Exception):
    def __init__(self, item: items.Item) -> None:
        super().__init__()
        self.item = item


@dataclass(frozen=True, slots=True)
class DynamoUploads(OverTable):
    """Uploads over one table and bucket. May raise ResourceExhausted or Unavailable."""

    blobs: BlobStore
    links: Links
    now: Clock

    def open(self, upload: Upload) -> Upload | None:
        """Store an upload; if the id is taken, change nothing and return the earlier upload."""
        condition = "attribute_not_exists(pk) OR expires_at <= :now"
        now = items.number(int(epoch_seconds(self.now())))
        write = items.Write("Put", _Existing, condition, item=_item(upload), values={":now": now})
        try:
            self.commit_all(write)
        except _Existing as existing:
            return _upload(existing.item)
        return None

    def find(self, upload_id: str) -> Upload | None:
        """The upload, read consistently."""
        found = self.item_at(table_keys.upload_key(upload_id))
        return None if found is None else _upload(found)

    def link(self, upload: Upload) -> Link:
        """The link under which the client puts the content. Signed locally, without a request."""
        name = table_keys.upload_name(upload.id, upload.expires_at_s)
        return self.links.upload(name, upload.size, upload.sha256)

    def content(self, upload: Upload) -> bytes | None:
        """The uploaded content; None before the client has put any."""
        return self.blobs.get(table_keys.upload_name(upload.id, upload.expires_at_s))


def claim(upload: Upload, record_id: str, now_s: float) -> items.Write:
    """Mark the upload as claimed by the record; a repeat changes nothing."""

    def refusal(existing: items.Item) -> Exception:
        try:
            found = _upload(existing) if existing else None
            require_claimable(found, upload.opened_by, record_id, now_s)
        except DomainError as error:
            return error
        return items.LostRace()

    return items.Write(
        "Update",
        refusal,
        "opened_by = :principal AND expires_at > :now"
        " AND (attribute_not_exists(claimed_by) OR claimed_by = :record)",
        key=table_keys.upload_key(upload.id),
        update="SET claimed_by = :record",
        values={
            ":principal": items.text(upload.opened_by),
            ":now": items.number(int(now_s)),
            ":record": items.text(record_id),
        },
    )


def _item(upload: Upload) -> Mapping[str, items.Value]:
    item = table_keys.upload_key(upload.id) | {
        "size": items.number(upload.size),
        "sha256": items.text(upload.sha256),
        "opened_by": items.text(upload.opened_by),
        "expires_at": items.number(upload.expires_at_s),
    }
    if upload.scope:
        item["scope"] = items.text(upload.scope)
    return item | {"fingerprint": items.binary(upload.fingerprint)} if upload.fingerprint else item


def _upload(item: items.Item) -> Upload:
    return Upload(
        id=items.read_text(item, "pk").removeprefix(table_keys.UPLOAD),
        size=items.read_integer(item, "size"),
        sha256=items.read_text(item, "sha256"),
        opened_by=items.read_text(item, "opened_by"),
        expires_at_s=items.read_integer(item, "expires_at"),
        fingerprint=items.read_binary(item, "fingerprint") if "fingerprint" in item else b"",
        scope=items.read_text(item, "scope") if "scope" in item else "",
        claimed_by=items.read_text(item, "claimed_by") if "claimed_by" in item else "",
    )
