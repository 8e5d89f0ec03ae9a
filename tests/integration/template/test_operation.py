"""Logs and outputs of template.yaml."""

import json

from tests.worlds.template import document, ref, resources, shared, target


def test_every_log_is_kept_as_long_as_the_operator_says() -> None:
    groups = resources("AWS::Logs::LogGroup")
    (api,) = resources("AWS::Serverless::HttpApi").values()

    used = [shared()["LoggingConfig"]["LogGroup"], api["AccessLogSettings"]["DestinationArn"]]

    assert sorted(map(target, used)) == sorted(groups)
    for name, group in groups.items():
        assert group["RetentionInDays"] == ref("LogRetentionDays"), name


def test_the_access_log_adds_nothing_to_the_accounts_one_policy_of_log_groups() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()
    log = resources("AWS::Logs::LogGroup")[target(api["AccessLogSettings"]["DestinationArn"])]

    assert log["LogGroupName"] == {"Fn::Sub": "/aws/vendedlogs/membrane/${AWS::StackName}"}


def test_the_access_log_is_json_and_holds_no_path_for_paths_hold_record_ids() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()

    line = json.loads(api["AccessLogSettings"]["Format"])

    assert line["route"] == "$context.routeKey"
    assert line["request_id"] == "$context.requestId"
    assert line["function_request_id"] == "$context.awsEndpointRequestId"
    assert not {"$context.path", "$context.authorizer.scopes"} & set(line.values())


def test_the_deployment_says_where_it_can_be_reached() -> None:
    assert {name: each["Value"] for name, each in document()["Outputs"].items()} == {
        "ApiUrl": {
            "Fn::If": [
                "OwnDomain",
                {"Fn::Sub": "https://${DomainName}"},
                {"Fn::GetAtt": ["HttpApi", "ApiEndpoint"]},
            ]
        },
        "DomainTarget": {"Fn::GetAtt": ["ApiDomain", "RegionalDomainName"]},
        "ChatStreamUrl": {"Fn::Sub": "${ChatUrlOfFunction.FunctionUrl}v1/chat/stream"},
        "TableName": ref("Table"),
        "BucketName": ref("Bucket"),
        "EventBusName": ref("EventBus"),
    }
