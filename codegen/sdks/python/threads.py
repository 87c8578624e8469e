"""Calls that wait in threads, for the asyncio client, whose methods are generated from those of the other (aio.py).

This file is handwritten and copied into the client as it is: the generated core waits for its answers, and a second core
with another HTTP library would be twice the code for the same calls.
"""

import asyncio
import contextlib
import contextvars
import threading
from concurrent.futures import Future
from typing import Any, AsyncIterator, Callable, Iterator, TypeVar

_R = TypeVar("_R")
_END: Any = object()

_left: contextvars.ContextVar[threading.Event] = contextvars.ContextVar("sluice_left", default=threading.Event())
"""Set once nobody awaits the call of this thread any more."""


def pause(seconds: float) -> bool:
    """Waits; False when nobody awaits the call any more."""
    return not _left.get().wait(seconds)


async def in_thread(call: Callable[[], _R]) -> _R:
    """What a call returns or raises. It has a thread of its own: asyncio shares a few, and an order may wait for hours."""
    future: "Future[_R]" = Future()
    future.set_running_or_notify_cancel()
    context, left = contextvars.copy_context(), threading.Event()
    context.run(_left.set, left)

    def run() -> None:
        try:
            future.set_result(context.run(call))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="sluice", daemon=True).start()
    try:
        return await asyncio.wrap_future(future)
    finally:
        left.set()


async def items_of(items: Iterator[_R]) -> AsyncIterator[_R]:
    """What an iterator brings; each item is waited for in a thread."""
    try:
        while (item := await in_thread(lambda: next(items, _END))) is not _END:
            yield item
    finally:
        # One that still runs in its thread ends there.
        with contextlib.suppress(ValueError, AttributeError):
            getattr(items, "close")()
