"""The Python layer against servers that fail: retries, errors, orders that go on, receipts."""

import asyncio
import base64
import json
import threading
import unittest
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from sluice import (
    AsyncSluice,
    Attempt,
    BatchLine,
    ChatCompletionRequest,
    ChatMessage,
    ConflictError,
    ConnectionError,
    InsufficientQuotaError,
    InvalidRequestError,
    OrderExpiredError,
    OrderReceipt,
    RateLimitError,
    ReceiptError,
    SigningKeys,
    Sluice,
    TimeoutError,
    UnexpectedAnswerError,
    call_options,
)
from sluice.threads import in_thread

ID = "01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f"
ACCEPTED = {
    **{"id": ID, "object": "order", "status": "queued", "expires_at": "2026-11-27T08:00:00.000Z", "result_url": ""},
    **{"result_stored": True, "result_retention_days": 7},
}
ORDER = {
    **{"id": ID, "bid": 0.5, "kind": "chat", "model": "tide", "created_at": "2026-11-27T07:00:00.000Z"},
    **{"admitted_at": None, "finished_at": None, "expires_at": "2026-11-27T08:00:00.000Z"},
    **{"level_at_execution": None, "queue_position": None, "error": None},
}
RESULT = {"object": "order.result", "kind": "chat", "result_expires_at": None}
HELLO: Any = [{"role": "user", "content": "hello"}]

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers: Sequence[Answer] = ()
    seen: List[Dict[str, Any]] = []

    def answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode()
        number = min(len(self.seen), len(self.answers) - 1)
        self.seen.append({"path": self.path, "headers": dict(self.headers), "body": body})
        self.answers[number](self)

    do_GET = do_POST = answer

    def write(self, status: int, content_type: str, text: str, headers: Dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(text.encode())))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def reply(status: int, body: Any, **headers: str) -> Answer:
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.write(status, "application/json", json.dumps(body), own)


def refusal(status: int, kind: str, code: str, **headers: str) -> Answer:
    return reply(status, {"error": {"message": "No.", "type": kind, "code": code, "param": None}}, **headers)


def order(status: str) -> Answer:
    return reply(200, {**ORDER, "status": status})


def events(*parts: str) -> Answer:
    text = "".join(f"id: {number}\ndata: {data}\n\n" for number, data in (part.split(" ", 1) for part in parts))
    return lambda handler: handler.write(200, "text/event-stream", text, {})


def chunk(text: str) -> str:
    return json.dumps({"object": "chat.completion.chunk", "choices": [{"delta": {"content": text}}]})


def drop(handler: Handler) -> None:
    handler.close_connection = True


def page(handler: Handler) -> None:
    handler.write(502, "text/html", "<h1>Bad gateway</h1>", {})


def sign_in(handler: Handler) -> None:
    handler.write(200, "text/html", "<h1>Sign in</h1>", {})


def moved(handler: Handler) -> None:
    handler.write(302, "text/html", "", {"location": "/elsewhere"})


def cut_json(handler: Handler) -> None:
    """Without its length, an answer ends where the connection does."""
    handler.send_response(202)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    handler.wfile.write(json.dumps(ACCEPTED)[:40].encode())
    handler.close_connection = True


@contextmanager
def served(*answers: Answer, **options: Any) -> Iterator[Tuple[Sluice, List[Dict[str, Any]]]]:
    """A client of a server that answers in turn (the last answer is repeated), and the requests."""
    seen: List[Dict[str, Any]] = []
    own = type("Own", (Handler,), {"answers": answers, "seen": seen})
    server = ThreadingHTTPServer(("127.0.0.1", 0), own)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Sluice(base_url=f"http://127.0.0.1:{server.server_port}", api_key="sk", **options), seen
    finally:
        server.shutdown()
        server.server_close()


