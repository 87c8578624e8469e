"""The official ``anthropic`` client for a gateway where an order may wait for its price. Change one import."""

import anthropic
from sluice import OrderReceipt, ReceiptError

from .bid import Bid
from .priced import Awaiting, Priced, Waiting

__all__ = ["Anthropic", "AsyncAnthropic", "Bid", "OrderReceipt", "ReceiptError"]


class _Anthropic(Priced):
    _address = ("ANTHROPIC_BASE_URL", "")
    _credentials = ("api_key", "auth_token", "credentials")
    _official = anthropic


class Anthropic(_Anthropic, Waiting, anthropic.Anthropic):
    """The official client, with bids, receipts and patience."""


class AsyncAnthropic(_Anthropic, Awaiting, anthropic.AsyncAnthropic):
    """The official client for asyncio, with bids, receipts and patience."""
