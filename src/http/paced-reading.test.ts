import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { PacedReading } from './body.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one of many large bodies is read in each turn of the event loop, each in its turn', async () => {
  const line = new PacedReading();
  const requests = Array.from({ length: 10 }, () => new IncomingMessage(new Socket()));
  const reading = () => requests.filter((request) => !request.isPaused()).length;
  for (const request of requests) line.pause(request);
  const seen = [reading()];
  for (let turns = 0; turns < 3; turns++) {
    await turn();
    seen.push(reading());
  }
  assert.deepEqual(seen, [0, 1, 2, 3]);
});