class CallTest(unittest.TestCase):
    def test_is_tried_again_with_the_same_key_and_each_attempt_is_logged(self) -> None:
        log: List[Attempt] = []
        with served(page, drop, reply(202, ACCEPTED), on_attempt=log.append) as (client, seen):
            self.assertEqual(client.orders.place(HELLO).id, ID)
        self.assertEqual([(each.attempt, each.status) for each in log], [(1, 502), (2, None), (3, 202)])
        self.assertEqual(len({each["headers"]["Idempotency-Key"] for each in seen}), 1)
        self.assertIs(json.loads(seen[0]["body"])["detached"], True)
        self.assertEqual((seen[0]["headers"]["Authorization"], seen[0]["headers"]["X-Strict"]), ("Bearer sk", "true"))

    def test_is_not_tried_again_when_the_gateway_forbids_it(self) -> None:
        with served(refusal(429, "rate_limit_error", "rate_limit_error", x_should_retry="false")) as (client, seen):
            with self.assertRaises(RateLimitError) as raised:
                client.orders.place(HELLO)
        self.assertEqual((raised.exception.retryable, raised.exception.charged, len(seen)), (False, False, 1))

    def test_sends_money_as_numbers_and_fields_that_the_client_does_not_know(self) -> None:
        with served(reply(202, ACCEPTED)) as (client, seen):
            client.orders.place(
                HELLO, price_limit="0.000006852", max_wait=60, tags=["a"], idempotency_key="k", extra_body={"top_k": 4}
            )
        body = json.loads(seen[0]["body"])
        self.assertEqual((body["price_limit"], body["max_wait"], body["tags"], body["top_k"]), (0.000006852, 60, ["a"], 4))
        self.assertEqual(seen[0]["headers"]["Idempotency-Key"], "k")

    def test_with_a_misspelt_field_or_a_float_for_money_is_not_sent(self) -> None:
        wrong: List[Dict[str, Any]] = [{"price_limt": "2"}, {"price_limit": 2.0}, {"price_limit": "two"}, {"model": 3}]
        with served(page) as (client, seen):
            for params in wrong:
                with self.assertRaises(InvalidRequestError) as raised:
                    client.orders.place(HELLO, **params)
                self.assertIs(raised.exception.charged, False)
        self.assertEqual(seen, [])
        for fields in ({"price_limt": 2}, {"detached": True}, {"stream": True}):
            with self.assertRaises(ValueError):
                ChatCompletionRequest(messages=[ChatMessage(role="user")], **fields)

    def test_to_no_server_says_that_nothing_was_charged(self) -> None:
        with served(page) as (client, _):
            pass
        with self.assertRaises(ConnectionError) as raised:
            client.orders.place(HELLO, max_retries=0)
        self.assertEqual((raised.exception.charged, raised.exception.status), (False, None))

    def test_whose_answer_is_lost_names_the_key_that_finds_the_order(self) -> None:
        with served(drop) as (client, _), self.assertRaises(ConnectionError) as raised:
            client.orders.place(HELLO, idempotency_key="mine", max_retries=0)
        self.assertIsNone(raised.exception.charged)
        self.assertIn("idempotency_key mine finds it and pays only once", raised.exception.message)

    def test_ends_at_its_timeout(self) -> None:
        ended = threading.Event()

        def wait(_: Handler) -> None:
            ended.wait()

        with served(wait) as (client, _):
            with self.assertRaises(TimeoutError) as raised:
                client.orders.place(HELLO, timeout=0.05)
            ended.set()
        self.assertIsNone(raised.exception.charged)

    def test_with_a_success_that_is_not_described_names_the_order_and_its_charge(self) -> None:
        with served(reply(202, ACCEPTED, x_service_order_id=ID), order("done")) as (client, seen):
            with self.assertRaises(UnexpectedAnswerError) as raised:
                client.api.inference.create_chat_completion(ChatCompletionRequest(messages=[ChatMessage(role="user")]))
        self.assertEqual((raised.exception.order_id, raised.exception.charged), (ID, True))
        self.assertEqual(seen[1]["path"], f"/v1/orders/{ID}")

    def test_that_is_refused_with_an_order_has_the_charge_of_that_order(self) -> None:
        expired = refusal(408, "timeout_error", "order_expired", x_service_order_id=ID, x_should_retry="false")
        with served(expired, order("expired")) as (client, _), self.assertRaises(OrderExpiredError) as raised:
            client.api.inference.create_chat_completion(ChatCompletionRequest(messages=[ChatMessage(role="user")]))
        self.assertEqual((raised.exception.order_id, raised.exception.charged), (ID, False))

    def test_whose_json_is_cut_is_tried_again_with_the_same_key(self) -> None:
        with served(cut_json, reply(202, ACCEPTED)) as (client, seen):
            self.assertEqual(client.orders.place(HELLO).id, ID)
        self.assertEqual(len({each["headers"]["Idempotency-Key"] for each in seen}), 1)

    def test_that_a_page_or_a_redirect_answers_leaves_the_charge_open_and_follows_nothing(self) -> None:
        for answer, status in ((sign_in, 200), (moved, 302)):
            with served(answer) as (client, seen), self.assertRaises(UnexpectedAnswerError) as raised:
                client.orders.place(HELLO, idempotency_key="mine")
            self.assertEqual((raised.exception.status, raised.exception.charged, len(seen)), (status, None, 1))
            self.assertIn("idempotency_key mine finds it", raised.exception.message)
            with served(answer) as (client, seen), self.assertRaises(UnexpectedAnswerError):
                client.market.models()

    def test_waits_a_minute_at_most_for_what_retry_after_says(self) -> None:
        for said in ("86400", "Fri, 31 Dec 2100 23:59:59 GMT"):
            with served(refusal(429, "rate_limit_error", "rate_limit_error", retry_after=said)) as (client, seen):
                with self.assertRaises(RateLimitError) as raised:
                    client.orders.place(HELLO)
            self.assertEqual((raised.exception.charged, raised.exception.retryable, len(seen)), (False, True, 1))
        past = refusal(429, "rate_limit_error", "rate_limit_error", retry_after="Fri, 31 Dec 1999 23:59:59 GMT")
        with served(past, reply(202, ACCEPTED)) as (client, seen):
            client.orders.place(HELLO)
        self.assertEqual(len(seen), 2)

    def test_that_its_timeout_ends_in_the_wait_for_a_retry_says_whether_an_order_may_exist(self) -> None:
        limited = refusal(429, "rate_limit_error", "rate_limit_error", retry_after="30")
        for answer, charged in ((limited, False), (page, None)):
            with served(answer) as (client, _), self.assertRaises(TimeoutError) as raised:
                client.orders.place(HELLO, timeout=1, max_retries=1000)
            self.assertIs(raised.exception.charged, charged)

    def test_has_no_header_with_a_line_break(self) -> None:
        with served(reply(202, ACCEPTED)) as (client, seen):
            host = client.api.client.configuration.host
            Sluice(base_url=f" {host}/behind/v1/ ", api_key="sk\n").orders.place(HELLO)
            self.assertEqual((seen[0]["path"], seen[0]["headers"]["Authorization"]), ("/behind/v1/chat/completions", "Bearer sk"))
            wrong: List[Dict[str, Any]] = [{"idempotency_key": "a\nb"}, {"headers": {"X-Own": "a\r\nb"}}]
            for options in wrong:
                with self.assertRaises(InvalidRequestError) as raised:
                    client.orders.place(HELLO, **options)
                self.assertIs(raised.exception.charged, False)
        self.assertEqual(len(seen), 1)
        for address in ("127.0.0.1:8080", "localhost:8080", "ftp://localhost"):
            self.assertRaises(ValueError, Sluice, base_url=address)

    def test_of_the_core_takes_options_from_a_with_block(self) -> None:
        with served(page) as (client, seen), self.assertRaises(Exception), call_options(max_retries=0):
            client.api.market.get_market()
        self.assertEqual(len(seen), 1)


