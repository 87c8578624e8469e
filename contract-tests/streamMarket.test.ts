import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pricesAt } from './support/chat.ts';
import { framesOf, itIsAStreamAmongFive, openStream } from './support/open-streams.ts';
import { useServer } from './support/server.ts';

interface Frame {
  readonly level: number;
  readonly usd_per_million: { readonly cached: number; readonly uncached: number; readonly output: number };
  readonly updated_at: string;
  readonly preview?: boolean;
}

describe('GET /v1/market/stream', () => {
  const server = useServer();
  itIsAStreamAmongFive('streamMarket');

  it('200 opens with the level of the default model, as the market shows it', async () => {
    const stream = await openStream(server, 'streamMarket');
    const [frame] = framesOf<Frame>('streamMarket', stream);
    const { level, usd_per_million, updated_at } = (await server.api.call('getMarket')).body(200);
    assert.deepEqual(frame, { level, usd_per_million, updated_at });
    const prices = pricesAt(level, { cached: 0.1, uncached: 1, output: 4 });
    assert.ok(Math.abs((frame?.usd_per_million.output ?? 0) - prices.output) < 2e-9);
    stream.leave();
  });

  it('200 a frame for each change of a preview, marked', async () => {
    const stream = await openStream(server, 'streamMarket', { model: 'surge' });
    await server.pass(4000);
    await stream.until(({ frames }) => frames.length >= 4);
    const frames = framesOf<Frame>('streamMarket', stream);
    assert.ok(frames.every(({ preview }) => preview === true));
    assert.ok(new Set(frames.map(({ level }) => level)).size >= 3);
    stream.leave();
  });

  // Spec 6.1-1
  it('200 repeats the current values while nothing moves', async () => {
    const stream = await openStream(server, 'streamMarket', { model: 'tide-latest' });
    await server.pass(31_000);
    await stream.until(({ frames }) => frames.length >= 3);
    const [first, ...repeats] = framesOf<Frame>('streamMarket', stream);
    for (const repeat of repeats) assert.deepEqual(repeat, first);
    stream.leave();
  });

  it('400 unknown_model and fixed_price_model, before a stream opens', async () => {
    const get = (model: string) => server.api.call('streamMarket', { query: { model } });
    (await get('nobody')).refusal(400, 'unknown_model');
    assert.match((await get('harbor')).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
