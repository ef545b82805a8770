#!/usr/bin/env python3
"""check_openapi.py URL - checks that every route of /v1/openapi.json exists and answers as described.

Requests each path with the examples of its parameters and compares the answer with its schema, by the part of JSON
Schema that the description uses. If openapi_spec_validator is installed, checks the description itself as well."""
import json
import sys
import urllib.error
import urllib.request

base = sys.argv[1]


def ask(target, method="GET", body=None):
    request = urllib.request.Request(base + target, data=body, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


doc = json.loads(ask("/v1/openapi.json")[2])


def resolve(node):
    while "$ref" in node:
        at = doc
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


def check_operation(path, method, operation):
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
        (media, content), = operation["requestBody"]["content"].items()
        check(content["example"], content["schema"], path + " body")
        plain = media == "text/plain"
        body = (content["example"] if plain else json.dumps(content["example"])).encode()
    status, headers, data = ask(target, method.upper(), body)
    assert status == 200, f"{method} {target}: status {status}: {data[:200]}"
    content = resolve(operation["responses"]["200"])["content"]
    media = headers["Content-Type"].split(";")[0]
    assert media in content, f"{target}: {media} is not described"
    if media == "application/json":
        check(json.loads(data), content[media]["schema"], path)
        if "example" in content[media]:
            check(content[media]["example"], content[media]["schema"], path + " example")
    if method == "get":
        assert ask(target, "HEAD")[0] == 200, f"HEAD {target}"
    assert ask(target, "OPTIONS")[0] == 204, f"OPTIONS {target}"
    for code, answer in operation["responses"].items():
        resolve(answer)
        assert code.isdigit()


try:
    from openapi_spec_validator import validate
    validate(doc)
except ImportError:
    pass
assert doc["openapi"].startswith("3.1.")
count = 0
for path, methods in doc["paths"].items():
    for method, operation in methods.items():
        check_operation(path, method, operation)
        count += 1
assert count >= 18, f"only {count} operations"
# Errors must match their description as well.
for target in ("/v1/probe", "/v1/stats/KRRRvKRRR", "/nothing", "/v1/batch", "/v1/blocked",
               "/v1/blocked?fen=8/8/8/8/3p4/3P4/8/K6k_w", "/v1/blocked?fen=8/8/8/8/8/3P4/8/K6k_w"):
    check(json.loads(ask(target)[2]), {"$ref": "#/components/schemas/Error"}, target)
print(f"{count} operations")
