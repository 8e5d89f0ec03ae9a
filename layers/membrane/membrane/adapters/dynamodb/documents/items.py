"""The items of documents: keys, heads and former versions.

documents#<scope>      <ordered place>       the head: the document
documents#=erased:<id> <place id>            the head that an erasure has left of a document
document#<place id>    versions#<position>   former versions; version 1 has position 0
                       items#<position>      items of the list, from the position on
                       once#<identity>       what a keyed write did
                       values                where the head is, once a value is in the bucket, or
                                             once an erasure has found the document
                       ending#<birth>        an end that a put has moved forward: see `lists`
document-operation#<identity>  <digest>      the receipt of a write

Attributes; a head has no `scope`, as an erasure finds a head by the partition:

all         expires_at  when TTL removes the item     scope  of the document; absent for unscoped
head        p  namespace and key, of a cut sort key   v  the newest versions
            w  counts the writes of the head          b  birth: the instant of version 1
            n  how many versions lie beside           s  sensitivity
            c  created_at                             r  the instant of the last refresh
            t  period until the document expires      l  half-life
            d  the instant a deleted document goes    a  first version of the history
            i  paths of the searchable texts          x  passages
            e  embedder of the passages
versions#   v  versions                               b  birth of the document
items#      d  items                                  n  positions that the chunk holds
            a  time of the append                     u  who appended
            g  created_at of the document             r  revision
            x  the exact instant behind expires_at    z  marks a floor
            s  positions taken off before the items
once#       f  fingerprint of the write               n  version made, or position appended
            b  whether there was a document before    o  items taken off
            x  the exact instant behind expires_at
values      p  namespace and key                      r  the instant of the newest large write
versions#, items#, once#  restored  the birth of the document, if a restore has written the item
receipt     p  namespace and key                      f  fingerprint of the write
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from membrane.domain.documents import model
from membrane.domain.documents.places import Place, life_of, owner_of_values
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.table import items, keys
from membrane.table.blobs import Packing, text_in
from membrane.table.entity import Log

VERSIONS, LIST, VALUES = "versions#", "items#", "values"

MAX_ITEM_BYTES = 400 * 1024
"""The limit of DynamoDB: a text of a document is never a blob; only a whole value may be one."""

MAX_NUMBER = 10**10 - 1
"""The largest position of a sort key."""


def documents_partition(scope: str) -> str:
    return f"{keys.DOCUMENTS}{keys.scope_place(scope)}"


def head_key(place: Place) -> dict[str, items.Value]:
    return keys.primary_key(documents_partition(place.scope), place.sort_text)


def beside(place_id: str) -> str:
    """The partition of what lies beside the head of a document."""
    return f"{keys.DOCUMENT}{place_id}"


def place_key(place_id: str, prefix: str, position: int) -> dict[str, items.Value]:
    """The key of former versions or of a chunk."""
    return keys.primary_key(beside(place_id), f"{prefix}{position:010d}")


def values_key(place_id: str) -> dict[str, items.Value]:
    return keys.primary_key(beside(place_id), VALUES)


def expiry(instant_s: float | None) -> dict[str, items.Value]:
    """The attribute of TTL, which removes the item after the whole second."""
    return {} if instant_s is None else {"expires_at": items.number(ceil(instant_s))}


def scope_attribute(place: Place) -> dict[str, items.Value]:
    """The attribute by which an erasure finds an item beside a document; none for unscoped."""
    return {"scope": items.text(place.scope)} if place.scope else {}


def with_text(item: Mapping[str, items.Value], name: str, content: str) -> dict[str, items.Value]:
    """The item with a text as attribute, compressed if compression saves a write unit."""
    packing = Packing("", dict(item), MAX_ITEM_BYTES)
    packing.add({name: content})
    return packing.item


# --- heads ----------------------------------------------------------------------------------------


def head_of(document: model.Document) -> dict[str, items.Value]:
    """The item of the next state of a document, without the versions."""
    return {
        **head_key(document.place),
        "w": items.number(document.writes + 1),
        "b": items.number(document.born_s),
        "s": items.text(document.sensitivity),
        "c": items.text(document.created_at),
        "r": items.number(document.refreshed_at_s),
        **_optional(document),
        **expiry(document.expires_at_s),
        **FORMER.counts(document.count_beside, 0),
    }


def document_in(item: items.Item) -> model.Document:
    """Raises CorruptItem for a damaged head."""
    place = _place_of_head(item)
    return model.Document(
        place,
        versions_in(item, place.id),
        items.read_word(item, "s", Sensitivity),
        items.read_text(item, "c"),
        shown_from=items.read_integer(item, "a") if "a" in item else 1,
        ttl_s=_number_or_none(item, "t"),
        half_life_s=_number_or_none(item, "l"),
        refreshed_at_s=items.read_number(item, "r"),
        removed_at_s=_number_or_none(item, "d"),
        index=tuple(items.parse_text(item, "i", items.read_text(item, "i"), list))
        if "i" in item
        else (),
        passages=tuple(_passages_in(item)) if "x" in item else (),
        embedder=items.read_text(item, "e") if "e" in item else "",
        born_s=items.read_number(item, "b"),
        writes=items.read_integer(item, "w"),
    )


def _optional(document: model.Document) -> dict[str, items.Value]:
    place = document.place
    periods = {"t": document.ttl_s, "l": document.half_life_s, "d": document.removed_at_s}
    item = {name: items.number(period) for name, period in periods.items() if period is not None}
    if not place.erased_id and _names_in(place.sort_text) != (place.namespace, place.key):
        item |= names_attribute(place)
    if document.shown_from > 1:
        item["a"] = items.number(document.shown_from)
    if document.index:
        item["i"] = items.text(compact_json(document.index))
    if document.embedder:
        item["e"] = items.text(document.embedder)
    if document.passages:
        item["x"] = {
            "M": {str(at): items.binary(each) for at, each in enumerate(document.passages)}
        }
    return item


def _number_or_none(item: items.Item, name: str) -> float | None:
    return items.read_number(item, name) if name in item else None


def _passages_in(item: items.Item) -> Iterator[bytes]:
    match item["x"]:
        case {"M": dict(packed)} if packed.keys() == {str(at) for at in range(len(packed))}:
            for at in range(len(packed)):
                yield items.read_binary({**item, **packed}, str(at))
        case _:
            raise items.CorruptItem(item, "x is not a map of positions")


def names_attribute(place: Place) -> dict[str, items.Value]:
    return {"p": items.text(compact_json([place.namespace, place.key]))}


def values_item(place: Place, touched_s: float) -> dict[str, items.Value]:
    """The item with the place; `touched_s`: the instant of the newest write of a large value."""
    return {
        **values_key(place.id),
        **scope_attribute(place),
        **names_attribute(place),
        "r": items.number(touched_s),
    }


def named_place(item: items.Item, scope: str | None = None) -> Place:
    """The place in an attribute, in the item's own scope unless given; raises CorruptItem."""
    if scope is None:
        scope = items.read_text(item, "scope") if "scope" in item else ""
    match items.parse_text(item, "p", items.read_text(item, "p"), list):
        case [[*labels], str(key)] if all(isinstance(label, str) for label in labels):
            return Place(scope, tuple(labels), key)
        case _:
            raise items.CorruptItem(item, "p is no place")


