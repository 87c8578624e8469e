"""The official ``openai`` client for a gateway where an order may wait for its price. Change one import."""

import openai
from sluice import OrderReceipt, ReceiptError

from .bid import Bid
from .priced import Awaiting, Priced, Waiting

__all__ = ["AsyncOpenAI", "Bid", "OpenAI", "OrderReceipt", "ReceiptError"]


class _OpenAI(Priced):
    _address = ("OPENAI_BASE_URL", "/v1")
    _credentials = ("api_key",)
    _official = openai


class OpenAI(_OpenAI, Waiting, openai.OpenAI):
    """The official client, with bids, receipts and patience."""


class AsyncOpenAI(_OpenAI, Awaiting, openai.AsyncOpenAI):
    """The official client for asyncio, with bids, receipts and patience."""