class OrderTest(unittest.TestCase):
    placed = staticmethod(reply(202, ACCEPTED))

    def test_is_followed_over_cuts_without_an_event_missing_or_there_twice(self) -> None:
        first = events(f"0 {chunk('a')}", f"1 {chunk('b')}")
        rest = events(f"2 {chunk('c')}", "3 [DONE]")
        with served(self.placed, first, drop, rest) as (client, seen):
            all_of = [(event.number, event.text) for event in client.orders.place(HELLO).stream()]
        self.assertEqual(all_of, [(0, "a"), (1, "b"), (2, "c")])
        self.assertEqual(seen[-1]["path"], f"/v1/orders/{ID}/stream?starting_after=1")

    def test_begins_again_where_it_runs_again_and_says_so(self) -> None:
        restarted = refusal(409, "conflict_error", "stream_restarted")
        answers = [events(f"0 {chunk('a')}"), restarted, order("executing"), events(f"0 {chunk('x')}", "1 [DONE]")]
        with served(self.placed, *answers) as (client, _):
            all_of = [(event.text, event.restarted) for event in client.orders.place(HELLO).stream()]
        self.assertEqual(all_of, [("a", False), ("x", True)])

    def test_that_ends_unserved_is_an_error_without_a_charge(self) -> None:
        error = {"code": "insufficient_balance", "message": "Too low."}
        ended = reply(200, {**ORDER, **RESULT, "status": "error", "body": None, "error": error})
        with served(self.placed, ended) as (client, _), self.assertRaises(InsufficientQuotaError) as raised:
            client.orders.place(HELLO).result()
        self.assertEqual((raised.exception.charged, raised.exception.order_id), (False, ID))

    def test_that_cannot_be_repriced_says_why_and_one_canceled_twice_is_canceled(self) -> None:
        entry = {"id": ID, "changed": False, "code": "not_queued", "reason": "It runs."}
        reprice = reply(200, {"object": "list", "price_limit": 3, "changed": 0, "data": [entry]})
        conflict = refusal(409, "conflict_error", "order_not_cancelable")
        answers = [reprice, order("executing"), conflict, order("canceled"), order("canceled")]
        with served(self.placed, *answers) as (client, _):
            placed = client.orders.place(HELLO)
            with self.assertRaises(ConflictError) as raised:
                placed.reprice(Decimal(3))
            self.assertEqual((raised.exception.code, raised.exception.charged), ("not_queued", None))
            placed.cancel()
            self.assertEqual(placed.status, "canceled")

    def test_is_awaited_and_followed_with_asyncio(self) -> None:
        with served(self.placed, events(f"0 {chunk('a')}", "1 [DONE]")) as (client, _):
            host = client.api.client.configuration.host

            async def follow() -> List[str]:
                placed = await AsyncSluice(base_url=host, api_key="sk").orders.place(HELLO)
                return [event.text async for event in placed.stream()]

            self.assertEqual(asyncio.run(follow()), ["a"])

    def test_leaves_no_thread_behind_that_asks_on_when_a_task_is_canceled(self) -> None:
        queued = reply(200, {**ORDER, **RESULT, "status": "queued", "body": None})
        with served(self.placed, queued) as (client, _):
            host = client.api.client.configuration.host

            async def hurry() -> None:
                placed = await AsyncSluice(base_url=host, api_key="sk").orders.place(HELLO)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(placed.result(), 0.3)

            asyncio.run(hurry())
            for thread in [each for each in threading.enumerate() if each.name == "sluice"]:
                thread.join(10)
                self.assertFalse(thread.is_alive())

    def test_may_be_awaited_beside_any_number_of_others(self) -> None:
        count = 40
        together = threading.Barrier(count)

        async def all_at_once() -> None:
            await asyncio.gather(*(in_thread(lambda: together.wait(10)) for _ in range(count)))

        asyncio.run(all_at_once())

    def test_has_every_resource_with_asyncio(self) -> None:
        listed = {"object": "list", "data": [{**ORDER, "id": "a", "status": "done"}], "has_more": False, "next_cursor": None}
        with served(order("done"), reply(200, listed)) as (client, _):
            host = client.api.client.configuration.host

            async def ask() -> List[str]:
                sluice = AsyncSluice(base_url=host, api_key="sk")
                self.assertEqual((await sluice.orders.get(ID)).status, "done")
                return [order.id async for order in sluice.orders.list(status=["done"])]

            self.assertEqual(asyncio.run(ask()), ["a"])
        for name in ("orders", "files", "batches", "market"):
            for method in vars(type(getattr(client, name))):
                if not method.startswith("_"):
                    self.assertTrue(hasattr(getattr(AsyncSluice(base_url=host), name), method), f"{name}.{method}")


