"""Make the artefacts of a release from a build: zips, a template, SBOMs and the hashes of all.

    SOURCE_DATE_EPOCH=SECONDS .venv-release/bin/python infra/release.py BUILD INTO

`make artefacts` puts the wheels and the npm package into the folder before. The template is plain
CloudFormation, transformed by SAM here: the AWS CDK cannot include a template that names resources
of the transform, and nobody who deploys needs CAPABILITY_AUTO_EXPAND. A build gives the same bytes
at any time. The zips also need the same zlib.
"""

import hashlib
import io
import json
import os
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from boto3 import Session
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

PROJECT = Path(__file__).resolve().parents[1]
VERSION = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
SUMS = "SHA256SUMS"
MAX_TEMPLATE_BYTES = 2**20
"""https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""

PARAMETERS = {
    "ArtifactBucket": {
        "Type": "String",
        "Description": "The bucket with the zips of the release, in the Region of the stack",
    },
    "ArtifactPrefix": {
        "Type": "String",
        "Default": "",
        "Description": "The beginning of the keys of the zips, such as membrane/1.0/",
    },
}
"""What the template of a release asks for beside the parameters of template.yaml."""
KEPT = {"CorsOrigins": {"Ref": "CorsOrigins"}}
"""The parameter that SAM replaces by its value in the API's body; the reference stays itself."""
AUTHORIZER_URI = "arn:aws:apigateway:${AWS::Region}:"
"""Of the text in Fn::Sub that SAM writes for an authorizer, with the partition of its session."""
MODEL = "membrane_encoder/model.onnx"


def make(built: Path, into: Path, made_at: datetime) -> None:
    """Fill the folder; the hashes come last, and also cover the files that lay there before."""
    if f"\n## {VERSION}\n" not in (into / "CHANGELOG.md").read_text("utf-8"):
        raise SystemExit(f"release: CHANGELOG.md has no section '## {VERSION}'")
    template = yaml_parse((built / "template.yaml").read_text("utf-8"))
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        for place in {"CodeUri", "ContentUri"} & properties.keys():
            folder = built / properties[place]
            content = zip_of(folder)
            sha256 = digest(content)
            (into / f"{sha256}.zip").write_bytes(content)
            key = {"Fn::Sub": f"${{ArtifactPrefix}}{sha256}.zip"}
            properties[place] = {"Bucket": {"Ref": "ArtifactBucket"}, "Key": key}
            if place == "ContentUri":
                (into / f"{name}.cdx.json").write_text(sbom_of(name, folder, sha256, made_at))
    (into / "template.json").write_text(transform(template))
    files = sorted(path for path in into.iterdir() if path.name != SUMS)
    lines = (f"{digest(path.read_bytes())}  {path.name}\n" for path in files)
    (into / SUMS).write_text("".join(lines))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zip_of(folder: Path) -> bytes:
    """The folder as a zip, without the times, the owners and the order of this file system."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            mode = 0o100755 if path.stat().st_mode & 0o100 else 0o100644
            entry.external_attr = mode << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def transform(template: dict[str, Any]) -> str:
    """The template as SAM transforms it, with the parameters that find the zips."""
    template["Parameters"] = PARAMETERS | template["Parameters"]
    groups = template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    groups.insert(0, {"Label": {"default": "The release"}, "Parameters": [*PARAMETERS]})
    text = with_values(template, KEPT)
    if text != with_values(template, dict.fromkeys(template["Parameters"], "other") | KEPT):
        raise SystemExit("release: SAM uses the value of a parameter, which is known later")
    text = text.replace(AUTHORIZER_URI, AUTHORIZER_URI.replace("aws", "${AWS::Partition}", 1))
    if "arn:aws:" in text:
        raise SystemExit("release: the template names the partition aws, so no other can have it")
    if len(text) > MAX_TEMPLATE_BYTES:
        raise SystemExit(f"release: the template has {len(text)} bytes, above {MAX_TEMPLATE_BYTES}")
    return text


def with_values(template: dict[str, Any], parameters: dict[str, Any]) -> str:
    session = Session(region_name="us-east-1")  # for the partition: arn:aws
    translator = Translator({}, Parser(), boto_session=session)
    plain = translator.translate(deepcopy(template), parameters)
    translator.metrics.publish()  # to nobody; SAM would warn of unpublished metrics
    return json.dumps(plain, indent=1) + "\n"


def sbom_of(layer: str, folder: Path, sha256: str, made_at: datetime) -> str:
    """The bill of materials of a built layer, as CycloneDX in JSON."""
    whole = Component(
        type=ComponentType.APPLICATION,
        name=layer,
        version=VERSION,
        bom_ref=layer,
        hashes=[sha256_hash(sha256)],
    )
    bom = Bom(
        serial_number=uuid5(NAMESPACE_OID, sha256),
        metadata=BomMetaData(component=whole, timestamp=made_at),
        components=parts_of(folder / "python"),
    )
    bom.register_dependency(whole, bom.components)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise SystemExit(f"release: the SBOM of {layer} is no CycloneDX: {error}")
    return text + "\n"


def parts_of(folder: Path) -> Iterator[Component]:
    """The wheels that are unpacked in the folder, and the model of the encoder."""
    for wheel in distributions(path=[str(folder)]):
        name, about = wheel.metadata["Name"], wheel.metadata.json
        listed = (each for each in about["classifier"] if each.startswith("License ::"))
        names = " or ".join(each.rpartition(" :: ")[2] for each in listed)
        licence = str(about.get("license_expression") or about.get("license") or names)
        purl = PackageURL("pypi", None, name.lower().replace("_", "-"), wheel.version)
        yield Component(
            name=name,
            version=wheel.version,
            purl=purl,
            bom_ref=str(purl),
            licenses=[LicenseFactory().make_from_string(licence)],
            hashes=[sha256_hash(wheel.read_text("WHEEL.sha256") or "")],
        )
    if (folder / MODEL).exists():
        yield Component(
            type=ComponentType.MACHINE_LEARNING_MODEL,
            name="all-MiniLM-L6-v2",
            bom_ref=MODEL,
            licenses=[LicenseFactory().make_from_string("Apache-2.0")],
            hashes=[sha256_hash(digest((folder / MODEL).read_bytes()))],
        )


def sha256_hash(content: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=content)


if __name__ == "__main__":
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    make(Path(sys.argv[1]), Path(sys.argv[2]), datetime.fromtimestamp(seconds, UTC))
