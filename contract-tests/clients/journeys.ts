/**
 * What every official client must be able to do, told once. A client joins by a `Speaker`: how it is asked, whole and
 * streamed, in its own words. It speaks to a gateway before a second server, which reads from the prompt what to answer,
 * so nothing of the client has to be changed to carry that.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { chat } from '../support/chat.ts';
import type { Client } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { ENDLESS_TOKENS, promptOf, REASONING_TOKENS, repliesByPrompt, SLOTS, TEXT_TOKENS } from './pod-kinds.ts';
import { ValidatingFetch } from './validating-fetch.ts';

/** What an answer said, in no client's words. `reasoning` is null from a client that has no place for it. */
export interface Said {
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/** A client that knows whom to ask, for which model. Every request brings the tools `look` and `listen`. */
export interface Speaker {
  ask(prompt: string): Promise<Said>;
  /** Reads to the end, or leaves once it has seen `leaveAfter` pieces of text. Rejects when the stream ends in an error. */
  stream(prompt: string, leaveAfter?: number): Promise<Said>;
  /** Asks, runs the tool that is called, sends the call and its result back, and gives the text that follows. */
  useTool(prompt: string): Promise<string>;
}

/** Whom to ask. */
export interface Address {
  /** Without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What `look` finds, wherever it looks. */
export const SIGHT = 'a calm sea';
/** The tools, as JSON Schema has them. */
export const TOOLS = [tool('look', 'at'), tool('listen', 'to')] as const;

/** What is particular about a client. */
export interface Particulars {
  /** Why its journeys cannot be made here. */
  readonly skip?: string | false;
  /** It ends a stream that failed like one that ended well. */
  readonly hidesFailures?: boolean;
  /** Frees what `connect` took. */
  readonly close?: () => void;
}

/** Declares the journeys of one client. */
export function describeJourneys(
  name: string,
  connect: (address: Address) => Speaker | Promise<Speaker>,
  { skip = false, hidesFailures = false, close = () => {} }: Particulars = {},
): void {
  describe(`the journeys of ${name}`, { skip }, () => {
    const server = useServer();
    const wire = new ValidatingFetch();
    let key: string;
    let account: Client;
    let speaker: Speaker;
    const speakerOf = async (model: string) => connect({ url: server.api.url, key, model, fetch: wire.fetch });

    before(async () => {
      key = (await server.createAccount({ keyPriceLimits: { tide: 5 } })).key;
      account = server.api.as(key);
      repliesByPrompt(server);
      speaker = await speakerOf('tide');
    });
    afterEach(() => wire.assertNoProblems());
    after(close);

    /** Asserts that `act` makes one order, and that it is charged once, for as many tokens as `expected` takes. */
    async function settled<Result>(act: () => Promise<Result>, expected: (tokens: number) => boolean): Promise<Result> {
      const earlier = await server.books(account);
      const result = await act();
      await server.orders({ queued: 0, executing: 0 }, account);
      const later = await server.books(account);
      const [row] = (await account.call('listUsage', { query: { limit: 1 } })).body(200).data;
      assert.ok(row && expected(row.output_tokens), `${row?.output_tokens} tokens were charged`);
      assert.equal(later.settled, earlier.settled + 1);
      assert.equal(later.balanceNano, earlier.balanceNano - Math.round(row.charged_usd * 1e9));
      return result;
    }

    const spoken = {
      whole: (prompt: string) => speaker.ask(prompt),
      streamed: (prompt: string) => speaker.stream(prompt),
    };
    for (const [how, say] of Object.entries(spoken)) {
      it(`gets a text, ${how}`, async () => {
        const said = await settled(
          () => say(promptOf('text')),
          (tokens) => tokens === TEXT_TOKENS,
        );
        assert.match(said.text, /^word0 word1 .*word7 ?$/);
        assert.deepEqual(said.calls, []);
      });

      it(`gets two parallel calls, ${how}`, async () => {
        const { calls } = await say(promptOf('two calls'));
        assert.deepEqual(calls, [
          { name: 'look', input: { at: 'sea' } },
          { name: 'listen', input: { to: 'wind' } },
        ]);
      });

      it(`gets reasoning before the text, ${how}`, async () => {
        const said = await settled(
          () => say(promptOf('reasoning')),
          (tokens) => tokens === TEXT_TOKENS + REASONING_TOKENS,
        );
        assert.match(said.text, /^word0 word1 .*word7 ?$/);
        if (said.reasoning !== null) assert.equal(said.reasoning, 'Let me think.');
      });

      it(`waits a minute in the queue and asks once, ${how}`, async () => {
        const body = chat({ stream: true, x_script: 'silence' });
        const open = () => server.api.open('createChatCompletion', { body });
        const callers = await Promise.all(Array.from({ length: SLOTS }, open));
        await server.orders({ executing: SLOTS });
        const said = settled(
          () => say(promptOf('text')),
          (tokens) => tokens === TEXT_TOKENS,
        );
        await server.orders({ queued: 1 }, account);
        await server.pass(60_000);
        await server.orders({ queued: 1 }, account);
        for (const caller of callers) caller.leave();
        assert.match((await said).text, /word0 word1/);
      });
    }

    it('resends a turn with its call and the result, and is answered', async () => {
      assert.match(await speaker.useTool(promptOf('a call, then text')), /word0 word1/);
      assert.match(JSON.stringify(server.lastRequest().messages), new RegExp(SIGHT));
    });

    it('leaves in the middle of a stream and pays once, for what was generated', async () => {
      const said = await settled(
        () => speaker.stream(promptOf('endless text'), 5),
        (tokens) => tokens >= 5 && tokens < ENDLESS_TOKENS,
      );
      assert.match(said.text, /^word0 word1 word2 word3 word4/);
    });

    it('meets a backend that fails in mid-stream as an error, and is not charged', async () => {
      await server.uncharged(async () => {
        const streamed = speaker.stream(promptOf('failure in the middle'));
        if (hidesFailures) await streamed;
        else await assert.rejects(streamed);
      }, account);
    });

    it('meets a refusal as an error, and is not charged', async () => {
      const other = await speakerOf('nobody');
      await server.uncharged(async () => {
        await assert.rejects(other.ask(promptOf('text')));
        await assert.rejects(other.stream(promptOf('text')));
      }, account);
    });
  });
}

function tool(name: string, parameter: string) {
  return {
    name,
    description: `Tells what is ${parameter} a place.`,
    schema: {
      type: 'object' as const,
      properties: { [parameter]: { type: 'string' as const } },
      required: [parameter],
      additionalProperties: false,
    },
  };
}
