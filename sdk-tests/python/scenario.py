"""The scenario of sdk-tests/README.md with the Python client."""

import json
import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, Optional

import sluice
from sluice import (
    AccountApi,
    BatchesApi,
    BatchRequest,
    ChatCompletion,
    ChatCompletionRequest,
    ChatMessage,
    ConflictError,
    FilesApi,
    InferenceApi,
    MarketApi,
    ModelsApi,
    OrdersApi,
    PricingRatio,
    RepriceRequest,
    RepriceResult,
    ResponseObject,
    ResponseRequest,
    Sluice,
    StreamsApi,
    SystemApi,
)
from sluice.event_stream import EventStream
from sluice.exceptions import ApiException, BadRequestException, NotFoundException, ServiceException

BATCH_DEADLINE_SECONDS = 60
REPRICE_DEADLINE_SECONDS = 60
RESULT_DEADLINE_SECONDS = 60

configuration = sluice.Configuration(host=os.environ["SLUICE_URL"], access_token=os.environ["SLUICE_KEY"])
client = sluice.ApiClient(configuration)
inference = InferenceApi(client)
orders = OrdersApi(client)
market = MarketApi(client)
files = FilesApi(client)
batches = BatchesApi(client)
streams = StreamsApi(client)
messages = [ChatMessage(role="user", content="What is a sluice?")]


def main() -> None:
    models = ModelsApi(client).list_models()
    assert models.default == "tide"
    pricing = {model.id: model.pricing.type for model in models.data}
    assert pricing == {"tide": "market", "harbor": "fixed", "narrows": "market"}, pricing
    ratio = next(model.pricing_ratio for model in models.data if model.id == "tide")
    done("list models")

    level = market.get_market(model="tide")
    assert level.level > 0 and not level.degraded
    with streams.stream_market(model="tide") as frames:
        assert json.loads(next(frames).data)["level"] > 0
    done("read the level")

    quote = market.get_price_lock(model="tide")
    assert quote.price >= 0
    assert 0 <= quote.valid_for_ms <= quote.interval_ms
    assert quote.execute_window_seconds == 10
    done("read a quote")

    history = market.get_market_history(model="tide", range="1h")
    assert (history.model, history.range) == ("tide", "1h")
    done("read the history")

    depth = market.get_market_depth(model="tide")
    # A single account tells nobody what it bids.
    assert (depth.model, depth.accounts_min, depth.steps) == ("tide", 3, []), depth
    done("read the depth")

    estimate = market.get_market_estimate(
        model="tide", price_limit="2", input_tokens=1000, output_tokens=100
    )
    assert estimate.bid == 2 and estimate.chance == 1, estimate
    assert (estimate.expected_charge_usd or 0) <= (estimate.greatest_charge_usd or 0)
    forward = market.get_market_estimate(model="tide", chance="0.9", requests=2)
    assert forward.bid is not None and forward.requests == 2, forward
    done("ask for an estimate")

    answer = inference.create_chat_completion(
        ChatCompletionRequest(model="tide", messages=messages, price_limit=Decimal(2))
    )
    assert answer.choices[0].message.content
    assert answer.usage.completion_tokens > 0
    receipt = answer.usage.x_market
    done("complete a chat")

    assert nano(receipt.charged_usd) == nano(charge_of(answer, ratio))
    order = orders.get_order(receipt.order_id, include=["usage"])
    assert order.status == "done"
    assert order.usage is not None and order.usage.charged_usd == receipt.charged_usd
    done("check the receipt")

    question = ChatCompletionRequest(model="harbor", messages=messages, max_tokens=3)
    dry = inference.dry_run_chat_completion(question)
    assert (dry.object, dry.model, dry.output_tokens_max) == ("dry_run", "harbor", 3), dry
    cut = inference.create_chat_completion(
        ChatCompletionRequest(model="harbor", messages=messages, max_charge_usd=dry.greatest_charge_usd)
    )
    assert cut.choices[0].finish_reason == "length"
    assert cut.usage.x_market.max_charge_reached
    assert cut.usage.x_market.charged_usd <= dry.greatest_charge_usd
    done("bound a charge")

    signed = orders.get_order_receipt(receipt.order_id)
    assert signed.receipt.charged_nano_usd == nano(receipt.charged_usd), signed
    published = SystemApi(client).get_signing_keys()
    assert published.keys and signed.receipt.iss == published.issuer
    named = signed.receipt.level_row
    assert named is not None and len(signed.jws.split(".")) == 3, signed
    row = market.get_market_ledger(model="tide", after=named.number - 1, limit=1).data[0]
    assert (row.number, row.hash) == (named.number, named.hash), row
    newest = market.get_market_ledger_head(model="tide")
    assert newest.jws and newest.head is not None and newest.head.number > 0, newest
    done("keep the signed receipt")

    waiting = inference.create_detached_chat_completion(
        ChatCompletionRequest(model="narrows", messages=messages, price_limit=Decimal(1))
    ).id
    repriced = reprice(waiting, Decimal("1.5"))
    assert repriced.changed == 1, repriced
    order = orders.get_order(waiting)
    assert (order.status, order.bid) == ("queued", Decimal("1.5"))
    done("reprice a waiting order")

    assert orders.cancel_order(waiting).status == "canceled"
    assert orders.get_order(waiting).status == "canceled"
    done("cancel it")

    respond_in_background(inference)
    done("respond in the background")

    follow_order()
    done("follow an order")

    patient = inference.create_detached_chat_completion(
        ChatCompletionRequest(model="narrows", messages=messages, price_limit=Decimal(1), deadline=3600)
    ).id
    order = orders.get_order(patient)
    assert order.strategy is not None and order.strategy.kind == "deadline", order
    assert order.strategy.price_limit == 1 and order.bid <= 1, order
    assert orders.cancel_order(patient).status == "canceled"
    done("give an order a deadline")

    usage = {record.order_id: record for record in AccountApi(client).list_usage().data}
    assert usage[receipt.order_id].charged_usd == receipt.charged_usd
    assert waiting not in usage
    done("read the usage")

    content = "\n".join(batch_line(name) for name in ("first", "second")).encode()
    file = files.upload_file(file=("questions.jsonl", content), purpose="batch")
    assert (file.filename, file.bytes) == ("questions.jsonl", len(content)), file
    done("upload a file")

    run_batch(file.id)
    done("run a batch")

    catch_refusal()
    done("catch a refusal")

    catch_misspelt_bound()
    done("catch a misspelt bound")

    pay_once_with_two_clients()
    done("pay once with two clients")


