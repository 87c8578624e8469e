"""Orders that are placed once, and followed, repriced and collected for as long as they live.

This file is handwritten and copied into the client as it is: the generated core knows single requests.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Iterator, Literal, Optional, Sequence, Tuple, Union

from pydantic import ValidationError
from typing_extensions import Unpack

from sluice.core import Core
from sluice.error_classes import ConflictError, InvalidRequestError, StreamRestartedError, kind_of
from sluice.errors import ConnectionError, Fault, SluiceError, TimeoutError
from sluice.event_stream import StreamCut
from sluice.faults import end_of
from sluice.models.chat_completion import ChatCompletion
from sluice.models.chat_completion_request import ChatCompletionRequest
from sluice.models.chat_message import ChatMessage
from sluice.models.dry_run import DryRun
from sluice.models.order import Order
from sluice.models.reprice_request import RepriceRequest
from sluice.money import exact
from sluice.receipts import OrderReceipt
from sluice.transport import Call, backoff, call_options, charged_of, pages, pinned, scope, sleep
from sluice.unions import ChatMessageParams, ChatParams, Money

OrderStatus = Literal["queued", "executing", "done", "error", "canceled", "expired"]

_FIRST_POLL = 0.2
_LONG_POLL = 2.0
_LAST = ("message_stop", "response.completed", "response.incomplete", "response.failed")
"""The last events of other kinds than chat, whose stream ends with [DONE]."""
_INCLUDE = ["usage", "pricing"]


class PlaceParams(ChatParams, Call, total=False):
    """A chat to place, and the options of the call."""


class FilterParams(Call, total=False):
    """Which orders to list, all of them when empty, and the options of each call."""

    status: Sequence[OrderStatus]
    model: str
    kind: Literal["chat", "completion", "responses", "messages"]
    batch: str
    """The id of a batch for its lines, or ``none`` for requests outside any batch."""
    tag: str
    from_: datetime
    to: datetime


@dataclass(frozen=True)
class OrderEvent:
    """One event of an order's stream."""

    number: int
    """Counts from 0: ``stream(after=…)`` goes on after it."""
    name: Optional[str]
    """None in chats."""
    data: Dict[str, Any]
    text: str
    """What it adds to the text of the answer."""
    restarted: bool
    """The gateway of the order ended, and the order runs again: what came before this event no longer counts."""


