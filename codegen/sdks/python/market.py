"""Prices.

This file is handwritten and copied into the client as it is: the generated streams end with their connection.
"""

import json
from typing import Iterator, Literal, Optional

from typing_extensions import Unpack

from sluice.core import Core
from sluice.error_classes import RateLimitError, ServerError
from sluice.errors import ConnectionError, TimeoutError
from sluice.event_stream import StreamCut
from sluice.models.levels_frame import LevelsFrame
from sluice.models.levels_frame_entry import LevelsFrameEntry
from sluice.models.market_candles import MarketCandles
from sluice.models.model_list import ModelList
from sluice.models.quote import Quote
from sluice.transport import Call, backoff, call_options, pinned, scope, sleep


class Market:
    """The markets. None of these needs a key."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def levels(self, **options: Unpack[Call]) -> Iterator[LevelsFrameEntry]:
        """The level of each market, and then every change, until the loop is left. It connects again after a cut."""
        own, fruitless = pinned(options), 0
        while True:
            try:
                with scope(own):
                    events = self._core.streams.stream_levels()
                with events:
                    for event in events:
                        fruitless = 0
                        frame = LevelsFrame.from_dict(json.loads(event.data))
                        yield from frame.levels if frame else []
            except (ConnectionError, ServerError, RateLimitError, StreamCut):
                pass
            if not sleep(backoff(fruitless), own):
                raise TimeoutError("The stream of levels was left.")
            fruitless += 1

    def candles(
        self,
        *,
        model: Optional[str] = None,
        range: Optional[Literal["1h", "24h", "7d", "30d"]] = None,  # noqa: A002
        bucket: Optional[int] = None,
        **options: Unpack[Call],
    ) -> MarketCandles:
        """The levels of a market over a range, in buckets of so many seconds."""
        with call_options(**options):
            return self._core.market.get_market_candles(model=model, range=range, bucket=bucket)

    def quote(self, model: Optional[str] = None, **options: Unpack[Call]) -> Quote:
        """What a locked order would bid at most now."""
        with call_options(**options):
            return self._core.market.get_price_lock(model=model)

    def models(self, **options: Unpack[Call]) -> ModelList:
        """What is sold."""
        with call_options(**options):
            return self._core.models.list_models()
