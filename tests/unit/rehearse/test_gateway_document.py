"""The gateway's routes, worked out of the document that SAM writes."""

from __future__ import annotations

from typing import Any

import pytest

from tools.rehearse.gateway import NoGateway, Route, Scope, Unknown, routes_of

ARN = "arn:aws:lambda:us-east-1:1:function:quoth-query"
AROUND = "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/"


def scope(**values: str) -> Scope:
    known = {"AWS::Partition": "aws", "AWS::Region": "us-east-1", "Alias": f"{ARN}:live"}
    signed = {"Fn::Not": [{"Fn::Equals": [{"Ref": "Issuer"}, ""]}]}
    return Scope(known | values, {"Query": ARN}, {"Signed": signed})


def operation(function: str, **more: Any) -> dict[str, Any]:
    uri = {"Fn::Sub": f"{AROUND}{function}/invocations"}
    return {"x-amazon-apigateway-integration": {"uri": uri}, **more}


def test_each_method_of_each_path_is_a_route_to_what_it_names() -> None:
    paths = {
        "/query": {"post": operation("${Query.Arn}:live"), "parameters": []},
        "/search": {"get": operation("${Alias}"), "put": operation("${Query.Arn}")},
    }
    assert list(routes_of(scope().resolve({"paths": paths}))) == [
        Route("POST /query", f"{ARN}:live"),
        Route("GET /search", f"{ARN}:live"),
        Route("PUT /search", ARN),
    ]


@pytest.mark.parametrize(("issuer", "there"), [("https://login.example", True), ("", False)])
def test_administrators_routes_are_there_with_an_issuer_only(issuer: str, there: bool) -> None:
    guarded = {"get": operation("${Alias}", security=[{"administrators": []}])}
    paths = {"/analytics": {"Fn::If": ["Signed", guarded, {"Ref": "AWS::NoValue"}]}}
    found = list(routes_of(scope(Issuer=issuer).resolve({"paths": paths})))
    assert found == [Route("GET /analytics", f"{ARN}:live", "administrators")] * there


def test_one_parameter_names_several_origins() -> None:
    origins = {"Fn::Split": [",", {"Ref": "AllowedOrigins"}]}
    assert scope(AllowedOrigins="https://a.example,https://b.example").resolve(origins) == [
        "https://a.example",
        "https://b.example",
    ]


def test_a_name_or_a_function_that_is_not_known_is_an_error_and_no_guess() -> None:
    with pytest.raises(Unknown, match="Other"):
        scope().resolve({"Fn::Sub": "${Other}"})
    with pytest.raises(Unknown, match="Cidr"):
        scope().resolve({"Fn::Cidr": ["10.0.0.0/8", 1, 1]})


def test_a_route_that_leads_to_no_function_is_an_error() -> None:
    elsewhere = {"x-amazon-apigateway-integration": {"uri": "https://elsewhere.example"}}
    with pytest.raises(NoGateway, match="GET /x"):
        list(routes_of({"paths": {"/x": {"get": elsewhere}}}))