FILE = {
    **{"id": "file-1", "object": "file", "bytes": 3, "created_at": 5000, "expires_at": 9000, "filename": "lines.jsonl"},
    **{"purpose": "batch", "status": "processed"},
}
NULLS = ("errors", "error_file_id", "in_progress_at", "finalizing_at", "failed_at", "expired_at", "cancelling_at", "cancelled_at")


def batch(name: str, run: str, created_at: int) -> Dict[str, Any]:
    return {
        **{"id": name, "object": "batch", "endpoint": "/v1/chat/completions", "status": "completed", "created_at": created_at},
        **{"expires_at": 9000, "completion_window": "24h", "input_file_id": "file-1", "output_file_id": "out"},
        **{"completed_at": 6000, "metadata": {"sluice_client_run": run}, **{each: None for each in NULLS}},
        **{"request_counts": {"total": 3, "completed": 1, "failed": 1}},
        **{"x_retention": {"output_days": 1, "output_expires_at": None, "output_deleted": False}},
        **{"x_market": {"active": 0, "pending_result": 0, "expired": 0, "canceled": 0, "bid": None, "deadline": None}},
    }


def text(content: str) -> Answer:
    return lambda handler: handler.write(200, "application/jsonl", content, {})


class BatchTest(unittest.TestCase):
    lost = {"custom_id": "a", "error": {"code": "result_unavailable", "message": "Lost."}}
    expired = {"custom_id": "c", "error": {"code": "order_expired", "message": "Late."}}
    answered = {"custom_id": "b", "response": {"status_code": 200, "request_id": ID, "body": {"n": 1}}}
    output = staticmethod(text("".join(f"{json.dumps(line)}\n" for line in (lost, answered, expired))))

    def test_sends_amounts_with_all_digits_and_says_what_each_line_cost(self) -> None:
        exact = Decimal("0.123456789012345678901")
        bodies: List[Any] = [{"price_limit": exact}, {"price_limit": "2.50"}, {"inner": [{"a": Decimal("1E-9")}]}]
        lines = [BatchLine(name, body) for name, body in zip("abc", bodies)]
        with served(reply(200, FILE), reply(200, batch("one", "r", 5001)), self.output) as (client, seen):
            results = client.batches.run(lines, price_limit=exact)
        uploaded = [json.loads(line, parse_float=str)["body"] for line in seen[0]["body"].splitlines() if line.startswith("{")]
        self.assertEqual(uploaded[0], {"price_limit": str(exact)})
        self.assertEqual(uploaded[1:], [{"price_limit": "2.50"}, {"inner": [{"a": "0.000000001"}]}])
        self.assertIn(f'"price_limit": {exact}', seen[1]["body"])
        self.assertEqual([each.error and each.error.charged for each in results], [True, None, False])
        self.assertEqual(results[1].body, {"n": 1})

    def test_whose_answer_is_lost_is_found_whatever_the_clock_of_this_machine_says(self) -> None:
        seen: List[Dict[str, Any]] = []

        def listed(handler: Handler) -> None:
            run = json.loads(seen[1]["body"])["metadata"]["sluice_client_run"]
            data = [batch("other", "r", 5003), batch("mine", run, 5001), batch("old", "r", 4000)]
            reply(200, {"object": "list", "data": data, "has_more": True, "first_id": "other", "last_id": "old"})(handler)

        with served(reply(200, FILE), drop, listed, self.output) as (client, requests):
            seen = requests
            client.batches.run([BatchLine("a", {})])
        self.assertEqual([each["path"].split("?")[0] for each in seen[1:3]], ["/v1/batches", "/v1/batches"])
        self.assertEqual(len(seen), 4)


