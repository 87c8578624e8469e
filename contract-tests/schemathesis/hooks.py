"""
What Schemathesis must know of Sluice: what the vendor extensions of openapi.yaml mean, which refusals of a valid
request are right because they hang on more than its schema, and what would keep requests from being tried at all.
"""

import itertools
import json
import os

import schemathesis
from schemathesis.specs.openapi import checks

INFERENCE = ("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages")

# Examples of openapi.yaml that stand for something that a gateway made.
EXAMPLE_CURSOR = "WyJ4Tjg0bUVxZ1c0cDIiLCIwMTk4MGQzZSJd"
EXAMPLE_FILE = "file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f"
MADE = {
    "01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f": os.environ["SLUICE_ORDER"],
    EXAMPLE_FILE: os.environ["SLUICE_FILE"],
    "batch_6f2e8c1a9b3d5e7f0a1c2b4d": os.environ["SLUICE_BATCH"],
}

# One that would make one order of a whole run.
EXAMPLE_KEY = "5d1c7e0a-invoice-4711"
keyed = itertools.count()

# Codes of refusals that no schema can foretell, and why.
BEYOND_THE_REQUEST = {
    "unknown_model": "which models there are is configuration",
    "fixed_price_model": "and so is how they are sold",
    "invalid_cursor": "a cursor is made by the server, for one list",
    "result_unavailable": "an answer is kept for a while",
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Puts what the extensions say where Schemathesis reads it."""
    document = json.loads(json.dumps(raw_schema).replace("#/components/x-values/", "#/components/schemas/Value"))
    values = document["components"].pop("x-values")
    document["components"]["schemas"].update({f"Value{name}": value for name, value in values.items()})
    take(document)
    for media in media_types_of(document, "text/event-stream"):
        media["schema"] = event_schema(media["x-frame-schema"])
    raw_schema.update(document)


def take(node):
    """`x-takes` becomes a part of the schema that it stands in."""
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        take(inner)
    if isinstance(node, dict) and "x-takes" in node:
        value = node.pop("x-takes")
        declared = {name: node.pop(name) for name in list(node) if name not in ("description", "example")}
        node["allOf"] = [declared, value] if declared else [value]


def media_types_of(document, name):
    for path in document["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                if name in response.get("content", {}):
                    yield response["content"][name]


def event_schema(frames):
    """An event as Schemathesis sees one; `[DONE]` is the only data that is no JSON."""
    references = [frames] if isinstance(frames, str) else frames
    payload = {"contentMediaType": "application/json", "contentSchema": {"anyOf": [{"$ref": to} for to in references]}}
    data = {"type": "string", "anyOf": [{"enum": ["[DONE]"]}, payload]}
    return {"type": "object", "required": ["data"], "properties": {"data": data}}


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Makes the examples of the document stand for what is there, and an order start and end at once."""
    for name, value in case.path_parameters.items():
        if case.method != "DELETE":
            case.path_parameters[name] = MADE.get(value, value)
        elif value in MADE.values():
            # Found in a list, and needed to the end.
            case.path_parameters[name] = "another"
    if case.query.get("cursor") == EXAMPLE_CURSOR:
        del case.query["cursor"]
    if case.headers.get("Idempotency-Key") == EXAMPLE_KEY:
        # Two in a row share one, so that repeats happen too.
        case.headers["Idempotency-Key"] = f"{EXAMPLE_KEY}-{next(keyed) // 2}"
    if isinstance(case.body, dict):
        if case.body.get("input_file_id") == EXAMPLE_FILE:
            case.body["input_file_id"] = MADE[EXAMPLE_FILE]
        if case.operation.path in INFERENCE:
            case.body.setdefault("x_simulate", {"first_token_ms": 0, "token_ms": 0, "output_tokens": 3})


@schemathesis.check
def valid_requests_are_taken(ctx, response, case):
    """The tool's own check, but for refusals that hang on more than the schema of the request."""
    if code_of(response) in BEYOND_THE_REQUEST or fields_disagree(case.body):
        return None
    return checks.positive_data_acceptance(ctx, response, case)


def fields_disagree(body):
    """Whether a field asks for what another one rules out."""
    if not isinstance(body, dict):
        return False
    choice = body.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else None
    names = [tool.get("name") for tool in body.get("tools") or () if isinstance(tool, dict)]
    return (
        (body.get("stream") and body.get("detached"))
        or (kind == "any" and not names)
        or (kind == "tool" and choice.get("name") not in names)
    )


@schemathesis.check
def invalid_requests_are_refused(ctx, response, case):
    """The tool's own check, but for headers that it makes up: HTTP has unknown headers ignored (RFC 9110, 5.1)."""
    if "x-schemathesis-unknown-property" in case.headers:
        return None
    return checks.negative_data_rejection(ctx, response, case)


def code_of(response):
    return response.json()["error"]["code"] if 400 <= response.status_code < 500 else None
