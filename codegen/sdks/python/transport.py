"""Retries, idempotency and errors for every request, of the layer and of the generated core alike.

It is handwritten and copied into the client as it is: the generator sends each request once.
"""

import contextlib
import email.utils
import json
import random
import re
import time
import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, cast
from urllib.parse import urlsplit, urlunsplit

import urllib3
from typing_extensions import TypedDict, Unpack
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, NewConnectionError

from sluice import rest
from sluice.configuration import Configuration
from sluice.error_classes import NotFoundError
from sluice.errors import ConnectionError, Fault, SluiceError, TimeoutError, UnexpectedAnswerError
from sluice.faults import error_of, fault_in


@dataclass(frozen=True)
class Attempt:
    """One attempt of a call, for a log."""

    method: str
    path: str
    status: Optional[int]
    """None when no answer came."""
    attempt: int
    """Counts the attempts of a call from 1."""
    seconds: float
    request_id: Optional[str]


class Options(TypedDict, total=False):
    """Where the gateway is, who calls, and what every call has."""

    api_key: str
    """The environment's SLUICE_KEY when absent. Prices need none."""
    base_url: str
    """The address without ``/v1``; SLUICE_BASE_URL, or else ``http://127.0.0.1:8080``, when absent."""
    max_retries: int
    """How often a call is tried again after 408, 429, 5xx and broken connections; 2 when absent. Each order is made once."""
    connect_timeout: float
    """Seconds to connect; 10 when absent."""
    timeout: float
    """Seconds that each call may take; without an end when absent, because an order may wait for its price."""
    headers: Mapping[str, str]
    strict: bool
    """Whether requests with names that look like misspelt fields of the gateway are refused; true when absent."""
    proxy: str
    pool: urllib3.PoolManager
    """Sends in another way."""
    on_attempt: Callable[[Attempt], None]
    """Learns of each attempt of each call."""


class Call(TypedDict, total=False):
    """What each call may change."""

    timeout: float
    """Seconds that it may take, with all its attempts and waits."""
    max_retries: int
    headers: Mapping[str, str]
    idempotency_key: str
    """Of a call that makes an order. With the key of an earlier call it gets that order."""
    extra_body: Mapping[str, Any]
    """Fields of the body that this client does not know."""


class Own(Call, total=False):
    """The options of a call, with its end."""

    deadline: float
    """On the clock of ``time.monotonic``."""
    asks_for_charge: bool


_current: ContextVar[Own] = ContextVar("sluice_call_options", default={})


@contextlib.contextmanager
def call_options(**options: Unpack[Call]) -> Iterator[None]:
    """Options of the calls in the ``with`` block, of the generated core, too.

    ``timeout`` has the seconds that all of them may take together.
    """
    with scope(pinned(options)):
        yield


def pinned(options: Call) -> Own:
    """Options with their end, for several scopes of one call."""
    return _with_end(cast(Own, options), options.get("timeout"))


@contextlib.contextmanager
def scope(own: Own) -> Iterator[None]:
    """Has the requests in the ``with`` block made with these options, and those of the scopes around it."""
    outer = _current.get()
    merged: Own = {**outer, **own}
    merged["headers"] = {**outer.get("headers", {}), **own.get("headers", {})}
    merged["extra_body"] = {**outer.get("extra_body", {}), **own.get("extra_body", {})}
    ends = [each["deadline"] for each in (outer, own) if "deadline" in each]
    if ends:
        merged["deadline"] = min(ends)
    token = _current.set(merged)
    try:
        yield
    finally:
        _current.reset(token)


def _with_end(own: Own, timeout: Optional[float]) -> Own:
    if timeout is None:
        return own
    end = time.monotonic() + timeout
    return {**own, "deadline": min(end, own.get("deadline", end))}


def sleep(seconds: float, own: Optional[Own] = None) -> bool:
    """Waits; False when the timeout of the call ended the wait."""
    deadline = (_current.get() if own is None else own).get("deadline")
    left = seconds if deadline is None else min(seconds, max(deadline - time.monotonic(), 0))
    time.sleep(left)
    return left == seconds


def backoff(failures: int) -> float:
    """Seconds before the attempt after so many failures, at most: half a second, doubled up to eight."""
    return float(min(0.5 * 2 ** min(failures, 10), 8.0))


def charged_of(status: Optional[str]) -> Optional[bool]:
    """Whether an order in this state was charged; None when it may still be."""
    return {"done": True, "error": False, "canceled": False, "expired": False}.get(status or "")


_CREATES_ORDER = re.compile(r"/v1/(chat/completions|completions|responses|messages)$")
_PATH_ORDER = re.compile(r"/v1/orders/([0-9a-f-]{36})(?=/|$)")
_DESCRIBED = {"detached": 202, "dry-run": 203}
"""The statuses that the operations of these fragments describe; the others describe 200."""


