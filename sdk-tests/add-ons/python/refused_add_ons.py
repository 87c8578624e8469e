"""Mistakes in bids. Type checkers must see each of them: both report an ignore that nothing needs. Nothing here runs."""

from sluice_anthropic import Anthropic
from sluice_openai import AsyncOpenAI, OpenAI


async def mistakes(openai: OpenAI, anthropic: Anthropic, asynchronous: AsyncOpenAI) -> None:
    openai.with_bid(price_limt="2")  # type: ignore[call-arg]
    openai.with_bid(price_limit=2.5)  # type: ignore[arg-type]
    openai.with_bid(deadline=True, max_wait="60")  # type: ignore[arg-type]
    asynchronous.with_bid(max_charg="2")  # type: ignore[call-arg]
    anthropic.with_bid(price_limt="2")  # type: ignore[call-arg]
    OpenAI(price_limt="2")  # type: ignore[call-arg]
    openai.chat.completions.create(model="tide", messages=[], price_limt="2")  # type: ignore[call-overload]
    openai.receipt()  # type: ignore[call-arg]
