"""The official Python clients with their add-ons, against the gateway of SLUICE_BASE_URL."""

import asyncio
import unittest
from typing import Any, Dict, List, Set, Union

import anthropic
import httpx2
import openai
from sluice import Sluice
from sluice_anthropic import Anthropic, AsyncAnthropic
from sluice_openai import AsyncOpenAI, OpenAI, ReceiptError

Asked = Dict[str, Any]
CHAT: Asked = {"model": "tide", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 25}
MESSAGE: Asked = CHAT
SLOW = {"x_simulate": {"output_tokens": 25, "token_ms": 100}}


class Lossy(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Loses the first answers of POST requests: after the gateway gave them, or ``cut_s`` after they were asked for."""

    def __init__(self, count: int, cut_s: Union[float, None] = None) -> None:
        self.left, self.cut_s = count, cut_s
        self.sent: List[str] = []
        self.keys: Set[str] = set()

    def _loses(self, request: httpx2.Request) -> bool:
        if request.method != "POST":
            return False
        self.sent.append(request.url.path)
        self.keys.add(request.headers.get("idempotency-key", ""))
        self.left -= 1
        if self.left >= 0 and self.cut_s is not None:
            request.extensions["timeout"] = {**request.extensions["timeout"], "read": self.cut_s}
        return self.left >= 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        loses = self._loses(request)
        answer = httpx2.HTTPTransport().handle_request(request)
        if loses:
            answer.read()
            raise httpx2.ReadError("lost")
        return answer

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        loses = self._loses(request)
        answer = await httpx2.AsyncHTTPTransport().handle_async_request(request)
        if loses:
            await answer.aread()
            raise httpx2.ReadError("lost")
        return answer


def orders_at(bid: str) -> int:
    return sum(1 for each in Sluice().orders.list() if each.order is not None and str(each.order.bid) == bid)


class TestOpenAI(unittest.TestCase):
    client = OpenAI().with_bid(price_limit="2")

    def test_bids_and_has_a_receipt_that_verifies(self) -> None:
        capped = self.client.with_bid(max_charge="0.25")
        answer = capped.chat.completions.create(**CHAT)
        receipt = self.client.receipt(answer)
        receipt.verify()
        order = Sluice().orders.get(receipt.claims.order_id).order
        assert order is not None
        self.assertEqual((str(order.bid), str(order.max_charge_usd)), ("2", "0.25"))

    def test_has_the_receipt_of_a_stream_without_changing_its_chunks(self) -> None:
        stream: Any = self.client.chat.completions.create(**CHAT, stream=True)
        self.assertTrue("".join(chunk.choices[0].delta.content or "" for chunk in stream))
        self.client.receipt(stream).verify()

    def test_has_the_receipts_of_responses_and_of_assembled_streams(self) -> None:
        with self.client.chat.completions.stream(model="tide", messages=CHAT["messages"]) as stream:
            assembled = stream.get_final_completion()
        response = self.client.responses.create(model="tide", input="Hello", max_output_tokens=20)
        for answered in (assembled, response):
            self.client.receipt(answered).verify()

    def test_refuses_a_receipt_whose_charge_was_changed(self) -> None:
        receipt = self.client.receipt(self.client.chat.completions.create(**CHAT))
        receipt.claims.charged_nano_usd += 1
        self.assertRaises(ReceiptError, receipt.verify)

    def test_pays_once_for_a_call_whose_answers_were_lost(self) -> None:
        lossy = Lossy(2)
        copy = self.client.with_bid(price_limit="2.5").with_options(http_client=httpx2.Client(transport=lossy))
        before = orders_at("2.5")
        copy.chat.completions.create(**CHAT)
        self.assertEqual((len(lossy.sent), len(lossy.keys), orders_at("2.5") - before), (3, 1, 1))

    def test_waits_for_an_order_though_its_connection_was_cut(self) -> None:
        lossy = Lossy(1, cut_s=0.3)
        copy = self.client.with_options(http_client=httpx2.Client(transport=lossy), max_retries=1)
        answer = copy.chat.completions.create(**CHAT, extra_body=SLOW)
        assert answer.usage is not None
        self.assertEqual(answer.usage.completion_tokens, 25)
        self.assertEqual(len(lossy.keys), 1)
        self.assertGreater(len(lossy.sent), 1)

    def test_a_misspelt_bid_raises_uncharged(self) -> None:
        misspelt: Any = {"price_limt": "2"}
        self.assertRaises(TypeError, self.client.with_bid, **misspelt)
        with self.assertRaisesRegex(openai.BadRequestError, "did you mean price_limit"):
            self.client.chat.completions.create(**CHAT, extra_body=misspelt)
        self.assertRaises(ValueError, self.client.with_bid, price_limit="two")

    def test_a_call_that_says_when_to_start_gets_no_default_deadline(self) -> None:
        deadline = self.client.with_bid(deadline=3600)
        orders = Sluice().orders
        for extra, has_strategy in (({}, True), ({"max_wait": 60}, False)):
            answer = deadline.chat.completions.create(**CHAT, extra_body=extra)
            order = orders.get(self.client.receipt(answer).claims.order_id).order
            assert order is not None
            self.assertEqual(order.strategy is not None, has_strategy)

    def test_a_batch_is_not_sent_again(self) -> None:
        lossy = Lossy(1)
        copy = self.client.with_options(http_client=httpx2.Client(transport=lossy))
        batch: Any = {"input_file_id": "file-none", "endpoint": "/v1/chat/completions", "completion_window": "24h"}
        self.assertRaises(openai.APIConnectionError, copy.batches.create, **batch)
        self.assertEqual(len(lossy.sent), 1)

    def test_asyncio(self) -> None:
        async def run() -> None:
            lossy = Lossy(1, cut_s=0.3)
            http = httpx2.AsyncClient(transport=lossy)
            client = AsyncOpenAI(http_client=http, max_retries=1).with_bid(price_limit="2")
            answer = await client.chat.completions.create(**CHAT, extra_body=SLOW)
            (await client.receipt(answer)).verify()
            self.assertEqual(len(lossy.keys), 1)
            stream: Any = await client.chat.completions.create(**CHAT, stream=True)
            async for _ in stream:
                pass
            (await client.receipt(stream)).verify()

        asyncio.run(run())


class TestAnthropic(unittest.TestCase):
    client = Anthropic().with_bid(price_limit="2")

    def test_bids_and_has_receipts_of_answers_and_streams(self) -> None:
        message = self.client.with_bid(price_limit="1.9").messages.create(**MESSAGE)
        receipt = self.client.receipt(message)
        receipt.verify()
        order = Sluice().orders.get(receipt.claims.order_id).order
        assert order is not None
        self.assertEqual(str(order.bid), "1.9")
        stream: Any = self.client.messages.create(**MESSAGE, stream=True)
        for _ in stream:
            pass
        with self.client.messages.stream(**MESSAGE) as helper:
            assembled = helper.get_final_message()
        for answered in (stream, assembled):
            self.client.receipt(answered).verify()

    def test_pays_once_for_a_call_whose_answers_were_lost(self) -> None:
        lossy = Lossy(2)
        copy = self.client.with_bid(price_limit="2.6").with_options(http_client=httpx2.Client(transport=lossy))
        before = orders_at("2.6")
        copy.messages.create(**MESSAGE)
        self.assertEqual((len(lossy.sent), len(lossy.keys), orders_at("2.6") - before), (3, 1, 1))

    def test_waits_for_an_order_though_its_connection_was_cut(self) -> None:
        lossy = Lossy(1, cut_s=0.3)
        copy = self.client.with_options(http_client=httpx2.Client(transport=lossy), max_retries=1)
        self.assertEqual(copy.messages.create(**MESSAGE, extra_body=SLOW).usage.output_tokens, 25)
        self.assertEqual(len(lossy.keys), 1)

    def test_asyncio(self) -> None:
        async def run() -> None:
            client = AsyncAnthropic().with_bid(price_limit="2")
            (await client.receipt(await client.messages.create(**MESSAGE))).verify()

        asyncio.run(run())

    def test_a_misspelt_bid_raises_uncharged(self) -> None:
        with self.assertRaises(anthropic.BadRequestError):
            self.client.messages.create(**MESSAGE, extra_body={"price_limt": 1})