class Transport(rest.RESTClientObject):
    """What the generated core sends with. It returns successes only."""

    def __init__(self, configuration: Configuration, options: Options) -> None:
        # The retries are those of this file, so urllib3 follows redirects only.
        configuration.retries = urllib3.Retry(total=None, connect=0, read=0, redirect=3, status=0, other=0)
        super().__init__(configuration)
        self.pool_manager = options.get("pool", self.pool_manager)
        self.options = options

    def request(
        self,
        method: str,
        url: str,
        headers: Optional[Dict[str, str]] = None,
        body: Any = None,
        post_params: Optional[List[Any]] = None,
        _request_timeout: Any = None,
    ) -> rest.RESTResponse:
        timeout = _request_timeout if isinstance(_request_timeout, (int, float)) else self.options.get("timeout")
        return _Call(self, _with_end(_current.get(), timeout), method, url, headers or {}, body, post_params).run()

    def send(self, call: "_Call") -> rest.RESTResponse:
        """Sends the request of a call once."""
        deadline, connect = call.own.get("deadline"), self.options.get("connect_timeout", 10.0)
        left = None if deadline is None else max(deadline - time.monotonic(), 0.001)
        times = (connect if left is None else min(left, connect), left)
        answer: rest.RESTResponse = super().request(  # type: ignore[no-untyped-call]
            call.method, call.url, dict(call.headers), call.body, call.post_params, _request_timeout=times
        )
        return answer


