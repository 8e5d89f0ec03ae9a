"""Attribute values in DynamoDB's JSON: their rules, sizes, order and storage, and refusals.

Rules and sizes are those of AWS, "Quotas in Amazon DynamoDB" and "DynamoDB item sizes and formats".
Stored items are JSON in as few bytes as reading allows, with vectors apart from the rest: a parsed
vector of 640 numbers takes 150 KB, its JSON 8 KB, the compressed JSON 2 KB.
"""

import json
import re
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Collection, Mapping
from decimal import Context, Decimal
from typing import Any, NamedTuple


class Refused(Exception):
    """A refused request, which leaves nothing behind."""

    def __init__(self, code: str, message: str = "", **more: Any) -> None:
        super().__init__(message)
        self.code, self.more = code, more

    def body(self) -> dict[str, Any]:
        kind = f"com.amazonaws.dynamodb.v20120810#{self.code}"
        named = "Message" if "CancellationReasons" in self.more else "message"
        return {"__type": kind, named: str(self), **self.more}

    def reason(self) -> dict[str, Any]:
        is_condition = self.code == "ConditionalCheckFailedException"
        code = "ConditionalCheckFailed" if is_condition else "ValidationError"
        return {"Code": code, "Message": str(self), **self.more}


def invalid(message: str) -> Refused:
    """The refusal of a request that no state of the table would allow."""
    return Refused("ValidationException", message)


def bad_value(message: str) -> Refused:
    return invalid(f"One or more parameter values were invalid: {message}")


Value = Mapping[str, Any]
"""A type and its content, as in `{"S": "text"}`; binary content is in base64."""
Item = dict[str, Value]
MAX_ITEM_BYTES = 400 * 1024
MAX_NESTING = 32
MAX_DIGITS = 38
MAX_EXPONENT, MIN_EXPONENT = 125, -130
"""Of the first digit of a number."""
EXACT = Context(prec=2 * (MAX_EXPONENT - MIN_EXPONENT))
"""Sums of two numbers without rounding; `number_text` refuses a sum of too many digits."""
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,37}")
"""Integers in the form of DynamoDB's replies."""
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})
ELEMENTS = {"SS": "S", "NS": "N", "BS": "B"}
"""The type of a set's elements."""
_NAMES = {"S": "string", "N": "number", "B": "binary"}


def legal_value(value: Any, depth: int = 0) -> Value:  # noqa: C901 - a case for each type
    """The value, with numbers written as DynamoDB writes them; raises Refused."""
    if not isinstance(value, dict) or len(value) != 1:
        raise invalid("Supplied AttributeValue has more than one datatypes set, must contain one")
    if depth > MAX_NESTING:
        raise invalid("Nesting Levels have exceeded supported limits")
    ((kind, content),) = value.items()
    match kind:
        case "N" if not _PLAIN.fullmatch(content):
            return {"N": number_text(number(content))}
        case "S" if _SURROGATE.search(content):
            raise invalid("A text has half of a surrogate pair")
        case "NULL" if content is not True:
            raise bad_value("Null attribute value types must have the value of true")
        case "B":
            bytes_of(content)
        case "L":
            return {"L": [legal_value(each, depth + 1) for each in content]}
        case "M":
            return {"M": legal_values(content, depth + 1)}
        case "SS" | "NS" | "BS":
            return {kind: _checked_elements(kind, content)}
        case _ if kind not in ("S", "N", "BOOL", "NULL"):
            raise invalid("Supplied AttributeValue is empty, must contain exactly one of the types")
    return value


def legal_values(values: Mapping[str, Any], depth: int = 0) -> Item:
    return {name: legal_value(value, depth) for name, value in values.items()}


def _checked_elements(kind: str, elements: list[str]) -> list[str]:
    of = ELEMENTS[kind]
    if not elements:
        raise bad_value(f"An {_NAMES[of]} set  may not be empty")
    found: list[str] = [legal_value({of: each})[of] for each in elements]
    if len(set(found)) < len(found):
        raise bad_value(f"Input collection [{', '.join(elements)}] contains duplicates.")
    return found


