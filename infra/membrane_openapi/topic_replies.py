"""What the routes of topics answer, by RPC: bodies as their use cases make them."""

from collections.abc import Mapping

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import TopicStatus
from membrane_openapi.shapes import (
    COUNT,
    NEXT_CURSOR,
    TEXT,
    TIMESTAMP,
    TOKEN,
    Reply,
    component,
    object_of,
)

_IDS: JsonObject = {"type": "array", "items": TEXT}
_NUMBER: JsonObject = {"type": "number"}
_BOOLEAN: JsonObject = {"type": "boolean"}
_OPTIONAL_TEXT: JsonObject = {"type": ["string", "null"]}
_TYPE: JsonObject = {"enum": [word.value for word in FieldType]}
_REF = _OPTIONAL_TEXT | {"description": "The topic that the field points at."}
_SENSITIVITY = component("Sensitivity")
_CHANGED = {"consistency_token": TOKEN}


def _listed(name: str) -> JsonObject:
    return {"type": "array", "items": component(name)}


def _by_name(name: str, description: str) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": component(name),
        "description": description,
    }


def _read(name: str, description: str, *never: int) -> Reply:
    return Reply(name, description, replays=False, never=never)


_OF_A_TOPIC = Reply("ChangedTopic", "The topic's id.")
_DONE = Reply("TopicLinked", "Done.")

TOPIC_REPLIES: Mapping[str, Reply] = {
    "IngestTopic": Reply("IngestedTopic", "What was written, and where.", never=(404,)),
    "QueryTopics": _read("FoundTopics", "The topics, the likeliest first.", 404),
    "CreateTopic": _OF_A_TOPIC,
    "ChangeTopic": _OF_A_TOPIC,
    "DeleteTopic": Reply("DeletedTopic", "The topic's id."),
    "RestoreTopic": _OF_A_TOPIC,
    "AddRelationship": _DONE,
    "RemoveRelationship": _DONE,
    "AppendField": Reply("AppendedField", "The id of the revision."),
    "DeleteField": Reply("DeletedField", "The field's name."),
    "SetFieldRef": _DONE,
    "NestFields": Reply("NestedFields", "Which fields are shown as one now."),
    "UnnestFields": Reply("UnnestedFields", "Which fields are shown by themselves again."),
    "PromoteFields": Reply("PromotedFields", "The new topic, and the fields that it has."),
    "UndoPromotion": Reply("UndonePromotion", "The fields that are back."),
    "ReadTopic": _read("TopicReply", "The topic with its fields and audit trail.", 409),
    "ReadField": _read("TopicField", "The field, the newest revision first.", 409),
    "ListTopics": _read("TopicList", "The topics, the most salient first.", 404, 409),
    "ReadGraph": _read("TopicGraph", "Topics and what links them.", 409),
    "ReadSystemContext": _read("SystemContextReply", "What agents are told.", 404, 409),
    "ChangeSystemContext": Reply("SystemContextReply", "What agents are told now.", never=(404,)),
    "UnmergeTopic": Reply("UnmergedTopic", "The topic, and the one that it was in."),
    "Reason": _read("Reasoned", "What is to be done, or was."),
    "ReadActions": _read("ActionList", "The newest actions first.", 404, 409),
}

