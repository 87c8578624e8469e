/** The official OpenAI client in both of the shapes that it speaks with tools. */
import type OpenAI from 'openai-6';
import { type ClientAnswer, type ClientDriver, SIGHT, TOOLS } from './client-driver.ts';

/** Drives a client through chat completions. */
export function chatDriver({ chat }: OpenAI, model: string): ClientDriver {
  const tools = TOOLS.map(({ schema, ...named }) => ({
    type: 'function' as const,
    function: { ...named, parameters: schema },
  }));
  const body = (content: string) => ({
    model,
    messages: [{ role: 'user' as const, content }] as OpenAI.ChatCompletionMessageParam[],
    tools,
  });
  return {
    ask: async (prompt) => said((await chat.completions.create(body(prompt))).choices[0]?.message),
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const stream = chat.completions.stream(body(prompt));
      let text = '';
      let reasoning = '';
      let pieces = 0;
      for await (const { choices } of stream) {
        const { content } = choices[0]?.delta ?? {};
        text += content ?? '';
        reasoning += reasoningOf(choices[0]?.delta) ?? '';
        if (content && ++pieces === leaveAfter) return { text, reasoning, calls: [] };
      }
      // Its helper assembles only the fields that it knows.
      return { ...said((await stream.finalChatCompletion()).choices[0]?.message), reasoning };
    },
    async useTool(prompt) {
      const turn = body(prompt);
      const message = (await chat.completions.create(turn)).choices[0]?.message;
      if (!message) return '';
      const results = (message.tool_calls ?? []).map(({ id }) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: SIGHT,
      }));
      const messages = [...turn.messages, message, ...results];
      return (await chat.completions.create({ ...turn, messages })).choices[0]?.message.content ?? '';
    },
  };

  function said(message: OpenAI.ChatCompletionMessage | undefined): ClientAnswer {
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
    return {
      text: message?.content ?? '',
      reasoning: reasoningOf(message) ?? '',
      calls: calls.map(({ function: { name, arguments: input } }) => ({ name, input: JSON.parse(input) })),
    };
  }
}

/** A field that the client passes on although its types do not have it. */
function reasoningOf(said: object | undefined): string | undefined {
  return (said as { reasoning_content?: string } | undefined)?.reasoning_content;
}

/** Drives a client through responses. */
export function responsesDriver({ responses }: OpenAI, model: string): ClientDriver {
  const tools = TOOLS.map(({ schema, ...named }) => ({
    type: 'function' as const,
    strict: null,
    ...named,
    parameters: schema,
  }));
  const body = (input: OpenAI.Responses.ResponseInput | string) => ({ model, input, tools });
  return {
    ask: async (prompt) => said((await responses.create(body(prompt))).output),
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const stream = responses.stream(body(prompt));
      let text = '';
      let pieces = 0;
      for await (const event of stream) {
        if (event.type === 'response.failed') throw new Error(event.response.error?.message);
        if (event.type !== 'response.output_text.delta') continue;
        text += event.delta;
        if (++pieces === leaveAfter) return { text, reasoning: null, calls: [] };
      }
      return said((await stream.finalResponse()).output);
    },
    async useTool(prompt) {
      const { output } = await responses.create(body(prompt));
      const results = callsIn(output).map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: SIGHT,
      }));
      const turn = [{ role: 'user' as const, content: prompt }, ...output, ...results];
      return (await responses.create(body(turn as OpenAI.Responses.ResponseInput))).output_text;
    },
  };

  function said(output: readonly OpenAI.Responses.ResponseOutputItem[]): ClientAnswer {
    const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? (item.content ?? []) : []));
    return {
      text: texts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
      reasoning: thoughts.map(({ text }) => text).join(''),
      calls: callsIn(output).map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) })),
    };
  }
}

function callsIn(output: readonly OpenAI.Responses.ResponseOutputItem[]) {
  return output.filter((item) => item.type === 'function_call');
}