class Orders:
    """The orders of the account."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def place(self, messages: Sequence[Union[ChatMessage, ChatMessageParams]], **params: Unpack[PlaceParams]) -> "OrderHandle":
        """Places a chat that goes on without this program.

        All attempts have one Idempotency-Key, so it is placed once.
        """
        request, options = _request_of(messages, params)
        with call_options(**options):
            accepted = self._core.inference.create_detached_chat_completion(request)
        return OrderHandle(self._core, accepted.id, accepted.status)

    def preview(self, messages: Sequence[Union[ChatMessage, ChatMessageParams]], **params: Unpack[PlaceParams]) -> DryRun:
        """What a chat would be held for, cost and wait. Nothing is placed."""
        request, options = _request_of(messages, params)
        with call_options(**options):
            return self._core.inference.dry_run_chat_completion(request)

    def get(self, order_id: str, **options: Unpack[Call]) -> "OrderHandle":
        """The order with this id. Raises NotFoundError when the account has none."""
        handle = OrderHandle(self._core, order_id, "queued")
        handle.refresh(**options)
        return handle

    def list(self, **params: Unpack[FilterParams]) -> Iterator["OrderHandle"]:
        """The orders that a filter chooses, newest first; asks for the next page when the loop gets there."""
        chosen, options = _parted(params)
        for order in pages(lambda cursor: self._core.orders.list_orders(**chosen, cursor=cursor, include=_INCLUDE), options):
            yield OrderHandle(self._core, order.id, order.status, order)


class OrderHandle:
    """One order. Its attributes are those of the last answer about it; ``refresh`` asks again."""

    id: str
    status: str
    order: Optional[Order]
    """All fields, with usage and pricing; None between ``place`` and ``refresh``."""

    def __init__(self, core: Core, order_id: str, status: str, order: Optional[Order] = None) -> None:
        self._core = core
        self.id, self.status, self.order = order_id, status, order

    def refresh(self, **options: Unpack[Call]) -> Order:
        """Asks for the order."""
        with call_options(**options):
            self.order = self._core.orders.get_order(self.id, include=_INCLUDE)
        self.status = self.order.status
        return self.order

    def result(self, **options: Unpack[Call]) -> ChatCompletion:
        """Waits for the answer as long as the order lives.

        The error of an order that ended without one says that nothing was charged. Of an order of another endpoint,
        ``result_body`` has the answer.
        """
        answer = ChatCompletion.from_dict(self.result_body(**options))
        assert answer is not None
        return answer

    def result_body(self, **options: Unpack[Call]) -> Dict[str, Any]:
        """Like ``result``, as the JSON of the endpoint to which the order was sent."""
        wait = _FIRST_POLL
        with call_options(**options):
            while True:
                stored = self._core.orders.get_order_result(self.id)
                self.status = stored.status
                if stored.error is not None:
                    raise self._end_of({"code": stored.error.code, "message": stored.error.message})
                if stored.body is not None:
                    return stored.body
                if not sleep(wait):
                    raise self._left_waiting()
                wait = min(wait * 1.5, _LONG_POLL)

    def stream(self, after: Optional[int] = None, **options: Unpack[Call]) -> Iterator[OrderEvent]:
        """The events after the one with this number, or all. After a cut it goes on by itself, after the last event."""
        last, restarted, fruitless = -1 if after is None else after, False, 0
        own = pinned(options)
        while True:
            cut: Optional[StreamCut] = None
            try:
                with scope(own):
                    events = self._core.streams.stream_order(self.id, starting_after=last if last >= 0 else None)
                with events:
                    for event in events:
                        if event.data == "[DONE]":
                            return
                        data = json.loads(event.data)
                        if (data.get("error") or {}).get("code"):
                            raise self._end_of(data["error"])
                        if event.id is None:
                            continue
                        last, fruitless = int(event.id), 0
                        yield OrderEvent(last, event.event, data, _text_of(data), restarted)
                        restarted = False
                        if event.event in _LAST:
                            return
            except StreamCut as cause:
                cut = cause
            except StreamRestartedError:
                last, restarted = -1, True
            if fruitless > self._core.max_retries:
                facts: Any = {"order_id": self.id, "charged": self._charged(), "retryable": True}
                raise ConnectionError(f"The stream was cut after event {last}, again and again.", **facts) from cut
            if not sleep(backoff(fruitless), own):
                raise self._left_waiting() from cut
            fruitless += 1

    def reprice(self, price_limit: Money, **options: Unpack[Call]) -> None:
        """Changes the limit of a queued order.

        The ``code`` of a ConflictError says why it cannot be changed, such as ``not_queued``.
        """
        request = RepriceRequest(ids=[self.id], price_limit=exact(price_limit))
        with call_options(**options):
            while True:
                result = self._core.orders.reprice_orders(request)
                if result.changed > 0 or not result.data:
                    return
                entry = result.data[0]
                # The market did not confirm in time, and the order still waits.
                if entry.code == "unavailable":
                    if sleep(_FIRST_POLL):
                        continue
                    raise self._left_waiting()
                fault: Fault = {"code": entry.code, "message": entry.reason or "The order cannot be repriced."}
                raise ConflictError(fault["message"], status=409, fault=fault, order_id=self.id, charged=self._charged())

    def cancel(self, **options: Unpack[Call]) -> None:
        """Ends a queued order, uncharged. It is no error when it is canceled already."""
        with call_options(**options):
            try:
                self.status = self._core.orders.cancel_order(self.id).status
            except ConflictError:
                # An earlier attempt may have canceled it without an answer.
                if self._charged() is not False or self.status != "canceled":
                    raise

    def receipt(self, **options: Unpack[Call]) -> OrderReceipt:
        """The signed receipt of a done order, and the keys to verify it with."""
        with call_options(**options):
            signed = self._core.orders.get_order_receipt(self.id)
            return OrderReceipt(signed.jws, self._core.system.get_signing_keys())

    def _end_of(self, fault: Fault) -> SluiceError:
        return end_of(self.id, fault, False if kind_of(fault.get("code"), 500).is_uncharged else self._charged())

    def _left_waiting(self) -> SluiceError:
        return TimeoutError("The order has not ended; ask for it again.", order_id=self.id, charged=None, retryable=True)

    def _charged(self) -> Optional[bool]:
        try:
            return charged_of(self.refresh().status)
        except SluiceError:
            return None


def _text_of(data: Dict[str, Any]) -> str:
    for choice in data.get("choices") or []:
        return (choice.get("delta") or {}).get("content") or choice.get("text") or ""
    delta = data.get("delta")
    if isinstance(delta, dict):
        return delta.get("text") or ""
    return delta if isinstance(delta, str) and data.get("type") == "response.output_text.delta" else ""


def _parted(params: Any) -> Tuple[Dict[str, Any], Any]:
    """The fields of a request, and the options of its call."""
    names = Call.__annotations__
    fields = {name: value for name, value in params.items() if name not in names}
    return fields, {name: value for name, value in params.items() if name in names}


def _request_of(
    messages: Sequence[Union[ChatMessage, ChatMessageParams]], params: PlaceParams
) -> Tuple[ChatCompletionRequest, Call]:
    """The request, and the options of the call. Raises InvalidRequestError on unknown fields and wrong types."""
    fields, options = _parted(params)
    try:
        for name in ("price_limit", "max_charge_usd"):
            if fields.get(name) is not None:
                fields[name] = exact(fields[name])
        if isinstance(fields.get("deadline"), datetime):
            fields["deadline"] = fields["deadline"].isoformat()
        chat = [each if isinstance(each, ChatMessage) else ChatMessage(**each) for each in messages]
        return ChatCompletionRequest(messages=chat, **fields), options
    except (ValidationError, TypeError, ArithmeticError) as cause:
        raise InvalidRequestError(f"The request was not sent: {cause}", fault={"code": "invalid_request"}) from cause
