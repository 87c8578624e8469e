import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { framesOf, itIsAStreamAmongFive, openStream } from './support/open-streams.ts';
import { useServer } from './support/server.ts';

interface Entry {
  readonly model: string;
  readonly level: number;
  readonly preview?: boolean;
  readonly degraded?: boolean;
  readonly quote?: { readonly price: number };
}

interface Frame {
  readonly levels: readonly Entry[];
}

describe('GET /v1/market/levels/stream', () => {
  const server = useServer();
  itIsAStreamAmongFive('streamLevels');

  // Spec 6.1-2
  it('200 opens with every market, then sends each one that moved', async () => {
    const stream = await openStream(server, 'streamLevels');
    await server.pass(3000);
    await stream.until(({ frames }) => frames.length >= 3);
    const [first, ...later] = framesOf<Frame>('streamLevels', stream);
    const { levels } = (await server.api.call('listLevels')).body(200);
    assert.deepEqual(
      first?.levels.map(({ model }) => model),
      levels.map(({ model }) => model),
    );
    for (const { levels: moved } of later)
      assert.deepEqual(
        moved.map(({ model, preview }) => [model, preview]),
        [['surge', true]],
      );
    stream.leave();
  });

  it('200 for a board, gathers what moves, with quotes; with any other view nothing changes', async () => {
    const stream = await openStream(server, 'streamLevels', { view: 'board' });
    const plain = await openStream(server, 'streamLevels', { view: 'Board' });
    const quote = (await server.api.call('getPriceLock', { query: { model: 'surge' } })).body(200);
    await server.pass(6000);
    await plain.until(({ frames }) => frames.length >= 6);
    await stream.until(({ frames }) => frames.length >= 3);
    const board = framesOf<Frame>('streamLevels', stream);
    const frames = framesOf<Frame>('streamLevels', plain);
    assert.ok(board.length < frames.length);
    const surge = board[0]?.levels.find(({ model }) => model === 'surge');
    assert.deepEqual([surge?.degraded, surge?.quote?.price], [false, quote.price]);
    assert.ok(frames.every(({ levels }) => levels.every((entry) => !('quote' in entry))));
    stream.leave();
    plain.leave();
  });

  // Spec 6.1-4
  it('200 merged by model, the frames equal the list of levels', async () => {
    const stream = await openStream(server, 'streamLevels');
    await server.pass(5000);
    const { levels } = (await server.api.call('listLevels')).body(200);
    const listed = levels.map(({ model, level }) => [model, level]);
    // Time stands still: what is on its way is the last.
    await stream.until(() => {
      const merged = framesOf<Frame>('streamLevels', stream).flatMap((frame) =>
        frame.levels.map(({ model, level }) => [model, level] as const),
      );
      return isDeepStrictEqual([...new Map(merged)], listed);
    });
    stream.leave();
  });
});
