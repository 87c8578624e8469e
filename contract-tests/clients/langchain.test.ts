/** LangChain JS, unmodified, in the three shapes that its models speak. */
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { type Address, type ClientAnswer, type ClientDriver, SIGHT, TOOLS } from './client-driver.ts';
import { describeJourneys } from './journeys.ts';

describeJourneys('LangChain’s OpenAI model, in chat', (address) => driverOf(openai(address, false), () => null));
// It overlooks `response.failed`.
describeJourneys('LangChain’s OpenAI model, in responses', (address) => driverOf(openai(address, true), () => null), {
  hidesFailures: true,
});
describeJourneys('LangChain’s Anthropic model', ({ url, key, model, fetch }) => {
  const clientOptions = { fetch };
  const anthropic = new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: url, maxTokens: 512, clientOptions });
  return driverOf(anthropic, thinkingOf);
});

function openai({ url, key, model, fetch }: Address, useResponsesApi: boolean): ChatOpenAI {
  return new ChatOpenAI({ model, apiKey: key, useResponsesApi, configuration: { baseURL: `${url}/v1`, fetch } });
}

function driverOf(model: BaseChatModel, reasoningOf: (message: AIMessageChunk) => string | null): ClientDriver {
  const tools = TOOLS.map(({ schema, ...named }) => ({
    type: 'function' as const,
    function: { ...named, parameters: { ...schema } },
  }));
  const bound = model.bindTools?.(tools);
  if (!bound) throw new Error('This model takes no tools.');
  const said = (message: AIMessageChunk): ClientAnswer => ({
    text: message.text,
    reasoning: reasoningOf(message),
    calls: (message.tool_calls ?? []).map(({ name, args }) => ({ name, input: args })),
  });
  return {
    ask: async (prompt) => said((await bound.invoke(prompt)) as AIMessageChunk),
    async stream(prompt, leaveAfter = Number.POSITIVE_INFINITY) {
      const leaving = new AbortController();
      let whole: AIMessageChunk | null = null;
      let pieces = 0;
      for await (const chunk of await bound.stream(prompt, { signal: leaving.signal })) {
        const piece = chunk as AIMessageChunk;
        whole = whole ? whole.concat(piece) : piece;
        if (piece.text !== '' && ++pieces === leaveAfter) {
          leaving.abort();
          break;
        }
      }
      if (!whole) throw new Error('The stream was empty.');
      return said(whole);
    },
    async useTool(prompt) {
      const asked = new HumanMessage(prompt);
      const called = (await bound.invoke([asked])) as AIMessageChunk;
      const results = (called.tool_calls ?? []).map(
        ({ id = '' }) => new ToolMessage({ tool_call_id: id, content: SIGHT }),
      );
      return said((await bound.invoke([asked, called, ...results])) as AIMessageChunk).text;
    },
  };
}

function thinkingOf({ content }: AIMessageChunk): string {
  if (typeof content === 'string') return '';
  return content.map((block) => (block.type === 'thinking' ? String(block.thinking ?? '') : '')).join('');
}
