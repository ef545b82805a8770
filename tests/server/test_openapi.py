"""test_openapi.py - every route of /v1/openapi.json exists and answers as described.

Requests each path with the examples of its parameters and compares the answer with its schema, by the part of JSON
Schema that the description uses. If openapi_spec_validator is installed, checks the description itself as well."""
import json
import os

import pytest

from tests.support.command import TOP
from tests.support.server import each

with open(os.path.join(TOP, "server", "openapi.json"), encoding="utf-8") as description:
    DOC = json.load(description)


def resolve(node):
    while "$ref" in node:
        at = DOC
        for name in node["$ref"][2:].split("/"):
            at = at[name]
        node = at
    return node


TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, where):
    """Raises where a value is not as its schema says."""
    schema = resolve(schema)
    known = {"type", "properties", "required", "items", "enum", "const", "anyOf", "minimum",
             "maximum", "maxItems", "minItems", "additionalProperties", "description", "examples",
             "pattern", "default"}
    assert set(schema) <= known, f"{where}: the schema uses {set(schema) - known}"
    if "anyOf" in schema:
        problems = []
        for one in schema["anyOf"]:
            try:
                check(value, one, where)
                break
            except AssertionError as problem:
                problems.append(str(problem))
        else:
            raise AssertionError(f"{where}: none of {problems}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    assert not types or any(is_type(value, t) for t in types), f"{where}: {value!r} is no {types}"
    assert "enum" not in schema or value in schema["enum"], f"{where}: {value!r}"
    assert "const" not in schema or value == schema["const"], f"{where}: {value!r}"
    if isinstance(value, int) and not isinstance(value, bool):
        assert value >= schema.get("minimum", value), f"{where}: {value}"
        assert value <= schema.get("maximum", value), f"{where}: {value}"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            assert name in value, f"{where}: {name} is missing"
        for name, one in value.items():
            rest = schema.get("additionalProperties")
            assert name in properties or rest or not properties, f"{where}: {name} is not described"
            check(one, properties.get(name, rest or {}), f"{where}.{name}")
    if isinstance(value, list):
        assert len(value) >= schema.get("minItems", 0), f"{where}: too short"
        for one in value:
            check(one, schema.get("items", {}), where + "[]")


@pytest.fixture(scope="module", name="asked")
def fixture_asked(server):
    """The server, with the background job of the examples."""
    server.post("/v1/find", {"material": "KPvK", "kind": "zugzwang"})
    server.finished("zugzwang-KPvK")
    return server


def test_description(server):
    assert server.get("/v1/openapi.json").json() == DOC
    assert DOC["openapi"].startswith("3.1.")


def test_description_by_the_validator():
    pytest.importorskip("openapi_spec_validator").validate(DOC)


OPERATIONS = [(path, method) for path, methods in DOC["paths"].items() for method in methods]
NAMES = [f"{method}_{path}" for path, method in OPERATIONS]


def test_operations():
    assert len(OPERATIONS) >= 18, OPERATIONS


@pytest.mark.parametrize("path, method", OPERATIONS, ids=NAMES)
def test_operation(asked, path, method):
    operation = DOC["paths"][path][method]
    target, query = path, []
    for parameter in map(resolve, operation.get("parameters", [])):
        if parameter["in"] == "path":
            target = target.replace("{%s}" % parameter["name"], parameter["example"])
        else:
            query.append(f"{parameter['name']}={parameter['example']}")
    if query:
        target += "?" + "&".join(query)
    body = None
    if "requestBody" in operation:
        ((media, content),) = operation["requestBody"]["content"].items()
        check(content["example"], content["schema"], path + " body")
        body = content["example"] if media == "text/plain" else json.dumps(content["example"])
    reply = asked.request(method.upper(), target, body=body)
    content = resolve(operation["responses"]["200"])["content"]
    media = reply.value("content-type").split(";")[0]
    assert media in content, f"{target}: {media} is not described"
    if media == "application/json":
        check(reply.json(), content[media]["schema"], path)
        if "example" in content[media]:
            check(content[media]["example"], content[media]["schema"], path + " example")
    if method == "get":
        asked.request("HEAD", target)
    asked.request("OPTIONS", target, 204)
    for code, answer in operation["responses"].items():
        resolve(answer)
        assert code.isdigit()


@each(
    "target, status",
    {
        "no FEN": ("/v1/probe", 400),
        "no table": ("/v1/stats/KRRRvKRRR", 404),
        "no address": ("/nothing", 404),
        "method": ("/v1/batch", 405),
        "no position": ("/v1/blocked", 400),
        "no blocked table": ("/v1/blocked?fen=8/8/8/8/3p4/3P4/8/K6k_w", 404),
        "not blocked": ("/v1/blocked?fen=8/8/8/8/8/3P4/8/K6k_w", 404),
    },
)
def test_error(server, target, status):
    check(server.get(target, status).json(), {"$ref": "#/components/schemas/Error"}, target)
