/**
 * Five thousand listeners of one market's stream on one gateway, over real sockets: whether every change reaches all of
 * them, and how long the event loop was held up meanwhile. Design: streams.
 */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#base/clock.ts';
import { marketFrames } from '#handlers/market-streams.ts';
import { EventStream, eventStreamHeaders } from '#http/event-stream.ts';
import { MarketFeed } from '#market/feed.ts';
import { Listings } from '#market/listing.ts';
import { marketListing } from '#testing/listings.ts';
import { markdownTable } from './table.ts';

const LISTENERS = process.argv.includes('--quick') ? 1000 : 5000;
const CHANGES = 20;

let level = 1e9;
const listings = new Listings([marketListing({ id: 'm' })], 'm');
const feed = new MarketFeed({
  clock: systemClock,
  models: ['m'],
  market: {
    current: (model) => {
      const still = { levelSeq: 1, mode: 'clearing', degraded: false, updatedAtMs: 0, preview: false } as const;
      return { model, level, ...still };
    },
    quote: () => null,
  },
  write: marketFrames(listings),
});
const server = createServer((_request, response) => {
  response.writeHead(200, eventStreamHeaders);
  const out = new EventStream(response);
  const leave = feed.level('m').follow({ frame: (text) => void out.write(text), ended: () => out.end() });
  response.once('close', leave);
}).listen(0, '127.0.0.1');
await pause(50);
const { port } = server.address() as AddressInfo;

const frames = new Array<number>(LISTENERS).fill(0);
for (let listener = 0; listener < LISTENERS; listener++) {
  get({ port, host: '127.0.0.1', agent: false }, (answer) => {
    answer.on('data', (chunk: Buffer) => {
      frames[listener] = (frames[listener] ?? 0) + chunk.toString().split('\n\n').length - 1;
    });
  });
  // No more at once than the queue of new connections holds.
  while (listener % 200 === 199 && (frames[listener] ?? 0) < 1) await pause(10);
}
while (frames.some((count) => count < 1)) await pause(50);

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
const startMs = performance.now();
for (let change = 0; change < CHANGES; change++) {
  level += 1e6;
  feed.levelMoved('m');
  await pause(1000);
}
delay.disable();
const reached = frames.filter((count) => count === CHANGES + 1).length;
console.log(
  markdownTable(
    ['listeners', 'changes', 'told of every change', 'loop delay p50 ms', 'p99 ms', 'resident MiB'],
    [
      [
        String(LISTENERS),
        String(CHANGES),
        String(reached),
        (delay.percentile(50) / 1e6).toFixed(1),
        (delay.percentile(99) / 1e6).toFixed(1),
        String(Math.round(process.memoryUsage().rss / 2 ** 20)),
      ],
    ],
  ),
);
console.log(
  `\nOne change a second for ${Math.round((performance.now() - startMs) / 1000)} s; listeners in the same process.`,
);
process.exit();
