"""A client of one gateway, in threads or with asyncio.

It is handwritten and copied into the client as it is. The asynchronous client runs the same code in threads: the
generated core waits for its answers, a second core and another HTTP library would be twice the code for the same calls.
"""

import asyncio
import os
from typing import Any, AsyncIterator, Callable, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union

import urllib3
from typing_extensions import ParamSpec, Unpack

from sluice.api_client import ApiClient
from sluice.batches import Batches, BatchLine, BatchResult, Files
from sluice.configuration import Configuration
from sluice.core import Core
from sluice.market import Market
from sluice.models.chat_completion import ChatCompletion
from sluice.models.chat_message import ChatMessage
from sluice.models.levels_frame_entry import LevelsFrameEntry
from sluice.orders import Call, Message, Money, OrderEvent, OrderHandle, Orders, PlaceParams
from sluice.receipts import OrderReceipt
from sluice.transport import Attempt, Transport


class Sluice:
    """A client of one gateway. Its threads may share it."""

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        max_retries: int = 2,
        connect_timeout: float = 10.0,
        timeout: Optional[float] = None,
        headers: Optional[Mapping[str, str]] = None,
        strict: bool = True,
        proxy: Optional[str] = None,
        pool: Optional[urllib3.PoolManager] = None,
        on_attempt: Optional[Callable[[Attempt], None]] = None,
    ) -> None:
        """
        ``api_key`` and ``base_url`` are those of SLUICE_KEY and SLUICE_BASE_URL when None. A call is tried again
        ``max_retries`` times after 408, 429, 5xx and broken connections, and each order is made once. It may take
        ``timeout`` seconds; without it there is no end, because an order may wait for its price. ``strict`` has
        requests refused whose names look like misspelt fields of the gateway. ``pool`` sends in another way.
        ``on_attempt`` learns of each attempt of each call.
        """
        address = base_url or os.environ.get("SLUICE_BASE_URL") or "http://127.0.0.1:8080"
        key = api_key if api_key is not None else os.environ.get("SLUICE_KEY")
        configuration = Configuration(host=address.rstrip("/"), access_token=key)
        if proxy is not None:
            configuration.proxy = proxy
        client = ApiClient(configuration)
        client.set_default_header("X-Strict", str(strict).lower())  # type: ignore[no-untyped-call]
        client.rest_client = Transport(
            configuration,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            timeout=timeout,
            headers=headers or {},
            pool=pool,
            on_attempt=on_attempt,
        )
        self.api = Core(client)
        """Every operation, with the same retries and errors; its options are those of ``call_options``."""
        self.orders = Orders(self.api, max_retries)
        self.files = Files(self.api)
        self.batches = Batches(self.api, self.files, max_retries)
        self.market = Market(self.api)


_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


async def _run(call: Callable[_Params, _Result], *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
    return await asyncio.to_thread(call, *args, **kwargs)


_END: Any = object()


async def _each(items: Iterator[_Result]) -> AsyncIterator[_Result]:
    """The items of an iterator, each waited for in a thread."""
    while (item := await asyncio.to_thread(next, items, _END)) is not _END:
        yield item


class AsyncSluice:
    """Sluice for asyncio: the same resources with methods to await and iterators for ``async for``."""

    def __init__(self, **options: Any) -> None:
        """Takes what Sluice takes."""
        self.sync = Sluice(**options)
        """The same client for threads: ``await asyncio.to_thread(client.sync.api.account.get_account)``."""
        self.orders = AsyncOrders(self.sync.orders)
        self.batches = AsyncBatches(self.sync.batches)
        self.market = AsyncMarket(self.sync.market)


class AsyncOrders:
    """The orders of the account."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    async def place(
        self, messages: Sequence[Union[ChatMessage, Message]], **params: Unpack[PlaceParams]
    ) -> "AsyncOrderHandle":
        return AsyncOrderHandle(await _run(self._orders.place, messages, **params))

    async def get(self, order_id: str, **options: Unpack[Call]) -> "AsyncOrderHandle":
        return AsyncOrderHandle(await _run(self._orders.get, order_id, **options))

    async def list(self, **filters: Any) -> AsyncIterator["AsyncOrderHandle"]:
        """Takes what ``Orders.list`` takes."""
        async for handle in _each(self._orders.list(**filters)):
            yield AsyncOrderHandle(handle)


class AsyncOrderHandle:
    """One order; ``sync`` has its attributes."""

    def __init__(self, handle: OrderHandle) -> None:
        self.sync = handle
        self.id = handle.id

    async def result(self, **options: Unpack[Call]) -> ChatCompletion:
        return await _run(self.sync.result, **options)

    def stream(self, after: Optional[int] = None, **options: Unpack[Call]) -> AsyncIterator[OrderEvent]:
        return _each(self.sync.stream(after, **options))

    async def reprice(self, price_limit: Money, **options: Unpack[Call]) -> None:
        await _run(self.sync.reprice, price_limit, **options)

    async def cancel(self, **options: Unpack[Call]) -> None:
        await _run(self.sync.cancel, **options)

    async def receipt(self, **options: Unpack[Call]) -> OrderReceipt:
        return await _run(self.sync.receipt, **options)


class AsyncBatches:
    """The batches of the account."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    async def run(self, lines: Sequence[BatchLine], **params: Any) -> List[BatchResult]:
        """Takes what ``Batches.run`` takes. ``on_progress`` is called in a thread."""
        return await asyncio.to_thread(self._batches.run, lines, **params)


class AsyncMarket:
    """The markets."""

    def __init__(self, market: Market) -> None:
        self._market = market

    def levels(self, **options: Unpack[Call]) -> AsyncIterator[LevelsFrameEntry]:
        return _each(self._market.levels(**options))
