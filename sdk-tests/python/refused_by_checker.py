"""Mistakes that once cost an answer or ran without a bound.

Type checkers must see each of them: mypy reports an ignore that nothing needs. Nothing here runs.
"""

from sluice import ChatCompletion, ChatCompletionRequest, ChatMessage, InferenceApi, Sluice


def mistakes(client: Sluice, inference: InferenceApi, answer: ChatCompletion) -> None:
    messages = [ChatMessage(role="user", content="hello")]
    request = ChatCompletionRequest(messages=messages)
    ChatCompletionRequest(messages=messages, detached=True)  # type: ignore[call-arg]
    ChatCompletionRequest(messages=messages, stream=True)  # type: ignore[call-arg]
    ChatCompletionRequest(messages=messages, price_limt=2)  # type: ignore[call-arg]
    ChatCompletionRequest(messages=messages, price_limit=2.0)  # type: ignore[arg-type]
    inference.dry_run_chat_completion(request, x_dry_run="false")  # type: ignore[call-arg]
    client.orders.place(messages, price_limt="2")  # type: ignore[call-arg]
    client.orders.place(messages, price_limit=2.0)  # type: ignore[arg-type]
    client.orders.place(messages, tool_choice="any")  # type: ignore[arg-type]
    client.orders.list(status=["waiting"])  # type: ignore[list-item]
    answer.chioces  # type: ignore[attr-defined]
