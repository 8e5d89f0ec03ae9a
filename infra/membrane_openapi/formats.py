"""Schemas of values whose rules are functions, and alternatives of schemas."""

from membrane.domain.documents.places import MAX_KEY_BYTES, MAX_LABEL_BYTES
from membrane.domain.ingest.provider_messages import LEFT_OUT
from membrane.domain.language.fields import MAX_SCOPE_BYTES, RECORD_ID
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import MAX_KEY_CHARACTERS
from membrane.domain.language.values import BLOB, MAX_VALUE_BYTES, UPLOAD
from membrane.domain.study.requests import MAX_DOCUMENT_BYTES

KEY: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_KEY_CHARACTERS,
    "pattern": "^[ -~]*$",
}
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
SENT_TIMESTAMP: JsonObject = {
    "type": "string",
    "format": "date-time",
    "pattern": rf"^{_DATE}T{_CLOCK}([.,][0-9]+)?(Z|[+-][0-9]{{2}}:[0-9]{{2}})$",
    "description": "RFC 3339 with a zone; kept in UTC, to the nanosecond.",
}
GIVEN_TIMESTAMP: JsonObject = {
    "type": "string",
    "format": "date-time",
    "pattern": rf"^{_DATE}T{_CLOCK}(\.[0-9]{{1,9}})?Z$",
    "description": "RFC 3339 in UTC.",
}
SCOPE: JsonObject = {
    "type": "string",
    "maxLength": MAX_SCOPE_BYTES,
    "not": {"pattern": r"(^|:)\*$"},
    "description": f"The partition of memory; at most {MAX_SCOPE_BYTES} bytes of UTF-8.",
}
NAMED_SCOPE: JsonObject = {"type": "string", "not": {"pattern": r":\*$"}}
"""A scope in the trust of a request: prefixes are refused."""
USER_SCHEMA: JsonObject = {
    "type": ["string", "null"],
    "minLength": 1,
    "maxLength": MAX_SCOPE_BYTES,
    "not": {"pattern": r"\*$"},
    "description": (
        "Act for one user, in the scope made of the user prefix of the key and of the user; "
        "refused for a key without a user prefix. A user has a visible character: a text of blanks "
        "is refused, and null by a key with a user prefix."
    ),
}
RECORD_ID_SCHEMA: JsonObject = {
    "type": "string",
    "maxLength": 128,
    "pattern": f"^{RECORD_ID.pattern}$",
}


def _name(what: str, most_bytes: int) -> JsonObject:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": most_bytes,
        "not": {"pattern": r"^\.{1,2}$|\u0000"},
        "description": f"{what}; at most {most_bytes} bytes of UTF-8.",
    }


def _object(properties: JsonObject, description: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
        "description": description,
    }


LABEL = _name("A label of a namespace", MAX_LABEL_BYTES)
DOCUMENT_KEY = _name("The key of a document", MAX_KEY_BYTES)
_ELEMENT = r"\[(\*|-?[0-9]{1,9})\]"
VALUE_PATH: JsonObject = {
    "pattern": rf"^(\$|([^$.\[\]][^.\[\]]*|{_ELEMENT})(\.[^.\[\]]+|{_ELEMENT})*)$"
}
"""A path within the value of a document."""

UPLOAD_CLAIM = _object(
    {UPLOAD: {**RECORD_ID_SCHEMA, "description": "The id of the upload."}},
    "An uploaded value, by the id of the upload.",
)
_PLACE: JsonObject = {
    "sha256": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
        "description": "SHA-256 of the JSON text, in hex.",
    },
    "size": {"type": "integer", "minimum": 0, "description": "Bytes of JSON text."},
    "url": {
        "type": "string",
        "format": "uri",
        "description": "The address of the value, valid for 5 minutes.",
    },
}
LARGE_VALUE = _object(
    {BLOB: _object(_PLACE, "Where to get the value.")},
    "A value too large for the reply, and where to get it.",
)
SENT_VALUE: JsonObject = {
    "description": f"Any JSON of at most {MAX_VALUE_BYTES} bytes and 64 levels.",
    "not": {"type": "object", "required": [BLOB], "maxProperties": 1},
}
GIVEN_VALUE: JsonObject = {"description": "Any JSON."}
NO_STAND_IN: JsonObject = {
    "not": {
        "type": "object",
        "maxProperties": 1,
        "anyOf": [{"required": [UPLOAD]}, {"required": [BLOB]}],
    }
}
DOCUMENT: JsonObject = {"type": "string", "maxLength": MAX_DOCUMENT_BYTES, "pattern": r"\S"}
VALUE_IN_PLACE: JsonObject = {"description": "Any JSON value, in place.", **NO_STAND_IN}
TEXT_PARTS: JsonObject = {
    "type": "array",
    "minItems": 1,
    "items": {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "type": {
                        "enum": ["text", "input_text", "output_text"],
                        "description": "The kind of the part. Absent: a text.",
                    },
                    "text": {"type": "string", "description": "The text of the part."},
                },
                "required": ["text"],
                "additionalProperties": True,
            },
            {
                "type": "object",
                "additionalProperties": True,
                "description": "An image, a file, or a call or a result of a tool, in the form of "
                "a provider.",
            },
        ]
    },
    "description": "Parts; each becomes a line.",
}
_OF_A_PROVIDER: JsonObject = {"type": "object", "additionalProperties": True}
MESSAGE_OF_A_PROVIDER: JsonObject = {
    "parts": {**TEXT_PARTS, "description": "Google's name for a list as `content`."},
    "refusal": {"type": "string", "description": "Words in place of an answer: a line."},
    "audio": {**_OF_A_PROVIDER, "description": "Audio, whose `transcript` becomes a line."},
    "function_call": {**_OF_A_PROVIDER, "description": "A call in OpenAI's older form."},
    **{name: {"description": "Left out."} for name in LEFT_OUT},
}
"""Further fields of a message in the form in which a provider's client dumps messages."""
_CONTROLS = r"\u0000-\u001f\u007f-\u009f"
FIELD_NAME: JsonObject = {"pattern": rf"^[^{_CONTROLS}]*[^\s{_CONTROLS}][^{_CONTROLS}]*$"}
DATE_ALONE: JsonObject = {"type": "string", "format": "date", "pattern": f"^{_DATE}$"}
JSON_TEXT: JsonObject = {
    "type": "string",
    "contentMediaType": "application/json",
    "description": "The same as JSON text.",
}

NULL = {"type": "null"}
EMPTY = {"const": ""}


def either(schema: JsonObject, other: JsonObject) -> JsonObject:
    """Either schema; a schema that fits everything stays unchanged."""
    if schema.keys() <= {"description"}:
        return schema
    if "anyOf" in schema:
        known = [one for one in schema["anyOf"] if one != other]
        return schema | {"anyOf": [*known, other]}
    if other == NULL and isinstance(schema.get("type"), str) and "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    outer = {name: schema[name] for name in ("description", "default") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in outer}
    return outer | {"anyOf": [inner, other]}


def without_null(schema: JsonObject) -> JsonObject:
    """The schema without the alternative null."""
    (found,) = (one for one in schema["anyOf"] if one != NULL)
    return dict(found)


def present(schema: JsonObject) -> JsonObject:
    """The schema without the alternatives null and empty text."""
    if "anyOf" in schema:
        (schema,) = (one for one in schema["anyOf"] if one not in (NULL, EMPTY))
    return schema | {"minLength": 1} if schema.get("type") == "string" else schema
