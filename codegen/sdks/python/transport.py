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
from typing import Any, Callable, Iterator, Mapping, Optional, Type, cast
from urllib.parse import urlsplit

import urllib3
from pydantic import ValidationError
from typing_extensions import TypedDict, Unpack
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, NewConnectionError

from sluice import rest
from sluice.configuration import Configuration
from sluice.error_classes import InvalidRequestError, NotFoundError, kind_of
from sluice.errors import ConnectionError, Fault, SluiceError, TimeoutError, UnexpectedAnswerError
from sluice.faults import fault_in
from sluice.threads import pause


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
    own, timeout = cast(Own, options), options.get("timeout")
    if timeout is None:
        return own
    end = time.monotonic() + timeout
    return {**own, "deadline": min(end, own.get("deadline", end))}


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
    except ValidationError as cause:
        # Of an argument. That of an answer has the name of a model.
        if "Api." not in cause.title:
            raise
        raise InvalidRequestError(f"The request was not sent: {cause}", fault={"code": "invalid_request"}) from cause
    finally:
        _current.reset(token)


def sleep(seconds: float, own: Optional[Own] = None) -> bool:
    """Waits; False when the timeout of the call ended the wait."""
    deadline = (_current.get() if own is None else own).get("deadline")
    left = seconds if deadline is None else min(seconds, max(deadline - time.monotonic(), 0))
    return pause(left) and left == seconds


def pages(ask: Callable[[Optional[str]], Any], options: Call) -> Iterator[Any]:
    """The entries of a list, page after page: some go on at a cursor, the others after the id of the last entry."""
    after, has_more = None, True
    while has_more:
        with call_options(**options):
            page = ask(after)
        yield from page.data
        after, has_more = page.next_cursor if hasattr(page, "next_cursor") else page.last_id, page.has_more


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
_LONGEST_PAUSE = 60.0
"""When Retry-After asks for more, the call ends with its error."""


class Transport(rest.RESTClientObject):
    """What the generated core sends with. It returns successes only."""

    def __init__(self, configuration: Configuration, options: Options) -> None:
        # The retries are those of this file. A redirect would send an order elsewhere, or as a GET.
        configuration.retries = urllib3.Retry(total=None, connect=0, read=0, redirect=False, status=0, other=0)
        super().__init__(configuration)
        self.pool_manager = options.get("pool", self.pool_manager)
        self.options = options
        self.max_retries = options.get("max_retries", 2)

    def request(
        self, method: str, url: str, headers: Any = None, body: Any = None, post_params: Any = None, _request_timeout: Any = None
    ) -> rest.RESTResponse:
        call = _Call(self, method, url, headers or {})
        timeout = call.own.get("timeout", self.options.get("timeout")) if _request_timeout is None else _request_timeout
        if timeout is not None:
            call.own = pinned(cast(Call, {**call.own, "timeout": timeout}))
        call.body = {**body, **call.own.get("extra_body", {})} if isinstance(body, dict) else body
        call.post_params = post_params
        return call.run()


