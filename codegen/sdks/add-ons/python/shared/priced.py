"""What the clients of a package share: bids, receipts and patience, over an official client. Copied into each package.

The official clients of OpenAI and Anthropic come from one generator, so they have the same methods to build on.
"""

import time
import uuid
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Mapping, Tuple

import anyio
from sluice import OrderReceipt
from typing_extensions import Self, Unpack

from .bid import (
    Bid,
    environment,
    fields_of,
    merged,
    places_order,
    prepare,
    receipt_of,
    receipt_urls,
    seconds_to_wait,
)


class Priced:
    """Both kinds of clients. Type checkers see the signatures of the official clients where these only add."""

    _address: ClassVar[Tuple[str, str]]
    """The official client's variable of the environment for its address, and the path of that."""
    _credentials: ClassVar[Tuple[str, ...]]
    """The options of the official client that stand for a key."""
    _official: ClassVar[Any]
    """The module of the official client."""
    _bid: Mapping[str, Any] = {}

    def with_bid(self, **bid: Unpack[Bid]) -> Self:
        """A copy of this client whose orders have these terms, beside those that it has. A misspelt one raises TypeError."""
        copied: Self = self.copy()  # type: ignore[attr-defined]  # pyright: ignore
        copied._bid = merged(self._bid, fields_of(bid))
        return copied

    if not TYPE_CHECKING:

        def __init__(self, **options: Any) -> None:
            key, address = environment(*self._address)
            if key and not any(options.get(name) for name in self._credentials):
                options["api_key"] = key
            options["base_url"] = options.get("base_url") or address
            options.setdefault("timeout", self._official.Timeout(None, connect=10.0))
            super().__init__(**options)
            # All attempts of a call have one key, so that it is paid once.
            self._idempotency_header = "Idempotency-Key"

        def copy(self, **options: Any) -> Any:
            copied = super().copy(**options)
            copied._bid = self._bid
            return copied

        with_options = copy

        def _begin(self, options: Any) -> None:
            if places_order(options):
                options.idempotency_key = options.idempotency_key or str(uuid.uuid4())
            elif options.method.lower() == "post" and options.url == "/batches":
                # A repeated batch would run all its lines twice.
                options.max_retries = 0


class Waiting(Priced):
    """A client that waits in its thread."""

    def receipt(self, answered: Any) -> OrderReceipt:
        """The signed receipt of a finished answer or stream, or of an order's id; ``verify()`` checks it."""
        official: Any = self
        signed, keys = receipt_urls(answered, official.base_url)
        return receipt_of(official.get(signed, cast_to=Dict[str, Any]), official.get(keys, cast_to=Dict[str, Any]))

    if not TYPE_CHECKING:

        def _prepare_options(self, options: Any) -> Any:
            options = super()._prepare_options(options)
            prepare(options, self._bid)
            return options

        def request(self, cast_to: Any, options: Any, **more: Any) -> Any:
            self._begin(options)
            while True:
                try:
                    return super().request(cast_to, options, **more)
                except self._official.APIStatusError as error:
                    seconds = seconds_to_wait(error)
                    if seconds is None:
                        raise
                time.sleep(seconds)


class Awaiting(Priced):
    """A client for asyncio."""

    async def receipt(self, answered: Any) -> OrderReceipt:
        """The signed receipt of a finished answer or stream, or of an order's id; ``verify()`` checks it."""
        official: Any = self
        signed, keys = receipt_urls(answered, official.base_url)
        return receipt_of(
            await official.get(signed, cast_to=Dict[str, Any]), await official.get(keys, cast_to=Dict[str, Any])
        )

    if not TYPE_CHECKING:

        async def _prepare_options(self, options: Any) -> Any:
            options = await super()._prepare_options(options)
            prepare(options, self._bid)
            return options

        async def request(self, cast_to: Any, options: Any, **more: Any) -> Any:
            self._begin(options)
            while True:
                try:
                    return await super().request(cast_to, options, **more)
                except self._official.APIStatusError as error:
                    seconds = seconds_to_wait(error)
                    if seconds is None:
                        raise
                await anyio.sleep(seconds)
