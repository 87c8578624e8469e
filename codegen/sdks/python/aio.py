"""The client for asyncio: each method of ``Sluice`` runs in a thread, so none is written twice.

This file is handwritten and copied into the client as it is: the generated core waits for its answers, and a second core
with another HTTP library would be twice the code for the same calls.
"""

import asyncio
from typing import Any, AsyncIterator, Callable, Coroutine, Generic, Iterator, Optional, TypeVar

from typing_extensions import Concatenate, ParamSpec, Unpack

from sluice.batches import Batches, Files
from sluice.client import Sluice
from sluice.market import Market
from sluice.models.order import Order
from sluice.orders import OrderHandle, Orders
from sluice.transport import Options

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S")
_Method = Callable[Concatenate["_Sync[Any]", _P], _R]
_END: Any = object()


class _Sync(Generic[_S]):
    """Has the object whose methods run in threads."""

    def __init__(self, sync: _S) -> None:
        self.sync = sync


def _awaited(method: Callable[Concatenate[Any, _P], _R]) -> _Method[_P, Coroutine[Any, Any, _R]]:
    """A method to await."""

    async def call(handle: _Sync[Any], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, handle.sync, *args, **kwargs)

    return call


def _iterated(method: Callable[Concatenate[Any, _P], Iterator[_R]]) -> _Method[_P, AsyncIterator[_R]]:
    """A method for ``async for``; each item is waited for in a thread."""

    async def call(handle: _Sync[Any], /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncIterator[_R]:
        items = method(handle.sync, *args, **kwargs)
        while (item := await asyncio.to_thread(next, items, _END)) is not _END:
            yield item

    return call


class AsyncOrderHandle(_Sync[OrderHandle]):
    """One order. Its attributes are those of the last answer about it; ``refresh`` asks again."""

    @property
    def id(self) -> str:
        return self.sync.id

    @property
    def status(self) -> str:
        return self.sync.status

    @property
    def order(self) -> Optional[Order]:
        """All fields, with usage and pricing; None between ``place`` and ``refresh``."""
        return self.sync.order

    refresh = _awaited(OrderHandle.refresh)
    result = _awaited(OrderHandle.result)
    result_body = _awaited(OrderHandle.result_body)
    stream = _iterated(OrderHandle.stream)
    reprice = _awaited(OrderHandle.reprice)
    cancel = _awaited(OrderHandle.cancel)
    receipt = _awaited(OrderHandle.receipt)


def _handle(method: Callable[Concatenate[Any, _P], OrderHandle]) -> _Method[_P, Coroutine[Any, Any, AsyncOrderHandle]]:
    async def call(handle: _Sync[Any], /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncOrderHandle:
        return AsyncOrderHandle(await asyncio.to_thread(method, handle.sync, *args, **kwargs))

    return call


def _handles(method: Callable[Concatenate[Any, _P], Iterator[OrderHandle]]) -> _Method[_P, AsyncIterator[AsyncOrderHandle]]:
    return _iterated(lambda orders, *args, **kwargs: map(AsyncOrderHandle, method(orders, *args, **kwargs)))


class AsyncOrders(_Sync[Orders]):
    """The orders of the account."""

    place = _handle(Orders.place)
    preview = _awaited(Orders.preview)
    get = _handle(Orders.get)
    list = _handles(Orders.list)


class AsyncFiles(_Sync[Files]):
    """The files of batches."""

    upload = _awaited(Files.upload)
    content = _awaited(Files.content)
    list = _iterated(Files.list)


class AsyncBatches(_Sync[Batches]):
    """The batches of the account. ``on_progress`` of a run is called in a thread."""

    run = _awaited(Batches.run)
    get = _awaited(Batches.get)
    cancel = _awaited(Batches.cancel)
    list = _iterated(Batches.list)


class AsyncMarket(_Sync[Market]):
    """The markets. None of these needs a key."""

    levels = _iterated(Market.levels)
    candles = _awaited(Market.candles)
    quote = _awaited(Market.quote)
    models = _awaited(Market.models)


class AsyncSluice(_Sync[Sluice]):
    """Sluice for asyncio: the same resources with methods to await and iterators for ``async for``.

    ``sync`` is the same client for threads: ``await asyncio.to_thread(client.sync.api.account.get_account)``.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(Sluice(**options))
        self.orders = AsyncOrders(self.sync.orders)
        self.files = AsyncFiles(self.sync.files)
        self.batches = AsyncBatches(self.sync.batches)
        self.market = AsyncMarket(self.sync.market)
