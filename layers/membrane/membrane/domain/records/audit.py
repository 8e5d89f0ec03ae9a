"""The audit trail of a record: a hash chain, in which a changed or missing entry is detected.

    hash = SHA-256(canonical JSON of [record id, previous hash, action, timestamp,
                                      principal, text_hash,
                                      both saliences, if the entry has them])

The free text is actor and rationale. An entry whose text was erased keeps `text_hash` and loses
text and salt. `membrane.domain.language.digests` explains the chain.
"""

from collections.abc import Iterable, Sequence

from membrane.domain.language import digests
from membrane.domain.language.digests import FIRST, hash_of, last_hash, text_hash_of
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.records import AuditEntry


def entry_after(
    previous: Sequence[AuditEntry],
    *,
    record_id: str,
    action: AuditAction,
    actor: str,
    rationale: str,
    principal: str,
    timestamp: str,
    salt: str,
    saliences: tuple[float, float] | None = None,
) -> AuditEntry:
    """The entry after `previous`.

    `salt` is fresh random hex; `saliences` are the values before and after the change.
    """
    previous_hash = last_hash(previous)
    text_hash = text_hash_of(salt, actor, rationale)
    before, after = saliences or (None, None)
    return AuditEntry(
        action=action,
        actor=actor,
        timestamp=timestamp,
        rationale=rationale,
        principal=principal,
        previous_hash=previous_hash,
        hash=hash_of(
            record_id, previous_hash, action, timestamp, principal, text_hash, *(saliences or ())
        ),
        salt=salt,
        salience_before=before,
        salience_after=after,
    )


def without_text(entry: AuditEntry) -> AuditEntry:
    """The entry with the hash of the free text in place of the text; the chain still holds."""
    if is_erased(entry):
        return entry
    return entry.model_copy(
        update={
            "actor": "",
            "rationale": "",
            "salt": "",
            "text_hash": text_hash_of(entry.salt, entry.actor, entry.rationale),
        }
    )


def is_erased(entry: AuditEntry) -> bool:
    return bool(entry.text_hash) and not (entry.actor or entry.rationale or entry.salt)


def first_broken(
    record_id: str,
    trail: Iterable[AuditEntry],
    written: int | None = None,
    *,
    follows: str = FIRST,
) -> int | None:
    """See `digests.first_broken`."""
    return digests.first_broken(
        trail, lambda entry: _expected_hash(record_id, entry), written=written, follows=follows
    )


def _expected_hash(record_id: str, entry: AuditEntry) -> str | None:
    """The hash computed from the parts of an entry; None if the parts contradict each other.

    Contradictions: a text that does not match its hash, or only one of the two saliences.
    """
    erased = is_erased(entry)
    text_hash = text_hash_of(entry.salt, entry.actor, entry.rationale)
    if entry.text_hash and not erased and entry.text_hash != text_hash:
        return None
    saliences = (entry.salience_before, entry.salience_after)
    if saliences.count(None) == 1:
        return None
    return hash_of(
        record_id,
        entry.previous_hash,
        entry.action,
        entry.timestamp,
        entry.principal,
        entry.text_hash if erased else text_hash,
        *(salience for salience in saliences if salience is not None),
    )