def reprice(order_id: str, price_limit: Decimal) -> RepriceResult:
    """Sends the price again while the market does not confirm in time."""
    deadline = time.monotonic() + REPRICE_DEADLINE_SECONDS
    while True:
        try:
            return orders.reprice_orders(RepriceRequest(ids=[order_id], price_limit=price_limit))
        except ServiceException as refusal:
            if refusal.status != 503 or refusal.headers is None or time.monotonic() > deadline:
                raise
            time.sleep(int(refusal.headers["Retry-After"]))


def respond_in_background(inference: InferenceApi) -> None:
    def create(model: str, price_limit: Decimal) -> ResponseObject:
        request = ResponseRequest(model=model, input="Say hello.", price_limit=price_limit, background=True)
        return inference.create_response(request)

    response = create("tide", Decimal(2))
    while response.status != "completed":
        assert response.status in ("queued", "in_progress"), response
        time.sleep(0.1)
        response = inference.get_response(response.id)
    assert response.background and response.output, response
    assert inference.cancel_response(create("narrows", Decimal(1)).id).status == "cancelled"


def follow_order() -> None:
    request = ChatCompletionRequest(model="tide", messages=messages, price_limit=Decimal(2))
    order_id = inference.create_detached_chat_completion(request).id
    with follow(order_id) as events:
        first = [next(events) for _ in range(10)]
        assert events.last_event_id == "9", first
    rest = list(follow(order_id, 9))
    whole = list(follow(order_id))
    assert first + rest == whole, (first, rest, whole)
    assert [event.id for event in whole] == [str(number) for number in range(len(whole))], whole
    assert whole[-1].data == "[DONE]", whole
    chunks = [json.loads(event.data) for event in whole[:-1]]
    said = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
    body = orders.get_order_result(order_id).body
    assert body is not None and body["choices"][0]["message"]["content"] == "".join(said), body
    try:
        follow(order_id, len(whole))
    except BadRequestException as refusal:
        assert refusal.data is not None and refusal.data.error.param == "starting_after", refusal
    else:
        raise AssertionError("A number that no event has was not refused.")