def number(text: str) -> Decimal:
    """The number; raises Refused for any further text."""
    found = Decimal(text) if _NUMBER.fullmatch(text) else Decimal("NaN")
    if not found.is_finite():
        raise invalid(f"The parameter cannot be converted to a numeric value: {text}")
    return found


def number_text(found: Decimal) -> str:
    """The number as DynamoDB writes it, without an exponent; raises Refused beyond the limits."""
    if not found:
        return "0"
    significant = "".join(map(str, found.as_tuple().digits)).strip("0")
    if len(significant) > MAX_DIGITS:
        raise invalid("Attempting to store more than 38 significant digits in a Number")
    if not MIN_EXPONENT <= found.adjusted() <= MAX_EXPONENT:
        size = "over" if found.adjusted() > 0 else "under"
        raise invalid(f"Number {size}flow. Attempting to store a number beyond the supported range")
    text = f"{found:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def bytes_of(text: str) -> bytes:
    """Binary content; raises Refused for a text outside base64."""
    try:
        return b64decode(text, validate=True)
    except Base64Error:
        raise Refused("SerializationException", "Invalid Base64 string") from None


def kind_of(value: Value) -> str:
    return next(iter(value))


def sortable(value: Value) -> Any:
    """The content of a string, a number or a binary value, in DynamoDB's order."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if kind == "S" else b64decode(content)


def is_equal(one: Value, other: Value) -> bool:
    """Whether DynamoDB finds the values equal: sets in any order."""
    if one.keys() != other.keys():
        return False
    ((kind, ours),), (theirs,) = one.items(), other.values()
    if kind == "M":
        return ours.keys() == theirs.keys() and all(
            is_equal(ours[each], theirs[each]) for each in ours
        )
    if kind == "L":
        return len(ours) == len(theirs) and all(map(is_equal, ours, theirs))
    return set(ours) == set(theirs) if kind in ELEMENTS else bool(ours == theirs)


def item_bytes(item: Mapping[str, Value]) -> int:
    """What DynamoDB counts for an item: names and values."""
    return sum(len(name.encode()) + value_bytes(value) for name, value in item.items())


def value_bytes(value: Value) -> int:
    """What DynamoDB counts for a value."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":  # one byte for two significant digits, one more, and one for a sign
            digits = len(content.lstrip("-").replace(".", "").strip("0"))
            return (digits + 1) // 2 + (2 if content.startswith("-") else 1)
        case "B":
            return int(len(content) * 3 // 4 - content[-2:].count("="))
        case "L":
            return 3 + len(content) + sum(map(value_bytes, content))
        case "M":
            return 3 + len(content) + item_bytes(content)
        case "SS" | "NS" | "BS":
            return sum(value_bytes({ELEMENTS[kind]: each}) for each in content)
        case _:
            return 1  # a boolean or null


_COMPRESSED_FROM = 1_024
"""Characters of JSON; a shorter text hardly shrinks."""


class Image(NamedTuple):
    text: bytes
    vectors: tuple[tuple[str, bytes], ...]
    size: int

    @classmethod
    def of(cls, item: Item, apart: Collection[str]) -> "Image":
        vectors = tuple((name, _pack(item[name])) for name in apart if name in item)
        rest = {name: value for name, value in item.items() if name not in apart}
        return cls(_pack(rest), vectors, item_bytes(item))

    def item(self) -> Item:
        return {**self.rest(), **{name: _unpack(packed) for name, packed in self.vectors}}

    def rest(self) -> Item:
        found: Item = _unpack(self.text)
        return found


def _pack(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return zlib.compress(text, level=1) if len(text) >= _COMPRESSED_FROM else text


def _unpack(packed: bytes) -> Any:
    """The value; JSON begins with a brace, zlib's data does not."""
    return json.loads(packed if packed.startswith(b"{") else zlib.decompress(packed))
