/** Dry runs and bounds of charges through the official clients, unmodified, as docs/buy/bidding.md shows them with curl. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic, { BadRequestError as AnthropicBadRequest } from '@anthropic-ai/sdk';
import OpenAI, { BadRequestError } from 'openai';
import { useServer } from '../support/server.ts';

const messages = [{ role: 'user' as const, content: 'Say hello.' }];
const dry = { headers: { 'X-Dry-Run': 'true' } };

describe('dry runs through the official clients', () => {
  const server = useServer();
  const options = async () => ({ apiKey: (await server.createAccount()).key, maxRetries: 0 });
  const openai = async () => new OpenAI({ baseURL: `${server.api.url}/v1`, ...(await options()) });
  const anthropic = async () => new Anthropic({ baseURL: server.api.url, ...(await options()) });
  /** The answer has the object of a dry run, whatever its type says. */
  const isDryRun = (answer: unknown) => {
    const { object, model, greatest_charge_usd } = answer as Record<string, unknown>;
    assert.deepEqual([object, model], ['dry_run', 'harbor']);
    return Number(greatest_charge_usd);
  };

  it('the OpenAI client returns what a chat and a response would cost, and a bound of that suffices', async () => {
    const client = await openai();
    const chat = { model: 'harbor', messages, max_tokens: 3 };
    const most = isDryRun(await client.chat.completions.create(chat, dry));
    isDryRun(await client.responses.create({ model: 'harbor', input: 'Say hello.' }, dry));
    const bounded = { model: 'harbor', messages, max_charge_usd: most };
    const { choices } = await client.chat.completions.create(bounded);
    assert.equal(choices[0]?.finish_reason, 'length');
  });

  it('a stream that is asked for has no events, and ends', async () => {
    const client = await openai();
    const seen: unknown[] = [];
    const body = { model: 'harbor', messages, stream: true } as const;
    for await (const event of await client.chat.completions.create(body, dry)) seen.push(event);
    assert.deepEqual(seen, []);
  });

  it('the Anthropic client returns what a message would cost', async () => {
    const client = await anthropic();
    isDryRun(await client.messages.create({ model: 'harbor', messages, max_tokens: 3 }, dry));
  });

  it('both raise the refusal that the request would get', async () => {
    const broke = { model: 'harbor', messages, max_tokens: 3, max_charge_usd: 0 };
    const [one, other] = [await openai(), await anthropic()];
    await assert.rejects(one.chat.completions.create(broke, dry), BadRequestError);
    await assert.rejects(other.messages.create(broke, dry), AnthropicBadRequest);
  });
});
