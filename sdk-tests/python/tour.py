"""A tour of the client, against a gateway that sells ``tide``, and ``narrows``, whose slots are taken."""

import json
import sys

from sluice import Batch, BatchLine, ConflictError, Sluice, SluiceError

client = Sluice()  # SLUICE_KEY, SLUICE_BASE_URL
QUESTION = "What is a sluice?"


def place_and_stream() -> None:
    order = client.orders.place([{"role": "user", "content": QUESTION}], model="tide", price_limit="2")
    # It goes on after a cut. An event with ``restarted`` begins a new run.
    for event in order.stream():
        print(event.number, json.dumps(event.data))
    answer = order.result()
    receipt = order.receipt()
    receipt.verify()  # signature and arithmetic, without a network
    print("paid", receipt.charged, "USD for", answer.usage.total_tokens, "tokens")


def collect_later() -> None:
    order_id = client.orders.place([{"role": "user", "content": QUESTION}], model="tide", price_limit="2").id
    # Another program may do this, as long as the result is stored.
    order = client.orders.get(order_id)
    print("collected", order.result().choices[0].finish_reason, order.id)


def reprice_and_cancel() -> None:
    order = client.orders.place([{"role": "user", "content": QUESTION}], model="narrows", price_limit="1")
    order.reprice("1.5")
    order.cancel()
    try:
        order.result()
    except ConflictError as error:
        print(error.code, error.order_id, "charged:", error.charged)


def list_all() -> None:
    for each in client.orders.list(status=["done", "canceled"]):
        print("order", each.id, each.status, each.order and each.order.bid)


def on_progress(batch: Batch) -> None:
    print(batch.status, batch.request_counts.completed, "of", batch.request_counts.total)


def run_batch() -> None:
    body = {"model": "tide", "messages": [{"role": "user", "content": QUESTION}]}
    lines = [BatchLine(name, body) for name in ("a", "b")]
    for result in client.batches.run(lines, price_limit="2", on_progress=on_progress):
        print("line", result.custom_id, result.error or "done")


def watch_prices() -> None:
    candles = client.market.candles(model="tide", range="1h", bucket=60)
    print("level", candles.current, "in", len(candles.candles), "candles")
    for level in client.market.levels():
        print("level of", level.model, level.level)
        break


if __name__ == "__main__":
    try:
        for step in (place_and_stream, collect_later, reprice_and_cancel, list_all, run_batch, watch_prices):
            step()
    except SluiceError as error:
        sys.exit(f"{error.code}: {error.message} Order: {error.order_id}. Charged: {error.charged}.")