def follow(order_id: str, starting_after: Optional[int] = None) -> EventStream:
    """Waits while the result is being written."""
    deadline = time.monotonic() + RESULT_DEADLINE_SECONDS
    while True:
        try:
            return streams.stream_order(order_id, starting_after=starting_after)
        except ApiException as refusal:
            if refusal.status != 429 or refusal.headers is None or time.monotonic() > deadline:
                raise
            time.sleep(int(refusal.headers["Retry-After"]))


def run_batch(file_id: str) -> None:
    batch = batches.create_batch(
        BatchRequest(input_file_id=file_id, endpoint="/v1/chat/completions", deadline=3600)
    )
    assert batch.x_market.deadline == batch.created_at + 3600, batch
    deadline = time.monotonic() + BATCH_DEADLINE_SECONDS
    while batch.status in ("validating", "in_progress") and time.monotonic() < deadline:
        time.sleep(0.2)
        batch = batches.get_batch(batch.id)
    assert (batch.status, batch.request_counts.completed) == ("completed", 2), batch
    assert batch.output_file_id is not None
    output = files.get_file_content(batch.output_file_id)
    lines = [json.loads(line) for line in output.decode().splitlines()]
    assert sorted(line["custom_id"] for line in lines) == ["first", "second"]
    assert all(line["response"]["body"]["choices"][0]["message"]["content"] for line in lines)


def catch_refusal() -> None:
    try:
        inference.create_chat_completion(ChatCompletionRequest(model="nowhere", messages=messages))
    except NotFoundException as refusal:
        assert refusal.data is not None
        error = refusal.data.error
        assert (refusal.status, error.code, error.param) == (404, "model_not_found", "model")
        assert "nowhere" in error.message
    else:
        raise AssertionError("An unknown model was not refused.")


def catch_misspelt_bound() -> None:
    request = ChatCompletionRequest(model="tide", messages=messages)
    request.additional_properties = {"price_limt": 0.1}
    try:
        inference.create_chat_completion(request)
    except BadRequestException as refusal:
        assert refusal.data is not None
        error = refusal.data.error
        assert (refusal.status, error.param) == (400, "price_limt")
        assert "did you mean price_limit?" in error.message
    else:
        raise AssertionError("A misspelt bound was not refused.")


def pay_once_with_two_clients() -> None:
    terms: Any = {"price_limit": "2", "idempotency_key": str(uuid.uuid4())}
    hello: Any = [{"role": "user", "content": "Hello"}]
    with ThreadPoolExecutor(2) as both:
        one, other = both.map(lambda own: own.orders.place(hello, model="tide", **terms), (Sluice(), Sluice()))
    assert one.id == other.id, (one.id, other.id)
    assert one.result().usage.x_market.charged_usd == other.result().usage.x_market.charged_usd > 0
    try:
        Sluice().orders.place(hello, model="harbor", **terms)
    except ConflictError as error:
        assert (error.code, error.charged, error.order_id) == ("idempotency_error", False, None)
    else:
        raise AssertionError("Another order with the key was not refused.")


def batch_line(custom_id: str) -> str:
    body = {"model": "harbor", "messages": [message.to_dict() for message in messages]}
    return json.dumps({"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body})


def charge_of(answer: ChatCompletion, ratio: PricingRatio) -> float:
    """The cost of the answer at the level of its receipt, in USD."""
    usage = answer.usage
    cached = usage.prompt_tokens_details.cached_tokens
    uncached = usage.prompt_tokens - cached
    weighted = cached * ratio.cached + uncached * ratio.uncached + usage.completion_tokens * ratio.output
    mix = 0.9 * ratio.cached + 0.1 * ratio.uncached + 0.02 * ratio.output
    return float(usage.x_market.level_at_execution) * weighted / mix / 1e6


def nano(usd: Decimal | float) -> int:
    return round(float(usd) * 1e9)


def done(step: str) -> None:
    print(f"ok {step}", flush=True)


if __name__ == "__main__":
    main()