class _Call:
    """One call: all its attempts have the same body and the same Idempotency-Key."""

    body: Any = None
    post_params: Any = None

    def __init__(self, transport: Transport, method: str, url: str, headers: Mapping[str, str]) -> None:
        self.transport, self.own, self.method, self.url = transport, _current.get(), method.upper(), url
        self.headers = {**headers, **transport.options.get("headers", {}), **self.own.get("headers", {})}
        _, _, self.path, _, self.fragment = urlsplit(url)
        is_dry = self.headers.get("X-Dry-Run") == "true"
        self.creates = self.method == "POST" and bool(_CREATES_ORDER.search(self.path)) and not is_dry
        # A second batch would run all lines again, so `batches.run` looks whether the first exists.
        self.repeatable = not (self.method == "POST" and self.path.endswith("/v1/batches"))
        if self.creates:
            key = self.own.get("idempotency_key") or self.headers.get("Idempotency-Key") or str(uuid.uuid4())
            self.headers["Idempotency-Key"] = key
        for name, value in self.headers.items():
            if re.search(r"[^\t -~\x80-\xff]", value):
                message = f"The request was not sent: no header may have a character that {name} has."
                raise InvalidRequestError(message, fault={"code": "invalid_request"})
        self.retries = self.own.get("max_retries", transport.max_retries)
        self.attempts = 0
        self.failures = 0
        """Those that count against the retries; to wait for an order does not."""
        self.may_have_order = False
        """Whether an attempt since the last answer about an order may have made one."""

    def run(self) -> rest.RESTResponse:
        while True:
            try:
                answer = self._attempt()
            except (HTTPError, OSError, ValueError) as cause:
                self.failures += 1
                reason = cause.reason if isinstance(cause, MaxRetryError) else cause
                is_unsent = isinstance(reason, (NewConnectionError, ConnectTimeoutError))
                self.may_have_order = self.may_have_order or not is_unsent
                if (self.repeatable or is_unsent) and self.failures <= self.retries and self._pause({}):
                    continue
                raise self._failed(f"No answer came ({reason}).", ConnectionError, retryable=True) from cause
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
            told: Fault = fault or {"message": f"{answer.status} from something before the gateway: {text[:200]}"}
            kind = kind_of(told.get("code"), answer.status).kind
            raise self._failed(told["message"], kind, answer, fault=told, retryable=retryable)

    def _attempt(self) -> rest.RESTResponse:
        """Sends the request once. A body that is no stream is read to its end, because it may be cut."""
        self.attempts += 1
        begin = time.monotonic()
        status: Optional[int] = None
        request_id: Optional[str] = None
        deadline, connect = self.own.get("deadline"), self.transport.options.get("connect_timeout", 10.0)
        left = None if deadline is None else max(deadline - begin, 0.001)
        times = (connect if left is None else min(left, connect), left)
        try:
            send: Any = rest.RESTClientObject.request
            sent = (self.method, self.url, dict(self.headers), self.body, self.post_params)
            answer: rest.RESTResponse = send(self.transport, *sent, _request_timeout=times)
            kind = _type_of(answer)
            if answer.status >= 400 or "text/event-stream" not in (kind, self.headers.get("Accept")):
                answer.read()  # type: ignore[no-untyped-call]
            if answer.status < 300 and kind == "application/json":
                # Raises ValueError when it is cut.
                json.loads(answer.data or b"")
            status, request_id = answer.status, answer.headers.get("x-request-id")
            return answer
        finally:
            learn = self.transport.options.get("on_attempt")
            if learn is not None:
                seconds = time.monotonic() - begin
                learn(Attempt(self.method, self.path, status, self.attempts, seconds, request_id))

    def _described(self, answer: rest.RESTResponse) -> rest.RESTResponse:
        """A success, unless the operation does not describe it: then an order may exist whose answer is lost."""
        kind = _type_of(answer)
        if answer.status == _DESCRIBED.get(self.fragment, 200) and kind in self.headers.get("Accept", kind):
            return answer
        answer.response.close()
        self.may_have_order = "x-service-order-id" not in answer.headers
        where = answer.headers.get("location") or (answer.data or b"")[:200].decode("utf-8", "replace")
        message = f"The answer {answer.status} {kind} is not described for this call: {where}"
        raise self._failed(message, UnexpectedAnswerError, answer)

    def _is_retryable(self, answer: rest.RESTResponse) -> bool:
        said = answer.headers.get("x-should-retry")
        if said is not None:
            return bool(said == "true") and self.repeatable
        return answer.status == 429 or (self.repeatable and (answer.status == 408 or answer.status >= 500))

    def _pause(self, headers: Mapping[str, str]) -> bool:
        """As long as Retry-After says, or for a random time that doubles with each failure; False when that is too long."""
        said = headers.get("retry-after", "")
        seconds = random.random() * backoff(max(self.failures - 1, 0))
        if re.match(r"\d+(\.\d+)?$", said):
            seconds = float(said)
        elif said:
            with contextlib.suppress(ValueError):
                seconds = max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), seconds)
        return seconds <= _LONGEST_PAUSE and sleep(seconds, self.own)

    def _failed(
        self,
        message: str,
        kind: Type[SluiceError],
        answer: Optional[rest.RESTResponse] = None,
        *,
        fault: Optional[Fault] = None,
        retryable: bool = False,
    ) -> SluiceError:
        """The error of the call: its order's own state says whether it was charged, and the message how to find it."""
        headers: Mapping[str, str] = answer.headers if answer else {}
        order_id = headers.get("x-service-order-id") or next(iter(_PATH_ORDER.findall(self.path)), None)
        is_open = self.creates and self.may_have_order
        is_over = retryable and time.monotonic() >= self.own.get("deadline", float("inf"))
        if is_over:
            message, kind = f"The call was ended before an answer came. {message}", TimeoutError
        charged = None if order_id and (is_over or self.own.get("asks_for_charge")) else False
        if order_id and charged is False:
            charged = self._charge_of(order_id)
        # An order that ended without a charge frees its key: a later attempt may have made another one.
        if is_open and not charged:
            key = self.headers["Idempotency-Key"]
            message += f" There may be an order: the same call with idempotency_key {key} finds it and pays only once."
            charged = None
        facts: Any = {"order_id": order_id, "headers": headers, "retryable": retryable, "charged": charged}
        return kind(message, status=answer.status if answer else None, fault=fault, **facts)

    def _charge_of(self, order_id: str) -> Optional[bool]:
        """Asks the gateway, with retries of its own."""
        url = f"{self.url[: self.url.rindex('/v1/')]}/v1/orders/{order_id}"
        kept = {name: value for name, value in self.headers.items() if name in ("Authorization", "User-Agent")}
        try:
            with scope({"asks_for_charge": True, "max_retries": self.transport.max_retries}):
                answer = self.transport.request("GET", url, {**kept, "Accept": "application/json"})
            return charged_of(json.loads(answer.data or b"")["status"])
        except NotFoundError as missing:
            return None if missing.type is None else False
        except (SluiceError, ValueError):
            return None


def _type_of(answer: rest.RESTResponse) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0].strip().lower()
