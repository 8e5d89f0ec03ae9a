"""The parts of the SAM template that the local stack runs, with checked values of parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import yaml

from membrane.domain.language.requests import nearest
from membrane.wiring.settings import tuned_names
from membrane_local.refusals import OptionRefused, TemplateError

Declarations = Mapping[str, Mapping[str, Any]]


LOCAL_VALUES: Mapping[str, str] = {
    "ChatUrl": "http://.{1,2000}",
    "Interpreter": "scripted",
    "InterpreterUrl": "http://.{1,2000}",
    "OidcIssuer": "http://.{1,500}",
}
"""Patterns of values that the local stack alone accepts, by parameter.

The settings of the function then refuse HTTP to any other machine.
"""


def parameter_values(declared: Declarations, chosen: Mapping[str, str]) -> Mapping[str, str]:
    """Every parameter's value as text; raises OptionRefused for an unknown name or a bad value."""
    for name, value in chosen.items():
        if name not in declared:
            words = f"the template has no such parameter{suggestion(name, declared)}"
            raise parameter_refusal(name, words)
        reason = reason_against(value, declared[name])
        is_local = name in LOCAL_VALUES and re.fullmatch(LOCAL_VALUES[name], value)
        if reason is not None and not is_local:
            raise parameter_refusal(name, reason)
    defaults = {name: str(each.get("Default", "")) for name, each in declared.items()}
    return {**defaults, **chosen}


def parameter_refusal(name: str, reason: object) -> OptionRefused:
    return OptionRefused(f"--parameter {name}", reason)


def suggestion(name: str, declared: Declarations) -> str:
    """The end of the refusal of an unknown name: the name that was probably meant."""
    meant = nearest(name, [*declared, *tuned_names()])
    if meant in tuned_names():
        return f"; set {meant} in Tuning, as JSON"
    return "" if meant is None else f"; did you mean {meant}?"


def reason_against(value: str, declaration: Mapping[str, Any]) -> str | None:
    """CloudFormation's objection to the value; None for an accepted value."""
    allowed = [str(each) for each in declaration.get("AllowedValues", ())]
    pattern = declaration.get("AllowedPattern")
    if allowed and value not in allowed:
        return f"must be one of: {', '.join(allowed)}"
    if pattern is not None and not re.fullmatch(pattern, value):
        return str(declaration.get("ConstraintDescription", f"must be of the form {pattern}"))
    if declaration.get("Type") != "Number":
        return None
    try:
        number = float(value)
    except ValueError:
        return "must be a number"
    if not number >= declaration.get("MinValue", -inf):
        return f"must be a number from {declaration['MinValue']}"
    if not number <= declaration.get("MaxValue", inf):
        return f"must be a number up to {declaration['MaxValue']}"
    return None


try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: the same result, eight times slower
    from yaml import SafeLoader  # type: ignore[assignment]  # both have the same methods

