"""CloudFormation's short forms, read as what they stand for."""

from pathlib import Path

import pytest

from membrane_local.template import read_document


@pytest.mark.parametrize(
    ("short", "spelt_out"),
    [
        ("!Ref Table", {"Ref": "Table"}),
        ("!Condition Alerted", {"Condition": "Alerted"}),
        ("!GetAtt Table.Arn", {"Fn::GetAtt": ["Table", "Arn"]}),
        ("!GetAtt Table.Stream.Arn", {"Fn::GetAtt": ["Table", "Stream.Arn"]}),
        ("!Sub '${Table}/index'", {"Fn::Sub": "${Table}/index"}),
        ("!Sub ['${A}', {A: !Ref B}]", {"Fn::Sub": ["${A}", {"A": {"Ref": "B"}}]}),
        ("!Not [!Equals [!Ref A, '']]", {"Fn::Not": [{"Fn::Equals": [{"Ref": "A"}, ""]}]}),
        ("!If [A, 1, !Ref AWS::NoValue]", {"Fn::If": ["A", 1, {"Ref": "AWS::NoValue"}]}),
    ],
)
def test_a_short_form_is_spelt_out(short: str, spelt_out: object, tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(f"Resources: {{}}\nOutputs: {short}\n")

    assert read_document(path)["Outputs"] == spelt_out
