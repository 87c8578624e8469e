"""The three hundred calls of sdk-tests/README.md with the Python client."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, Tuple

from sluice import ChatCompletionRequest, ChatMessage, Sluice, SluiceError, call_options

AT_ONCE = 8
client = Sluice()


def take(asked: Dict[str, Any]) -> Tuple[str, Decimal]:
    text = f"call {asked['call']}"
    extra = {"x_simulate": asked["simulate"]}
    model, limit, store = asked["model"], asked["priceLimit"], asked["store"]
    if asked["how"] == "complete":
        message = ChatMessage(role="user", content=text)
        request = ChatCompletionRequest(model=model, messages=[message], price_limit=Decimal(limit), store=store)
        with call_options(extra_body=extra):
            receipt = client.api.inference.create_chat_completion(request).usage.x_market
        return receipt.order_id, receipt.charged_usd
    fields: Any = {"model": model, "price_limit": limit, "store": store, "max_wait": asked["maxWait"]}
    ends: Any = {} if asked["timeoutMs"] is None else {"timeout": asked["timeoutMs"] / 1000}
    order = client.orders.place([{"role": "user", "content": text}], **fields, extra_body=extra, **ends)
    if asked["how"] == "cancel":
        order.cancel(**ends)
    if asked["how"] == "stream":
        for _ in order.stream(**ends):
            pass
    return order.id, order.result(**ends).usage.x_market.charged_usd


def outcome(line: str) -> str:
    asked = json.loads(line)
    said: Dict[str, Any] = {"call": asked["call"], "chargedUsd": None, "error": None}
    try:
        order_id, charged = take(asked)
        said.update(returned=True, orderId=order_id, charged=True, chargedUsd=f"{charged:f}")
    except SluiceError as error:
        said.update(returned=False, orderId=error.order_id, charged=error.charged, error=error.message)
    return json.dumps(said)


if __name__ == "__main__":
    lines = Path(os.environ["SLUICE_CALLS"]).read_text().splitlines()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for printed in pool.map(outcome, lines):
            print(printed, flush=True)
