"""Calls a gateway with the client of openapi-python-client: reads a level, and asks for a chat completion."""

import os

from client import AuthenticatedClient
from client.api.inference import create_chat_completion
from client.api.market import get_market
from client.models import ChatCompletion, ChatCompletionRequest, ChatMessage, Level

gateway = AuthenticatedClient(base_url=os.environ["SLUICE_URL"], token=os.environ["SLUICE_KEY"])

level = get_market.sync(client=gateway, model="tide")
assert isinstance(level, Level), level
print(f"level {level.level}")

question = ChatCompletionRequest(model="harbor", messages=[ChatMessage(role="user", content="Hello")], max_tokens=5)
answer = create_chat_completion.sync(client=gateway, body=question)
assert isinstance(answer, ChatCompletion), answer
print(f"answer {answer.choices[0].message.content}")
