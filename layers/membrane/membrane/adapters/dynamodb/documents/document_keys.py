"""The keys of documents.

documents#<scope>      <ordered place>       the head: the document
document#<place id>    history#<version>     former versions, from the version on
                       items#<position>      items of the list, from the position on
                       once#<identity>       what a keyed write did
                       values                where the head is, once a value is in the bucket
document-operation#<identity>  <digest>      the receipt of a write

Attributes; a head has no `scope`, as an erasure finds a head by the partition:

all         expires_at  when TTL removes the item     scope  of the document; absent for unscoped
head        p  namespace and key, of a cut sort key   v  the newest versions
            h  hash of the newest version
            s  sensitivity                            c  created_at
            r  the instant of the last refresh        t  period until the document expires
            l  half-life                              d  the instant a deleted document goes
            a  first version of the history           i  paths of the searchable texts
            x  passages                               e  embedder of the passages
history#    v  versions                               h  hash of the newest of them
            k  values, marker or sealed
items#      d  items                                  n  positions that the chunk holds
            a  time of the append                     u  who appended
            g  created_at of the document             r  revision
            x  the exact instant behind expires_at    z  marks a floor
            s  positions taken off before the items
once#       f  fingerprint of the write               n  version made, or position appended
            b  whether there was a document before    o  items taken off
            x  the exact instant behind expires_at
values      p  namespace and key                      r  the instant of the newest large write
receipt     p  namespace and key                      f  fingerprint of the write
"""

from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import compact_json
from membrane.table.items import CorruptItem, Item, Value, parse_text, read_text, text
from membrane.table.keys import (
    DOCUMENT,
    DOCUMENT_OPERATION,
    DOCUMENTS,
    HISTORY,
    primary_key,
    scope_at,
    scope_place,
)

LIST = "items#"
ONCE = "once#"
VALUES = "values"

EXPIRES = "expires_at"
SCOPE = "scope"
NAMES = "p"

VERSIONS = "v"
HASH = "h"
"""32 bytes: the condition of every write of a head or history."""
SENSITIVITY = "s"
CREATED = "c"
REFRESHED = "r"
PERIOD = "t"
HALF_LIFE = "l"
REMOVED = "d"
SHOWN_FROM = "a"
INDEX = "i"
PASSAGES = "x"
EMBEDDER = "e"

KIND = "k"

ITEMS = "d"
TAKEN = "n"
APPENDED = "a"
AUTHOR = "u"
GENERATION = "g"
REVISION = "r"
ENDS = "x"
FLOOR = "z"
SKIPPED = "s"

TOUCHED = "r"

FINGERPRINT = "f"
NUMBER = "n"
EXISTED = "b"
TAKEN_OFF = "o"

MAX_NUMBER = 10**10 - 1
"""The largest version or position of a sort key."""

_END = "/"


def documents_partition(scope: str) -> str:
    return f"{DOCUMENTS}{scope_place(scope)}"


def head_key(place: Place) -> dict[str, Value]:
    return primary_key(documents_partition(place.scope), place.sort_text)


def beside(place_id: str) -> str:
    """The partition of history, list and values of a document."""
    return f"{DOCUMENT}{place_id}"


def history_key(place: Place, version: int) -> dict[str, Value]:
    return primary_key(beside(place.id), f"{HISTORY}{version:010d}")


def chunk_key(place: Place, start: int) -> dict[str, Value]:
    return primary_key(beside(place.id), f"{LIST}{start:010d}")


def once_key(place: Place, identity: bytes) -> dict[str, Value]:
    return primary_key(beside(place.id), f"{ONCE}{identity.hex()}")


def values_key(place_id: str) -> dict[str, Value]:
    return primary_key(beside(place_id), VALUES)


def owner_at(key: Item) -> str | None:
    """The owner of a document's objects in the bucket, for the key of the item at `values_key`.

    None for any other key.
    """
    place_id = read_text(key, "pk").removeprefix(DOCUMENT)
    return owner_of_values(place_id) if key == values_key(place_id) else None


def operation_key(identity: str, operation_id: str) -> dict[str, Value]:
    return primary_key(f"{DOCUMENT_OPERATION}{identity}", digest(operation_id).hex())


def scope_attribute(scope: str) -> dict[str, Value]:
    """The attribute by which an erasure finds an item beside a document; none for unscoped."""
    return {SCOPE: text(scope)} if scope else {}


def names_attribute(place: Place) -> dict[str, Value]:
    return {NAMES: text(compact_json([place.namespace, place.key]))}


def head_names(place: Place) -> dict[str, Value]:
    """The attribute with namespace and key, for a head whose sort key does not tell both."""
    ordered = place.sort_text
    is_whole = _names_in(ordered) == (place.namespace, place.key)
    return {} if is_whole else names_attribute(place)


def place_of_head(item: Item) -> Place:
    """The place of a head; raises CorruptItem."""
    scope = scope_at(read_text(item, "pk").removeprefix(DOCUMENTS))
    if NAMES in item:
        return named_place(item, scope)
    namespace, key = _names_in(read_text(item, "sk"))
    place = Place(scope, namespace, key)
    if place.sort_text != read_text(item, "sk"):
        raise CorruptItem(item, "the sort key is no place")
    return place


def named_place(item: Item, scope: str) -> Place:
    """The place in an attribute; raises CorruptItem."""
    match parse_text(item, NAMES, read_text(item, NAMES), list):
        case [[*labels], str(key)] if all(isinstance(label, str) for label in labels):
            return Place(scope, tuple(labels), key)
        case _:
            raise CorruptItem(item, f"{NAMES} is no place")


def _names_in(ordered: str) -> tuple[tuple[str, ...], str]:
    """Namespace and key of an ordered place that is not cut."""
    labels, _, key = ordered.rpartition(_END)
    return tuple(_plain(label) for label in labels.split(_END)[:-1]), _plain(key)


def _plain(escaped: str) -> str:
    return escaped.replace("%2F", _END).replace("%25", "%")