FUNCTION = "AWS::Serverless::Function"
Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Function:
    logical_id: str
    folder: Path
    handler: str
    environment: Mapping[str, str]
    timeout_s: int
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The template's parameters by the variables that have their values."""


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a template that run locally, with parameters at their defaults."""

    parameters: Mapping[str, str]
    table: Properties
    functions: tuple[Function, ...]
    authorizer_id: str
    """The logical id of the HTTP API's default authorizer function."""
    bucket_id: str
    table_id: str
    resources: Properties
    cors: Properties
    """The CorsConfiguration of the HTTP API; empty without origins."""

    def properties_of(self, resource_type: str) -> dict[str, Properties]:
        """The properties of the resources of a type, by logical id."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == resource_type
        }


def read_template(path: Path, overrides: Mapping[str, str] | None = None) -> Template:
    """Raises TemplateError, and OptionRefused for a bad parameter."""
    return template_of(read_document(path), path.parent, overrides)


def template_of(
    document: Properties, folder: Path, overrides: Mapping[str, str] | None = None
) -> Template:
    """Raises TemplateError, and OptionRefused for a bad parameter."""
    own_table = dict.fromkeys(_EXISTING_TABLE & document.get("Parameters", {}).keys(), "")
    parameters = parameter_values(
        document.get("Parameters", {}), {**(overrides or {}), **own_table}
    )
    values = _Values(parameters, document.get("Conditions", {}), document.get("Mappings", {}))
    written = {
        name: each
        for name, each in document["Resources"].items()
        if "Condition" not in each or values.holds(each["Condition"])
    }
    shared = document.get("Globals", {}).get("Function", {})
    functions = tuple(
        _function(name, resource["Properties"], shared, values, folder)
        for name, resource in written.items()
        if resource["Type"] == FUNCTION
    )
    resources = values.resolve(written)
    table_id, table = _single(resources, "AWS::DynamoDB::Table")
    _, api = _single(resources, "AWS::Serverless::HttpApi")
    auth = api["Auth"]
    authorizer = auth.get("Authorizers", {}).get(auth["DefaultAuthorizer"], {})
    if "FunctionArn" not in authorizer:
        raise TemplateError("the local stack runs templates with AUTHORIZER=key alone")
    return Template(
        parameters=parameters,
        table=_without_maxima(table),
        functions=functions,
        authorizer_id=logical_id(authorizer["FunctionArn"]),
        bucket_id=_single(resources, "AWS::S3::Bucket")[0],
        table_id=table_id,
        resources=resources,
        cors=api.get("CorsConfiguration", {}),
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """Intrinsic functions, evaluated as far as a local run needs.

    A reference to a resource resolves to the logical id: the local name of the table or bucket.
    """

    parameters: Mapping[str, str]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    mappings: Mapping[str, Any] = field(default_factory=dict)

    def resolve(self, value: Any) -> Any:
        match value:
            case {"Ref": str(name), **rest} if not rest:
                return self.parameters.get(name, _PSEUDO_PARAMETERS.get(name, name))
            case {"Fn::If": [str(condition), then, otherwise]}:
                return self.resolve(then if self.holds(condition) else otherwise)
            case {"Fn::Split": [str(between), text]}:
                return self.resolve(text).split(between)
            case {"Fn::FindInMap": [str(name), *keys]}:
                first, second = map(self.resolve, keys)
                try:
                    return self.mappings[name][first][second]
                except KeyError as error:
                    message = f"the template's mapping {name} has no {error.args[0]}"
                    raise TemplateError(message) from error
            case dict():
                inner = {key: self.resolve(part) for key, part in value.items()}
                return {key: part for key, part in inner.items() if part != _NO_VALUE}
            case list():
                return [part for part in map(self.resolve, value) if part != _NO_VALUE]
            case _:
                return value

    def holds(self, condition: Any) -> bool:
        match condition:
            case str(name):
                return self.holds(self.conditions[name])
            case {"Condition": str(name)}:
                return self.holds(name)
            case {"Fn::Equals": [left, right]}:
                return bool(self.resolve(left) == self.resolve(right))
            case {"Fn::Not": [inner]}:
                return not self.holds(inner)
            case {"Fn::And": [*inner]}:
                return all(map(self.holds, inner))
            case {"Fn::Or": [*inner]}:
                return any(map(self.holds, inner))
            case _:
                raise TemplateError(f"the local stack cannot work out the condition {condition}")


def _without_maxima(table: Properties) -> Properties:
    """The table without throughput limits, which only guard against AWS's bill."""
    return {
        part: [_without_maxima(each) for each in value] if part == _INDEXES else value
        for part, value in table.items()
        if part != "OnDemandThroughput"
    }


_EXISTING_TABLE = {"TableName", "TableStreamArn"}
"""Parameters without effect: the local stack always makes its table."""
_INDEXES = "GlobalSecondaryIndexes"
_NO_VALUE = "AWS::NoValue"
STACK_NAME = "membrane"
"""The value of `AWS::StackName`, as in infra/samconfig.toml."""
_PSEUDO_PARAMETERS = {"AWS::StackName": STACK_NAME}


def _function(
    name: str, properties: Properties, shared: Properties, values: _Values, root: Path
) -> Function:
    environment = {
        **shared.get("Environment", {}).get("Variables", {}),
        **properties.get("Environment", {}).get("Variables", {}),
    }
    return Function(
        logical_id=name,
        folder=root / properties["CodeUri"],
        handler=properties.get("Handler", shared.get("Handler")),
        environment={key: str(value) for key, value in values.resolve(environment).items()},
        timeout_s=int(values.resolve(properties.get("Timeout", shared.get("Timeout", 3)))),
        parameters={
            variable: value["Ref"]
            for variable, value in environment.items()
            if isinstance(value, dict) and value.get("Ref") in values.parameters
        },
    )


def _single(resources: Properties, resource_type: str) -> tuple[str, Properties]:
    found = [(name, each) for name, each in resources.items() if each["Type"] == resource_type]
    if len(found) != 1:
        raise TemplateError(
            f"the template has {len(found)} resources of type {resource_type}, not 1"
        )
    name, resource = found[0]
    return name, resource["Properties"]


def logical_id(reference: Any) -> str:
    """The resource that `!GetAtt X.Arn` or `!Ref X` means; `!Ref` also after resolving."""
    match reference:
        case {"Fn::GetAtt": [str(name), *_]} | {"Ref": str(name)} | str(name):
            return name
        case _:
            raise TemplateError(f"not a reference to a resource of the template: {reference}")


def read_document(path: Path) -> Properties:
    """The template with short forms spelt out; raises OptionRefused."""
    try:
        text = path.read_text("utf-8")
        document = yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except OSError as error:
        raise OptionRefused("--template", f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise OptionRefused("--template", f"{path} is not YAML: {error}") from error
    if not isinstance(document, dict) or "Resources" not in document:
        raise OptionRefused("--template", f"{path} has no Resources: is it a template?")
    return document


class _Loader(SafeLoader):
    """YAML with CloudFormation's short forms: `!Ref x` is read as `{"Ref": "x"}`."""


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    key = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.MappingNode):
        return {key: loader.construct_mapping(node, deep=True)}
    if isinstance(node, yaml.SequenceNode):
        return {key: loader.construct_sequence(node, deep=True)}
    text = loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else ""
    return {key: str(text).split(".", 1) if suffix == "GetAtt" else text}


_Loader.add_multi_constructor("!", _short_form)
