/** Streams in the four shapes, read event by event as the contract tests read them. */
import assert from 'node:assert/strict';
import { type CheckGroup, objectIn, streamOf } from './gateway.ts';
import { checkChatStream } from './streams/chat-stream-checker.ts';
import { checkCompletionStream } from './streams/completion-stream-checker.ts';
import { checkMessagesStream } from './streams/messages-stream-checker.ts';
import { checkResponsesStream } from './streams/responses-stream-checker.ts';

const stream = true;

export const streams: CheckGroup = {
  name: 'streams',
  checks: [
    {
      name: 'chat: chunks in order, one finish, [DONE]',
      async run(gateway) {
        const { error, finishReason } = checkChatStream(streamOf(await gateway.chat({ stream })));
        assert.equal(error, null);
        assert.ok(finishReason);
      },
    },
    {
      name: 'chat: usage in a chunk of its own when asked for, and not otherwise',
      async run(gateway) {
        const ask = async (fields: object) =>
          checkChatStream(streamOf(await gateway.chat({ stream, ...fields }))).usage;
        assert.equal(await ask({}), null);
        assert.ok(Number((await ask({ stream_options: { include_usage: true } }))?.completion_tokens) > 0);
      },
    },
    {
      name: 'completions: chunks of text, one finish, [DONE]',
      async run(gateway) {
        const { error, text } = checkCompletionStream(streamOf(await gateway.completion({ stream })));
        assert.equal(error, null);
        assert.ok(text);
      },
    },
    {
      name: 'responses: events numbered without a gap, each item from added to done, one end that repeats it all',
      async run(gateway) {
        const { status, usage } = checkResponsesStream(streamOf(await gateway.response({ stream })));
        assert.ok(status !== 'failed' && usage, `it ${status}`);
      },
    },
    {
      name: 'messages: blocks one after another between message_start and message_stop',
      async run(gateway) {
        const { error, content, stopReason } = checkMessagesStream(streamOf(await gateway.message({ stream })));
        assert.equal(error, null);
        assert.ok(content.length > 0 && stopReason);
      },
    },
    {
      name: 'a refusal before a stream has a status and no stream',
      async run(gateway) {
        const { status, json } = await gateway.chat({ stream, model: 'no-such-model-anywhere' });
        assert.equal(status, 404);
        assert.ok(objectIn(json, 'error').message);
      },
    },
  ],
};