class _Call:
    """One call: all its attempts have the same body and the same Idempotency-Key."""

    def __init__(
        self,
        transport: Transport,
        own: Own,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Any = None,
        post_params: Optional[List[Any]] = None,
    ) -> None:
        self.transport, self.own, self.method, self.url = transport, own, method.upper(), url
        self.post_params = post_params
        self.headers = {**headers, **transport.options.get("headers", {}), **own.get("headers", {})}
        self.body = {**body, **own.get("extra_body", {})} if isinstance(body, dict) else body
        parts = urlsplit(url)
        self.path, self.fragment = parts.path, parts.fragment
        self.wants_stream = self.headers.get("Accept") == "text/event-stream"
        is_dry = self.headers.get("X-Dry-Run") == "true"
        self.creates = self.method == "POST" and bool(_CREATES_ORDER.search(self.path)) and not is_dry
        # A second batch would run all lines again, so `batches.run` looks whether the first exists.
        self.repeatable = not (self.method == "POST" and self.path.endswith("/v1/batches"))
        if self.creates:
            key = own.get("idempotency_key") or self.headers.get("Idempotency-Key") or str(uuid.uuid4())
            self.headers["Idempotency-Key"] = key
        self.retries = own.get("max_retries", transport.options.get("max_retries", 2))
        self.attempts = 0
        self.failures = 0
        """Those that count against the retries; to wait for an order does not."""
        self.may_have_order = False
        """Whether an attempt since the last answer about an order may have made one."""

    def run(self) -> rest.RESTResponse:
        while True:
            try:
                answer = self._attempt()
            except (HTTPError, OSError) as cause:
                self.failures += 1
                reason = cause.reason if isinstance(cause, MaxRetryError) else cause
                is_unsent = isinstance(reason, (NewConnectionError, ConnectTimeoutError))
                self.may_have_order = self.may_have_order or not is_unsent
                if (self.repeatable or is_unsent) and self.failures <= self.retries and self._pause(None):
                    continue
                raise self._broken(reason) from cause
            if answer.status < 400:
                return self._described(answer)
            text = answer.data.decode("utf-8", "replace") if answer.data else ""
            fault, headers = fault_in(text), answer.headers
            # Only the gateway's own answers say anything about an order.
            if fault is None:
                self.may_have_order = True
            elif headers.get("x-service-order-id"):
                self.may_have_order = False
            # The order lives, so this is waiting and not a failure.
            is_waiting = bool(fault and fault.get("code") == "result_pending" and headers.get("retry-after"))
            self.failures += 0 if is_waiting else 1
            retryable = is_waiting or self._is_retryable(answer)
            if retryable and (is_waiting or self.failures <= self.retries) and self._pause(headers):
                continue
            if self._is_over():
                raise self._broken(None)
            other: Fault = {"message": f"{answer.status} from something before the gateway: {text[:200]}"}
            order_id = self._order_of(headers)
            charged = self._charged(order_id)
            raise error_of(
                answer.status, fault or other, order_id=order_id, charged=charged, headers=headers, retryable=retryable
            )

    def _attempt(self) -> rest.RESTResponse:
        """Sends the request once. A body that is no stream is read to its end, because it may be cut."""
        self.attempts += 1
        begin = time.monotonic()
        status: Optional[int] = None
        request_id: Optional[str] = None
        try:
            answer = self.transport.send(self)
            if not (answer.status < 400 and (self.wants_stream or _is_stream(answer))):
                answer.read()  # type: ignore[no-untyped-call]
            status, request_id = answer.status, answer.headers.get("x-request-id")
            return answer
        finally:
            learn = self.transport.options.get("on_attempt")
            if learn is not None:
                seconds = time.monotonic() - begin
                learn(Attempt(self.method, self.path, status, self.attempts, seconds, request_id))

    def _described(self, answer: rest.RESTResponse) -> rest.RESTResponse:
        """A success, unless the operation does not describe it: then an order may exist whose answer is lost."""
        is_right = answer.status == _DESCRIBED.get(self.fragment, 200) and (_is_stream(answer) or not self.wants_stream)
        if is_right and re.match(r"application/json\b", answer.headers.get("content-type", "")):
            try:
                json.loads(answer.data or b"")
            except ValueError:
                is_right = False
        if is_right:
            return answer
        answer.response.close()
        self.may_have_order = self.creates
        order_id = self._order_of(answer.headers)
        charged = self._charged(order_id)
        raise UnexpectedAnswerError(
            f"The answer {answer.status} is not described for this call: {(answer.data or b'')[:200]!r}",
            status=answer.status,
            order_id=order_id,
            charged=charged,
            headers=answer.headers,
        )

    def _is_retryable(self, answer: rest.RESTResponse) -> bool:
        said = answer.headers.get("x-should-retry")
        if said is not None:
            return bool(said == "true") and self.repeatable
        return answer.status == 429 or (self.repeatable and (answer.status == 408 or answer.status >= 500))

    def _pause(self, headers: Optional[Mapping[str, str]]) -> bool:
        """As long as Retry-After says, or for a random time that doubles with each failure; False at the timeout."""
        said = (headers or {}).get("retry-after", "")
        seconds = random.random() * backoff(max(self.failures - 1, 0))
        if re.match(r"\d+(\.\d+)?$", said):
            seconds = float(said)
        elif said:
            with contextlib.suppress(ValueError):
                seconds = max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), 0)
        return sleep(seconds, self.own)

    def _is_over(self) -> bool:
        return time.monotonic() >= self.own.get("deadline", float("inf"))

    def _broken(self, reason: Optional[BaseException]) -> SluiceError:
        """No answer came, or the timeout ended the call while one was awaited."""
        order_id, is_over = self._order_of(None), self._is_over()
        is_open = self.creates and self.may_have_order
        charged = None if is_over and (order_id or is_open) else self._charged(order_id)
        message = "The call was ended before an answer came" if is_over else f"No answer came ({reason})"
        if is_open:
            key = self.headers["Idempotency-Key"]
            message += f"; there may be an order: the same call with idempotency_key {key} finds it and pays only once"
        kind = TimeoutError if is_over else ConnectionError
        return kind(f"{message}.", order_id=order_id, charged=charged, retryable=True)

    def _order_of(self, headers: Optional[Mapping[str, str]]) -> Optional[str]:
        found = _PATH_ORDER.search(self.path)
        return (headers or {}).get("x-service-order-id") or (found[1] if found else None)

    def _charged(self, order_id: Optional[str]) -> Optional[bool]:
        """Whether the order of a failed call was charged: its own state decides."""
        is_open = self.creates and self.may_have_order
        if self.own.get("asks_for_charge"):
            return None
        if order_id is None:
            return None if is_open else False
        charged = self._charge_of(order_id)
        # An order that ended without a charge frees its key: a later attempt may have made another one.
        return None if charged is False and is_open else charged

    def _charge_of(self, order_id: str) -> Optional[bool]:
        """Asks the gateway, with retries of its own."""
        parts = urlsplit(self.url)
        url = urlunsplit((parts.scheme, parts.netloc, f"{parts.path.split('/v1/')[0]}/v1/orders/{order_id}", "", ""))
        headers = {name: value for name, value in self.headers.items() if name in ("Authorization", "User-Agent")}
        own: Own = {"headers": self.own.get("headers", {}), "asks_for_charge": True}
        try:
            answer = _Call(self.transport, own, "GET", url, headers).run()
            return charged_of(json.loads(answer.data or b"")["status"])
        except NotFoundError as missing:
            return None if missing.type is None else False
        except (SluiceError, ValueError):
            return None


def _is_stream(answer: rest.RESTResponse) -> bool:
    return bool(answer.headers.get("content-type", "").startswith("text/event-stream"))
