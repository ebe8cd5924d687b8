"""Prints the part of the API's description that the clients use. usage: api_part.py OPENAPI.json"""

import json
import sys

PATHS = ("/v1/answers", "/v1/claims")
# What the events of a stream hold, which the description names in words only.
EVENTS = ("SentenceEvent",)

whole = json.load(open(sys.argv[1], encoding="utf-8"))
schemas, needed = whole["components"]["schemas"], {}


def need(part):
    """Takes every schema that `part` refers to."""
    if isinstance(part, list):
        for one in part:
            need(one)
    elif isinstance(part, dict):
        name = str(part.get("$ref", "")).removeprefix("#/components/schemas/")
        if name in schemas and name not in needed:
            needed[name] = schemas[name]
            need(schemas[name])
        for one in part.values():
            need(one)


# What goes in and what comes out; the paths themselves are two lines of the client.
for path in PATHS:
    need(whole["paths"][path])
for name in EVENTS:
    need({"$ref": f"#/components/schemas/{name}"})
part = {"schemas": dict(sorted(needed.items()))}
json.dump({"openapi": whole["openapi"], "info": whole["info"], "paths": {}, "components": part}, sys.stdout)