# Signed with the key below: the receipt that docs/buy/receipts.md computes.
JWS = (
    "eyJhbGciOiJFZERTQSIsInR5cCI6InNsdWljZS1yZWNlaXB0K2p3cyIsImtpZCI6ImsxIn0.eyJpc3MiOiJodHRwczovL3NsdWlj"
    "ZS5leGFtcGxlIiwiaWF0IjoxLCJvcmRlcl9pZCI6IjAxOTgwZDNlLTdjNWEtN2IzZS05ZDJmLTRhNmI4YzBkMWUyZiIsImtpbmQi"
    "OiJjaGF0IiwibW9kZWwiOiJ0aWRlLTcwYiIsImNyZWF0ZWRfYXQiOiIyMDI2LTExLTI3VDA3OjAwOjAwLjAwMFoiLCJhZG1pdHRl"
    "ZF9hdCI6bnVsbCwic2V0dGxlZF9hdCI6IjIwMjYtMTEtMjdUMDc6MDA6MDAuMDAwWiIsInRhcmlmZiI6Im1hcmtldDoxMDA6MTAw"
    "MDo0MDAwIiwibGV2ZWxfbmFub191c2QiOjEwMDAwMDAwLCJiaWRfbmFub191c2QiOjEwMDAwMDAwLCJwcm9tcHRfdG9rZW5zIjox"
    "NywiY2FjaGVkX3Rva2VucyI6MCwib3V0cHV0X3Rva2VucyI6NDIsImVzdGltYXRlZCI6ZmFsc2UsImNoYXJnZWRfbmFub191c2Qi"
    "OjY4NTIsIndyaXR0ZW5fb2ZmX25hbm9fdXNkIjowLCJsZXZlbF9yb3ciOm51bGwsInF1b3RlX3dpbmRvdyI6bnVsbH0.rocIripB"
    "i5bcxeyW0tVLLx7-LtcQdjJj28E8frzeqnY11HCj6-a3WtpK7vUHLKftFcfnVUjSiE6ByCSqHY8QAw"
)
KEY = {"kty": "OKP", "crv": "Ed25519", "x": "3ISE5Hur8K6RbnxZ-u-eOL6zvimxZ7PPpzY6yTis0pY", "kid": "k1", "use": "sig", "alg": "EdDSA"}


