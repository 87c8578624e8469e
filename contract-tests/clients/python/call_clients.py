"""Calls the official Python clients, unmodified: one line of JSON in, one out.

Started as `call_clients.py SHAPE`, where SHAPE is chat, responses, messages or langchain. A line is
{"do": "ask" | "stream" | "useTool", "prompt", "leaveAfter", "url", "key", "model", "tools", "sight"} and is answered
with {"said": {"text", "reasoning", "calls"}} or, when the client raises, with {"error"}.
"""

import json
import sys

MAX_TOKENS = 512


def said(text="", reasoning=None, calls=()):
    return {"text": text, "reasoning": reasoning, "calls": list(calls)}


class Chat:
    """openai, chat completions."""

    def __init__(self, line):
        from openai import OpenAI

        self.completions = OpenAI(base_url=line["url"] + "/v1", api_key=line["key"]).chat.completions
        functions = [{"name": t["name"], "parameters": t["schema"], "strict": True} for t in line["tools"]]
        tools = [{"type": "function", "function": function} for function in functions]
        self.fields = {"model": line["model"], "tools": tools}
        self.turn = [{"role": "user", "content": line["prompt"]}]
        self.sight = line["sight"]

    def ask(self):
        return self.read(self.create(self.turn))

    def create(self, turn):
        return self.completions.create(**self.fields, messages=turn).choices[0].message

    def read(self, message):
        calls = [
            {"name": c.function.name, "input": json.loads(c.function.arguments)} for c in message.tool_calls or []
        ]
        return said(message.content or "", getattr(message, "reasoning_content", None) or "", calls)

    def stream(self, leave_after):
        reasoning, pieces = "", 0
        # The helper parses the arguments of a strict tool when the next call begins, so pieces of two calls in turns break it.
        with self.completions.stream(**self.fields, messages=self.turn) as stream:
            for event in stream:
                if event.type == "chunk":
                    deltas = [choice.delta for choice in event.chunk.choices]
                    reasoning += "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
                if event.type == "content.delta" and event.delta:
                    pieces += 1
                    if pieces == leave_after:
                        return said(event.snapshot)
            message = stream.get_final_completion().choices[0].message
        return {**self.read(message), "reasoning": reasoning}

    def use_tool(self):
        message = self.create(self.turn)
        results = [{"role": "tool", "tool_call_id": c.id, "content": self.sight} for c in message.tool_calls]
        return self.read(self.create([*self.turn, message, *results]))


class Responses:
    """openai, responses."""

    def __init__(self, line):
        from openai import OpenAI

        self.responses = OpenAI(base_url=line["url"] + "/v1", api_key=line["key"]).responses
        tools = [
            {"type": "function", "name": t["name"], "parameters": t["schema"], "strict": None} for t in line["tools"]
        ]
        self.fields = {"model": line["model"], "tools": tools}
        self.prompt = line["prompt"]
        self.sight = line["sight"]

    def ask(self):
        return self.read(self.responses.create(**self.fields, input=self.prompt))

    def read(self, response):
        thoughts = [p.text for i in response.output if i.type == "reasoning" for p in i.content or []]
        calls = [
            {"name": i.name, "input": json.loads(i.arguments)} for i in response.output if i.type == "function_call"
        ]
        return said(response.output_text, "".join(thoughts), calls)

    def stream(self, leave_after):
        text, pieces = "", 0
        with self.responses.stream(**self.fields, input=self.prompt) as stream:
            for event in stream:
                if event.type == "response.failed":
                    raise RuntimeError(event.response.error.message)
                if event.type == "response.output_text.delta":
                    text += event.delta
                    pieces += 1
                    if pieces == leave_after:
                        return said(text)
            return self.read(stream.get_final_response())

    def use_tool(self):
        output = self.responses.create(**self.fields, input=self.prompt).output
        results = [
            {"type": "function_call_output", "call_id": i.call_id, "output": self.sight}
            for i in output
            if i.type == "function_call"
        ]
        turn = [{"role": "user", "content": self.prompt}, *output, *results]
        return self.read(self.responses.create(**self.fields, input=turn))


class Messages:
    """anthropic, messages."""

    def __init__(self, line):
        from anthropic import Anthropic

        client = Anthropic(base_url=line["url"], api_key=line["key"])
        self.messages = client.messages
        self.run_tools = client.beta.messages.tool_runner
        tools = [{"name": t["name"], "input_schema": t["schema"]} for t in line["tools"]]
        self.fields = {"model": line["model"], "max_tokens": MAX_TOKENS, "tools": tools}
        self.turn = [{"role": "user", "content": line["prompt"]}]
        self.sight = line["sight"]

    def ask(self):
        return self.read(self.messages.create(**self.fields, messages=self.turn).content)

    def read(self, content):
        text = "".join(b.text for b in content if b.type == "text")
        thoughts = "".join(b.thinking for b in content if b.type == "thinking")
        return said(text, thoughts, [{"name": b.name, "input": b.input} for b in content if b.type == "tool_use"])

    def stream(self, leave_after):
        text, pieces = "", 0
        with self.messages.stream(**self.fields, messages=self.turn) as stream:
            for piece in stream.text_stream:
                text += piece
                pieces += 1
                if pieces == leave_after:
                    return said(text)
            return self.read(stream.get_final_message().content)

    def use_tool(self):
        """The client's own runner first asks for a conversation that the server keeps."""
        from anthropic.lib.tools import BetaFunctionTool

        tools = [
            BetaFunctionTool(lambda **_: self.sight, name=t["name"], input_schema=t["input_schema"])
            for t in self.fields["tools"]
        ]
        return self.read(self.run_tools(**{**self.fields, "tools": tools}, messages=self.turn).until_done().content)


class LangChain:
    """langchain-openai, responses. Its chunks carry no reasoning here."""

    def __init__(self, line):
        from langchain_openai import ChatOpenAI

        options = {"base_url": line["url"] + "/v1", "api_key": line["key"], "model": line["model"]}
        tools = [
            {"type": "function", "function": {"name": t["name"], "parameters": t["schema"]}} for t in line["tools"]
        ]
        self.chat = ChatOpenAI(**options, use_responses_api=True).bind_tools(tools)
        self.turn = [{"role": "user", "content": line["prompt"]}]
        self.sight = line["sight"]

    def ask(self):
        return self.read(self.chat.invoke(self.turn))

    def read(self, message):
        return said(message.text, None, [{"name": c["name"], "input": c["args"]} for c in message.tool_calls])

    def stream(self, leave_after):
        whole, pieces = None, 0
        for chunk in self.chat.stream(self.turn):
            whole = chunk if whole is None else whole + chunk
            pieces += chunk.text != ""
            if pieces == leave_after > 0:
                break
        return self.read(whole)

    def use_tool(self):
        message = self.chat.invoke(self.turn)
        results = [{"role": "tool", "tool_call_id": c["id"], "content": self.sight} for c in message.tool_calls]
        return self.read(self.chat.invoke([*self.turn, message, *results]))


SHAPES = {"chat": Chat, "responses": Responses, "messages": Messages, "langchain": LangChain}


def main():
    speak = SHAPES[sys.argv[1]]
    for line in map(json.loads, sys.stdin):
        try:
            speaker = speak(line)
            ways = {"ask": speaker.ask, "stream": lambda: speaker.stream(line["leaveAfter"]), "useTool": speaker.use_tool}
            answer = {"said": ways[line["do"]]()}
        except Exception as error:  # Whatever the client raises is what the test wants to know.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
