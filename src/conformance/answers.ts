/** Answers in one piece, in the four shapes. */
import assert from 'node:assert/strict';
import { type CheckGroup, countIn, firstOf, type Json, jsonWith, objectIn } from './gateway.ts';

export const answers: CheckGroup = {
  name: 'answers',
  checks: [
    {
      name: 'chat: a message of the assistant, a finish, and counts that add up',
      async run(gateway) {
        const body = jsonWith(await gateway.chat(), 200);
        assert.equal(body.object, 'chat.completion');
        const choice = firstOf(body, 'choices');
        assert.equal(objectIn(choice, 'message').role, 'assistant');
        assert.ok(
          ['stop', 'length'].includes(String(choice.finish_reason)),
          `finish_reason is ${choice.finish_reason}`,
        );
        addsUp(objectIn(body, 'usage'));
      },
    },
    {
      name: 'chat: max_tokens 1 is one token at most, and its finish is length',
      async run(gateway) {
        const body = jsonWith(await gateway.chat({ max_tokens: 1 }), 200);
        assert.equal(firstOf(body, 'choices').finish_reason, 'length');
        assert.ok(countIn(objectIn(body, 'usage'), 'completion_tokens') <= 1);
      },
    },
    {
      name: 'completions: text, a finish, and counts that add up',
      async run(gateway) {
        const body = jsonWith(await gateway.completion(), 200);
        assert.equal(body.object, 'text_completion');
        assert.equal(typeof firstOf(body, 'choices').text, 'string');
        addsUp(objectIn(body, 'usage'));
      },
    },
    {
      name: 'responses: a message in the output, completed or cut, and counts',
      async run(gateway) {
        const body = jsonWith(await gateway.response(), 200);
        assert.equal(body.object, 'response');
        assert.ok(['completed', 'incomplete'].includes(String(body.status)), `status is ${body.status}`);
        firstOf(body, 'output');
        const usage = objectIn(body, 'usage');
        assert.equal(countIn(usage, 'total_tokens'), countIn(usage, 'input_tokens') + countIn(usage, 'output_tokens'));
      },
    },
    {
      name: 'messages: content, a stop reason, and counts',
      async run(gateway) {
        const body = jsonWith(await gateway.message(), 200);
        assert.deepEqual([body.type, body.role], ['message', 'assistant']);
        assert.ok(['end_turn', 'max_tokens'].includes(String(body.stop_reason)), `stop_reason is ${body.stop_reason}`);
        firstOf(body, 'content');
        const usage = objectIn(body, 'usage');
        assert.ok(countIn(usage, 'input_tokens') > 0 && countIn(usage, 'output_tokens') > 0);
      },
    },
    {
      name: 'messages: tokens are counted without an answer',
      async run(gateway) {
        const messages = [{ role: 'user', content: 'How many tokens are these?' }];
        const counted = gateway.post('/v1/messages/count_tokens', { model: gateway.model, messages });
        assert.ok(countIn(jsonWith(await gateway.present(counted), 200), 'input_tokens') > 0);
      },
    },
  ],
};

function addsUp(usage: Json): void {
  const [prompt, completion] = [countIn(usage, 'prompt_tokens'), countIn(usage, 'completion_tokens')];
  assert.equal(countIn(usage, 'total_tokens'), prompt + completion);
}
