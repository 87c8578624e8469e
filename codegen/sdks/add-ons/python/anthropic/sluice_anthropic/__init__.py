"""The official ``anthropic`` client for a gateway where an order may wait for its price. Change one import."""

import time
import uuid
from typing import TYPE_CHECKING, Any, Dict, Mapping

import anyio
import anthropic
from sluice import OrderReceipt, ReceiptError
from typing_extensions import Self, Unpack

from sluice_anthropic.bid import (
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

__all__ = ["AsyncAnthropic", "Bid", "Anthropic", "OrderReceipt", "ReceiptError"]


class _Priced:
    """What both clients share. Type checkers see the signatures of the official clients where these only add."""

    _bid: Mapping[str, Any] = {}

    def with_bid(self, **bid: Unpack[Bid]) -> Self:
        """A copy of this client whose orders have these terms, beside those that it has. A misspelt one raises TypeError."""
        copied: Self = self.copy()  # type: ignore[attr-defined]  # pyright: ignore
        copied._bid = merged(self._bid, fields_of(bid))
        return copied

    if not TYPE_CHECKING:

        def __init__(self, **options: Any) -> None:
            key, address = environment("ANTHROPIC_BASE_URL", "")
            if key and not any(options.get(name) for name in ("api_key", "auth_token", "credentials")):
                options["api_key"] = key
            options["base_url"] = options.get("base_url") or address
            options.setdefault("timeout", anthropic.Timeout(None, connect=10.0))
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


class Anthropic(_Priced, anthropic.Anthropic):
    """The official client, with bids, receipts and patience."""

    def receipt(self, answered: Any) -> OrderReceipt:
        """The signed receipt of a finished answer or stream, or of an order's id; ``verify()`` checks it."""
        signed, keys = receipt_urls(answered, self.base_url)
        return receipt_of(self.get(signed, cast_to=Dict[str, Any]), self.get(keys, cast_to=Dict[str, Any]))

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
                except anthropic.APIStatusError as error:
                    seconds = seconds_to_wait(error)
                    if seconds is None:
                        raise
                time.sleep(seconds)


class AsyncAnthropic(_Priced, anthropic.AsyncAnthropic):
    """The official client for asyncio, with bids, receipts and patience."""

    async def receipt(self, answered: Any) -> OrderReceipt:
        """The signed receipt of a finished answer or stream, or of an order's id; ``verify()`` checks it."""
        signed, keys = receipt_urls(answered, self.base_url)
        return receipt_of(await self.get(signed, cast_to=Dict[str, Any]), await self.get(keys, cast_to=Dict[str, Any]))

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
                except anthropic.APIStatusError as error:
                    seconds = seconds_to_wait(error)
                    if seconds is None:
                        raise
                await anyio.sleep(seconds)