def _place_of_head(item: items.Item) -> Place:
    scope = keys.scope_at(items.read_text(item, "pk").removeprefix(keys.DOCUMENTS))
    if "p" in item:
        return named_place(item, scope)
    ordered = items.read_text(item, "sk")
    if "/" not in ordered:
        return Place(scope, (), "", erased_id=ordered)
    place = Place(scope, *_names_in(ordered))
    if place.sort_text != ordered:
        raise items.CorruptItem(item, "the sort key is no place")
    return place


def _names_in(ordered: str) -> tuple[tuple[str, ...], str]:
    """Namespace and key of an ordered place that is not cut."""
    labels, _, key = ordered.rpartition("/")
    return tuple(_plain(label) for label in labels.split("/")[:-1]), _plain(key)


def _plain(escaped: str) -> str:
    return escaped.replace("%2F", "/").replace("%25", "%")


# --- versions -------------------------------------------------------------------------------------


def versions_item(
    place: Place, born: items.Value, versions: Sequence[model.Version], until_s: float | None
) -> dict[str, items.Value]:
    """The item of former versions that lie beside a head."""
    item = {
        **place_key(place.id, VERSIONS, versions[0].entry.version - 1),
        **scope_attribute(place),
        "b": born,
        **expiry(until_s),
    }
    return with_text(item, "v", versions_text(versions))


