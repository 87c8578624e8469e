"""
What Schemathesis must know of Sluice: what the vendor extensions of openapi.yaml mean, which refusals of a valid
request are right because they depend on more than its schema, and what would keep requests from being tested.
"""

import itertools
import json
import os
import re

import schemathesis
from schemathesis.specs.openapi import checks

INFERENCE = ("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages")

# Examples of openapi.yaml that stand for an object made by a gateway.
EXAMPLE_FILE = "file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f"
MADE = {
    "01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f": os.environ["SLUICE_ORDER"],
    EXAMPLE_FILE: os.environ["SLUICE_FILE"],
    "batch_6f2e8c1a9b3d5e7f0a1c2b4d": os.environ["SLUICE_BATCH"],
}

# An example that would make the whole run one order.
EXAMPLE_KEY = "5d1c7e0a-invoice-4711"
keyed = itertools.count()
dry = itertools.count()

# Codes of refusals that no schema can predict, and why.
BEYOND_THE_REQUEST = {
    "unknown_model": "the models are configuration",
    "fixed_price_model": "so are their kinds of price",
    "invalid_cursor": "a cursor is made by the server, for one list",
    "result_unavailable": "an answer expires",
    "context_length_exceeded": "how many tokens a prompt has, and how many fit, is up to the configuration",
    "max_charge_too_low": "what the input costs depends on its length, the bid and the configuration",
}

# Parameters whose refusal as `invalid_request` no schema can predict, and why.
BEYOND_THE_PARAMETER = {
    "starting_after": "the number of the last event so far is the order's",
    "Last-Event-ID": "so it is",
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Moves what our extensions say to where Schemathesis reads it."""
    document = json.loads(json.dumps(raw_schema).replace("#/components/x-values/", "#/components/schemas/Value"))
    values = document["components"].pop("x-values")
    document["components"]["schemas"].update({f"Value{name}": value for name, value in values.items()})
    take(document)
    for media in media_types_of(document, "text/event-stream"):
        media["schema"] = event_schema(media["schema"])
    raw_schema.update(document)


def take(node):
    """Makes `x-takes` a part of its schema, and takes the bounds of `int64` from integers of any size."""
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        take(inner)
    if isinstance(node, dict) and node.pop("x-any-size", False):
        del node["format"]
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


def event_schema(schema):
    """An event as Schemathesis reads it; `[DONE]` is the only data that is not JSON."""
    payload = {"contentMediaType": "application/json", "contentSchema": schema}
    data = {"type": "string", "anyOf": [{"enum": ["[DONE]"]}, payload]}
    return {"type": "object", "required": ["data"], "properties": {"data": data}}


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Replaces the examples of the document by existing objects, and makes an order start and end at once."""
    for name, value in case.path_parameters.items():
        if case.method != "DELETE":
            case.path_parameters[name] = MADE.get(value, value)
        elif value in MADE.values():
            # Found in a list, and needed until the end.
            case.path_parameters[name] = "another"
    if case.headers.get("Idempotency-Key") == EXAMPLE_KEY:
        # Two consecutive requests share one, so that repeats occur too.
        case.headers["Idempotency-Key"] = f"{EXAMPLE_KEY}-{next(keyed) // 2}"
    if case.headers.get("X-Dry-Run") == "true" and next(dry) % 2:
        # Every request that follows the examples would be one, and no order would be made.
        del case.headers["X-Dry-Run"]
    if isinstance(case.body, dict):
        if case.body.get("input_file_id") == EXAMPLE_FILE:
            case.body["input_file_id"] = MADE[EXAMPLE_FILE]
        if case.operation.path in INFERENCE:
            case.body.setdefault("x_simulate", {"first_token_ms": 0, "token_ms": 0, "output_tokens": 3})


@schemathesis.check
def valid_requests_are_taken(ctx, response, case):
    """The tool's own check, except for refusals that depend on more than the schema of the request."""
    disagree = fields_disagree(case.body) or prices_disagree(case.query) or times_disagree(case.body, case.headers)
    error = error_of(response)
    if disagree or error.get("code") in BEYOND_THE_REQUEST or error.get("param") in BEYOND_THE_PARAMETER:
        return None
    return checks.positive_data_acceptance(ctx, response, case)


def fields_disagree(body):
    """Whether a field requests what another excludes."""
    if not isinstance(body, dict):
        return False
    choice = body.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else None
    tools = body.get("tools")
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return (
        (body.get("stream") and body.get("detached"))
        or (kind == "any" and not names)
        or (kind == "tool" and choice.get("name") not in names)
    )


def times_disagree(body, headers):
    """Whether a deadline is given beside another wait, or as a time, which may have passed, or after a batch's day."""
    own = body if isinstance(body, dict) else {}
    deadlines = [value for value in (own.get("deadline"), headers.get("X-Deadline")) if value is not None]
    other = own.get("max_wait") or own.get("expires_after") or headers.get("X-Expires-After") or own.get("price_lock")
    seconds = "[1-9][0-9]{0,3}" if "input_file_id" in own else "[1-9][0-9]{0,5}"
    return bool(deadlines) and (bool(other) or any(not re.fullmatch(seconds, str(value)) for value in deadlines))


def prices_disagree(query):
    """Whether an estimate is asked for a price and for a chance."""
    asked = query or {}
    return bool(asked.get("chance")) and (bool(asked.get("price_limit")) or asked.get("price_lock") == "true")


@schemathesis.check
def invalid_requests_are_refused(ctx, response, case):
    """The tool's own check, except for invented headers: HTTP ignores unknown headers (RFC 9110, 5.1)."""
    if "x-schemathesis-unknown-property" in case.headers:
        return None
    return checks.negative_data_rejection(ctx, response, case)


def error_of(response):
    return response.json()["error"] if 400 <= response.status_code < 500 else {}