TOPIC_COMPONENTS: Mapping[str, JsonObject] = {
    "IngestedTopic": object_of(
        {
            "topic_id": TEXT,
            "applied": _IDS | {"description": "What was done, in order: `field:<name>`, ..."},
            "version_ids": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": "By field the id of its revision.",
            },
            "similar_topic_ids": _IDS,
            "placement": component("Placement"),
            **_CHANGED,
        }
    ),
    "Placement": object_of(
        {
            "decision": {"enum": ["new_topic", "extend_topic", "version_field"]},
            "resolved_by": {
                "enum": ["request", "topic_id", "title", "content", "similarity", None]
            },
            "score": {"type": ["number", "null"]},
            "fields": {
                "type": "object",
                "additionalProperties": {"enum": ["new", "version", "unchanged"]},
            },
        },
        description="Where it was placed, by what, and what became of its fields.",
    ),
    "FoundTopics": object_of(
        {
            "query": TEXT,
            "candidates": _listed("TopicBundle"),
            "summary_text": TEXT,
            "history_limit": COUNT
            | {"description": "Where histories were cut, to how many revisions; 0: to none."},
        },
        "history_limit",
    ),
    "TopicBundle": object_of(
        {
            "topic_id": TEXT,
            "title": TEXT,
            "summary": _OPTIONAL_TEXT,
            "topic_kind": _OPTIONAL_TEXT,
            "salience": _NUMBER | {"description": "As it was before this query added to it."},
            "failed_salience": _NUMBER,
            "neighbors": _listed("TopicNeighbour"),
            "neighbors_truncated": _BOOLEAN,
            "fields": _listed("BundledField"),
            "similarity": {"type": ["number", "null"]},
            "fields_cut": {"const": True, "description": "Where there was no room for all."},
            "history_limit": {"const": 1, "description": "Where not all histories were read."},
            "explanation": {"type": "object", "description": "Where `explain` asked for it."},
        },
        "fields_cut",
        "history_limit",
        "explanation",
    ),
    "TopicNeighbour": object_of(
        {
            "id": TEXT,
            "title": TEXT,
            "kind": TEXT | {"description": "`field:<name>` where a field points at it."},
            "direction": {"enum": ["out", "in"]},
        }
    ),
    "BundledField": object_of(
        {
            "name": TEXT,
            "field_type": _TYPE,
            "ref_topic_id": _REF,
            "current": component("BundledRevision"),
            "history": _listed("BundledRevision")
            | {"description": "The newest first; none where `history_limit` is 0."},
        }
    ),
    "BundledRevision": object_of(
        {
            "id": TEXT,
            "value": component("TopicValue"),
            "valid_from": TIMESTAMP,
            "provenance": TEXT,
            "why_changed": _OPTIONAL_TEXT,
            "impact_expected": _OPTIONAL_TEXT,
        }
    ),
    "TopicValue": {
        "description": "Any JSON; a link to it where there is no room for it.",
        "anyOf": [component("LargeValue"), {}],
    },
    "ChangedTopic": object_of({"topic_id": TEXT, **_CHANGED}),
    "DeletedTopic": object_of({"deleted": TEXT, **_CHANGED}),
    "TopicLinked": object_of({"ok": {"const": True}, **_CHANGED}),
    "AppendedField": object_of({"version_id": TEXT, **_CHANGED}),
    "DeletedField": object_of({"deleted": TEXT, **_CHANGED}),
    "NestedFields": object_of(
        {
            "ok": {"const": True},
            "topic_id": TEXT,
            "nest_key": TEXT,
            "moved_fields": _IDS,
            **_CHANGED,
        }
    ),
    "UnnestedFields": object_of(
        {
            "ok": {"const": True},
            "topic_id": TEXT,
            "nest_key": TEXT,
            "restored_fields": _IDS,
            **_CHANGED,
        }
    ),
    "PromotedFields": object_of(
        {
            "ok": {"const": True},
            "child_topic_id": TEXT,
            "moved_fields": _IDS,
            "relationship_kind": TEXT,
            "parent_link_field": _OPTIONAL_TEXT,
            **_CHANGED,
        }
    ),
    "UndonePromotion": object_of(
        {
            "ok": {"const": True},
            "parent_topic_id": TEXT,
            "restored_fields": _IDS,
            "removed_ref_fields": _IDS,
            "deleted_child_topic_id": TEXT,
            **_CHANGED,
        }
    ),
    "TopicReply": object_of(
        {
            "id": TEXT,
            "asked_id": TEXT | {"description": "Where the topic asked for was merged into it."},
            "title": TEXT,
            "summary": TEXT,
            "topic_kind": TEXT,
            "salience": _NUMBER,
            "failed_salience": _NUMBER,
            "salience_parts": object_of({"base": _NUMBER, "access": _NUMBER, "fields": _NUMBER}),
            "archived": _BOOLEAN,
            "status": {"enum": [word.value for word in TopicStatus]},
            "scope": TEXT,
            "sensitivity": _SENSITIVITY,
            "absorbed": _IDS | {"description": "Topics that were merged into it."},
            "created_at": TIMESTAMP,
            "updated_at": TIMESTAMP,
            "access_trail": {
                "type": "array",
                "items": object_of({"at": TIMESTAMP, "principal": TEXT, "fields": _IDS}),
                "description": "Who read it lately.",
            },
            "fields": _by_name("TopicField", "By name."),
            "fields_cut": {"const": True, "description": "Where there was no room for all."},
            "topic_history": _listed("TopicEvent") | {"description": "The oldest event first."},
            "topic_history_cut": {"const": True, "description": "The same of older events."},
        },
        "asked_id",
        "fields_cut",
        "topic_history_cut",
    ),
    "TopicField": object_of(
        {
            "field_type": _TYPE,
            "ref_topic_id": _REF,
            "history": _listed("TopicRevision") | {"description": "The newest first."},
            "salience": _NUMBER,
            "history_length": COUNT | {"description": "Of all revisions, archived ones too."},
            "detached": _BOOLEAN,
            "fields_cut": {"const": True, "description": "Of a group: there was no room for all."},
        },
        "salience",
        "detached",
        "fields_cut",
    ),
    "TopicRevision": object_of(
        {
            "id": TEXT,
            "valid_from": TIMESTAMP,
            "value": component("TopicValue"),
            "why_changed": _OPTIONAL_TEXT,
            "impact_expected": _OPTIONAL_TEXT,
            "provenance": TEXT,
            "operation": _OPTIONAL_TEXT,
            "recorded_at": TIMESTAMP,
            "principal": TEXT,
            "evidence": TEXT
            | {"description": "The record that it was taken from, if any that may be seen."},
        }
    ),
    "TopicEvent": object_of(
        {
            "ts": TIMESTAMP,
            "kind": {"enum": [word.value for word in EventKind]},
            "detail": {
                "type": "object",
                "description": "A topic that it names and that may not be seen is null.",
            },
            "principal": TEXT,
            "why": TEXT,
        }
    ),
    "TopicList": object_of(
        {
            "topic_ids": _IDS,
            "topics": {
                "type": "array",
                "items": object_of(
                    {
                        "id": TEXT,
                        "title": TEXT,
                        "kind": TEXT,
                        "salience": _NUMBER,
                        "archived": _BOOLEAN,
                    }
                ),
            },
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "TopicGraph": object_of(
        {
            "nodes": _listed("TopicNode"),
            "edges": _listed("TopicEdge"),
            "truncated": _BOOLEAN | {"description": "Whether there is more than was looked at."},
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "TopicNode": object_of(
        {
            "id": TEXT,
            "label": TEXT,
            "title": TEXT,
            "summary": TEXT,
            "topic_kind": TEXT,
            "archived": _BOOLEAN,
            "salience": _NUMBER,
            "scope": TEXT,
            "sensitivity": _SENSITIVITY,
            "fields": _listed("FieldSummary"),
            "community": {
                "type": ["integer", "null"],
                "description": "null where the topic is newer than the last reasoning.",
            },
            "is_cut": {"const": True, "description": "Where there was no room for all of it."},
        },
        "is_cut",
    ),
    "FieldSummary": object_of(
        {
            "name": TEXT,
            "field_type": _TYPE,
            "current_value": component("TopicValue"),
            "history_len": COUNT,
            "ref_topic_id": _REF,
            "nested_fields": _listed("FieldSummary"),
        },
        "ref_topic_id",
        "nested_fields",
    ),
    "TopicEdge": object_of(
        {
            "from": TEXT,
            "to": TEXT,
            "kind": TEXT,
            "edge_type": {"enum": ["related", "field_ref"]},
        }
    ),
    "SystemContextReply": object_of(
        {
            "configured": _BOOLEAN,
            "system_context": {"anyOf": [component("SystemContext"), {"type": "null"}]},
        }
    ),
    "SystemContext": object_of(
        {
            "key": {"const": "global"},
            "system_role": TEXT,
            "runtime_context": TEXT,
            "created_at": TIMESTAMP,
            "updated_at": TIMESTAMP,
            "updated_by": TEXT,
            "changes": {
                "type": "array",
                "items": object_of({"at": TIMESTAMP, "by": TEXT}),
                "description": "Who changed it when.",
            },
        }
    ),
    "UnmergedTopic": object_of({"topic_id": TEXT, "unmerged_from": TEXT, **_CHANGED}),
    "Reasoned": object_of(
        {
            "scope": TEXT,
            "dry_run": _BOOLEAN,
            "actions": _listed("TopicAction"),
            "planned": COUNT,
            "complete": _BOOLEAN | {"description": "Whether all of the scope was gone through."},
            "next_cursor": NEXT_CURSOR,
        },
        "next_cursor",
    ),
    "ActionList": object_of(
        {"scope": TEXT, "actions": _listed("TopicAction"), "next_cursor": NEXT_CURSOR},
        "next_cursor",
    ),
    "TopicAction": {
        "type": "object",
        "properties": {
            "action": TEXT | {"description": "`merged:<id>->:<id>:<title>`, `archived:<id>`, ..."},
            "why": TEXT,
            "topics": _IDS,
            "title": TEXT,
            "principal": TEXT,
            "at": TIMESTAMP,
        },
        "required": ["action", "why", "topics", "title"],
        "additionalProperties": _NUMBER,
        "description": "With the numbers that led to it.",
    },
}
