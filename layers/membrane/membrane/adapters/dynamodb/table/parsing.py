"""Read the items in DynamoDB's replies, without botocore's walk over the types of an attribute.

For each attribute botocore looks for each of the ten types, which takes a quarter of the CPU of a
retrieval. Most attributes are texts and numbers, and stand in the reply as botocore returns them.
"""

from typing import Any

from botocore.parsers import JSONParser, ResponseParserFactory

_AS_IN_JSON = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})
"""The types whose values botocore takes over from JSON unchanged."""


class ItemParsers(ResponseParserFactory):
    """Makes the parsers for a session of botocore."""

    def create_parser(self, protocol_name: str) -> Any:
        return _ItemParser() if protocol_name == "json" else super().create_parser(protocol_name)


class _ItemParser(JSONParser):
    """Reads items; a botocore with other names for the methods reads items as before."""

    def _handle_map(self, shape: Any, value: Any) -> Any:
        attribute = shape.value
        if attribute.name != "AttributeValue":
            return super()._handle_map(shape, value)  # type: ignore[misc] # not in the stubs
        parse = self._parse_shape  # type: ignore[attr-defined] # not in the stubs
        return {
            name: each if _is_as_in_json(each) else parse(attribute, each)
            for name, each in value.items()
        }


def _is_as_in_json(value: dict[str, Any]) -> bool:
    return len(value) == 1 and not _AS_IN_JSON.isdisjoint(value)
