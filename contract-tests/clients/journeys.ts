/**
 * What every official client must be able to do, written once. Each has a `ClientDriver`, which sends requests through
 * it, whole and streamed. The client talks to a gateway in front of a second server that reads from the prompt what to
 * answer, so the client needs no change.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { chat } from '../support/chat.ts';
import type { Client } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { type Address, type ClientDriver, SIGHT } from './client-driver.ts';
import { ENDLESS_TOKENS, promptOf, REASONING_TOKENS, repliesByPrompt, SLOTS, TEXT_TOKENS } from './pod-kinds.ts';
import { ValidatingFetch } from './validating-fetch.ts';

/** What is particular about a client. */
export interface ClientOptions {
  /** Why its journeys cannot run here. */
  readonly skip?: string | false;
  /** It ends a failed stream like a complete one. */
  readonly hidesFailures?: boolean;
  /** Frees what `connect` took. */
  readonly close?: () => void;
}

/** Declares the journeys of one client. */
export function describeJourneys(
  name: string,
  connect: (address: Address) => ClientDriver | Promise<ClientDriver>,
  { skip = false, hidesFailures = false, close = () => {} }: ClientOptions = {},
): void {
  describe(`the journeys of ${name}`, { skip }, () => {
    const server = useServer();
    const wire = new ValidatingFetch();
    let key: string;
    let account: Client;
    let driver: ClientDriver;
    const driverOf = async (model: string) => connect({ url: server.api.url, key, model, fetch: wire.fetch });

    before(async () => {
      key = (await server.createAccount({ keyPriceLimits: { tide: 5 } })).key;
      account = server.api.as(key);
      repliesByPrompt(server);
      driver = await driverOf('tide');
    });
    afterEach(() => wire.assertNoProblems());
    after(close);

    /** Asserts that `act` makes one order, charged once, for a number of tokens that `expected` accepts. */
    async function settled<Result>(act: () => Promise<Result>, expected: (tokens: number) => boolean): Promise<Result> {
      const earlier = await server.charged(account);
      const result = await act();
      await server.orders({ queued: 0, executing: 0 }, account);
      const later = await server.charged(account);
      const [row] = (await account.call('listUsage', { query: { limit: 1 } })).body(200).data;
      assert.ok(row && expected(row.output_tokens), `${row?.output_tokens} tokens were charged`);
      assert.equal(later.settled, earlier.settled + 1);
      assert.equal(later.balanceNano, earlier.balanceNano - Math.round(row.charged_usd * 1e9));
      return result;
    }

    const spoken = {
      whole: (prompt: string) => driver.ask(prompt),
      streamed: (prompt: string) => driver.stream(prompt),
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
      assert.match(await driver.useTool(promptOf('a call, then text')), /word0 word1/);
      const resent = JSON.stringify(server.lastRequest().messages);
      assert.match(resent, new RegExp(`${RegExp.escape(promptOf('a call, then text'))}.*${SIGHT}`));
    });

    it('disconnects in mid-stream and pays once, for what was generated', async () => {
      const said = await settled(
        () => driver.stream(promptOf('endless text'), 5),
        (tokens) => tokens >= 5 && tokens < ENDLESS_TOKENS,
      );
      assert.match(said.text, /^word0 word1 word2 word3 word4/);
    });

    it('raises an error when the backend fails in mid-stream, and is not charged', async () => {
      await server.uncharged(async () => {
        const streamed = driver.stream(promptOf('failure in the middle'));
        if (hidesFailures) await streamed;
        else await assert.rejects(streamed);
      }, account);
    });

    it('raises an error for a refusal, and is not charged', async () => {
      const other = await driverOf('nobody');
      await server.uncharged(async () => {
        await assert.rejects(other.ask(promptOf('text')));
        await assert.rejects(other.stream(promptOf('text')));
      }, account);
    });
  });
}