class ReceiptTest(unittest.TestCase):
    def keys(self, issuer: str = "https://sluice.example") -> SigningKeys:
        keys = SigningKeys.from_dict({"issuer": issuer, "keys": [KEY]})
        assert keys is not None
        return keys

    def test_is_verified_by_its_signature_and_its_arithmetic(self) -> None:
        receipt = OrderReceipt(JWS, self.keys())
        receipt.verify()
        self.assertEqual(receipt.charged, Decimal("0.000006852"))

    def test_is_wrong_after_any_change(self) -> None:
        header, payload, signature = JWS.split(".")
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        for changes in ({"charged_nano_usd": 1}, {"tariff": "barter"}, {"output_tokens": 43}):
            text = base64.urlsafe_b64encode(json.dumps({**claims, **changes}).encode()).decode().rstrip("=")
            with self.assertRaisesRegex(ReceiptError, "signature"):
                OrderReceipt(f"{header}.{text}.{signature}", self.keys()).verify()
        with self.assertRaisesRegex(ReceiptError, "keys are of"):
            OrderReceipt(JWS, self.keys("https://other.example")).verify()

    def test_is_no_jws(self) -> None:
        for text in ("", "a.b", "a.b.c", "a.b.c.d"):
            with self.assertRaises(ReceiptError):
                OrderReceipt(text, self.keys())


if __name__ == "__main__":
    unittest.main()