_LETTERS = {
    model.DocumentAction.PUT: "p",
    model.DocumentAction.DELETE: "d",
    model.DocumentAction.ERASE: "e",
}
_ACTIONS = {letter: action for action, letter in _LETTERS.items()}


def versions_text(versions: Sequence[model.Version]) -> str:
    """A line of JSON with the entries, then the values' texts without a separator.

    A value's JSON text is in no JSON string, which would escape every quotation mark. `versions`
    are consecutive, oldest first.
    """
    previous, entries = "", []
    for entry, value in versions:
        before = None if entry.previous_hash == previous else _short(entry.previous_hash)
        hashes = before, _short(entry.hash), _short(entry.text_hash), _short(entry.salt)
        act = _LETTERS[entry.action], entry.at, entry.principal
        entries.append([entry.version, *act, *hashes, entry.rationale, _value_json(value)])
        previous = entry.hash
    texts = [value for _, value in versions if isinstance(value, str)]
    return "".join((compact_json(entries), "\n", *texts))


def versions_in(item: items.Item, place_id: str) -> model.Versions:
    """The versions of a head or of an item beside, at least one; raises CorruptItem."""
    return tuple(_versions_of(item, place_id, text_in(item, "v")))


def _versions_beside(item: items.Item, _name: str, content: str) -> list[model.Version]:
    return _versions_of(item, items.read_text(item, "pk").removeprefix(keys.DOCUMENT), content)


def _versions_of(item: items.Item, place_id: str, content: str) -> list[model.Version]:
    """The inverse of `versions_text`."""
    header, _, texts = content.partition("\n")
    versions: list[model.Version] = []
    at, previous = 0, ""
    try:
        for each in items.parse_text(item, "v", header, list):
            version, letter, instant, principal, before, own, text_hash, salt, why, value = each
            value_text: model.Text = None
            match value:
                case int():
                    value_text, at = texts[at : at + value], at + value
                case None:
                    pass
                case _:
                    sha256, size, *life = value
                    owner = owner_of_values(place_id, *life)
                    value_text = LargeValue(owner, _hex(sha256), int(size))
            previous = previous if before is None else _hex(before)
            act = int(version), _ACTIONS[letter], instant, principal
            entry = model.Entry(*act, previous, _hex(own), _hex(text_hash), _hex(salt), why)
            versions.append(model.Version(entry, value_text))
            previous = entry.hash
    except (TypeError, ValueError, KeyError) as error:
        raise items.CorruptItem(item, "v has an entry of an unknown form") from error
    if not versions or at != len(texts):
        raise items.CorruptItem(item, "the texts of v do not fit the entries")
    return versions


FORMER = Log(
    "versions",
    "v",
    versions_text,
    _versions_beside,
    tail="v",
    spilled="n",
    born="b",
)
"""The versions of a document; version 1 has the position 0."""


def _value_json(value: model.Text) -> Any:
    match value:
        case None:
            return None
        case LargeValue():
            life = life_of(value.record_id)
            return [_short(value.sha256), value.size, *([] if life == 1 else [life])]
        case _:
            return len(value)


def _short(hexadecimal: str) -> str:
    """Hexadecimal text as base64: a third shorter."""
    return b64encode(bytes.fromhex(hexadecimal)).decode()


def _hex(short: str) -> str:
    return b64decode(short, validate=True).hex()
