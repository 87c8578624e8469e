import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, itIsAStreamAmongFive, openStream } from './support/open-streams.ts';
import { useServer } from './support/server.ts';

interface Frame {
  readonly price: number;
  readonly previous_price: number | null;
  readonly valid_until: string;
  readonly preview?: boolean;
}

describe('GET /v1/market/price-lock/stream', () => {
  const server = useServer();
  itIsAStreamAmongFive('streamPriceLock');

  it('200 opens with the current quote, as the price lock shows it', async () => {
    const stream = await openStream(server, 'streamPriceLock');
    const [frame] = framesOf<Frame>('streamPriceLock', stream);
    const { price, previous_price, usd_per_million, valid_until } = (await server.api.call('getPriceLock')).body(200);
    assert.deepEqual(frame, { price, previous_price, usd_per_million, valid_until });
    stream.leave();
  });

  // Spec 6.1-5
  it('200 one frame at each boundary, with the previous price, marked on a preview', async () => {
    const stream = await openStream(server, 'streamPriceLock', { model: 'surge' });
    await server.pass(30_000);
    await stream.until(({ frames }) => frames.length >= 4);
    const frames = framesOf<Frame>('streamPriceLock', stream);
    for (const [index, frame] of frames.entries()) {
      assert.equal(frame.preview, true);
      const before = frames[index - 1];
      if (!before) continue;
      assert.equal(frame.previous_price, before.price);
      assert.equal(Date.parse(frame.valid_until) - Date.parse(before.valid_until), 10_000);
    }
    stream.leave();
  });

  it('400 unknown_model and fixed_price_model, before a stream opens', async () => {
    const get = (model: string) => server.api.call('streamPriceLock', { query: { model } });
    (await get('nobody')).refusal(400, 'unknown_model');
    assert.match((await get('harbor')).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
