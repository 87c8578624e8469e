/** Event streams that are written no faster than their callers read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { REPEATED } from '#base/repeated-bytes.ts';
import type { FramesReply } from '#contract/reply.ts';
import { type FakeServer, startFake } from '#testing/fake-api.ts';

const PIECE = `data: ${'x'.repeat(256 * 1024)}\n\n`;

/** A server whose GET /v1/models streams what `frames` yields. */
async function streaming(
  frames: () => AsyncGenerator<string>,
  more: Pick<FramesReply, 'repeated' | 'heldBytes'> = {},
): Promise<FakeServer> {
  const fake = await startFake({ handlers: { getModels: () => ({ status: 200, frames: frames(), ...more }) } });
  after(() => fake.stop());
  return fake;
}

test('frames come in order, as an event stream', async () => {
  const fake = await streaming(async function* () {
    yield ': waiting\n';
    yield 'data: 1\n\n';
  });
  const answer = await fetch(`${fake.url}/v1/models`);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  assert.equal(await answer.text(), ': waiting\ndata: 1\n\n');
});

test('a stream that is cut does not look complete', async () => {
  const fake = await streaming(async function* () {
    yield 'data: 1\n\n';
    throw new Fault('unavailable');
  });
  await assert.rejects(fetch(`${fake.url}/v1/models`).then((answer) => answer.text()));
});

test('who does not read is asked for no more than a socket holds, and leaving ends the reading', async () => {
  let pieces = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fake = await streaming(async function* () {
    try {
      for (; pieces < 400; pieces++) yield PIECE;
    } finally {
      end();
    }
  });
  const { port, hostname } = new URL(fake.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  socket.destroy();
  await ended;
  assert.ok(pieces < 400, `${pieces} pieces were read.`);
});

test('the bytes that a stream repeats are where its marks are, and its caller is waited for after each', async () => {
  const repeated = Buffer.from(`"${'🌊'.repeat(100_000)}"}`);
  const event = `data: {"a":${REPEATED}\n\n`;
  let waits = 0;
  const heldBytes = () => {
    waits++;
    return 0;
  };
  const frames = async function* () {
    yield ': waiting\n';
    yield `data: 1\n\n${event}${event}data: 2\n\n`;
    yield event;
  };
  const fake = await streaming(frames, { repeated, heldBytes });
  const text = await (await fetch(`${fake.url}/v1/models`)).text();
  const told = event.replace(REPEATED, repeated.toString());
  assert.ok(text === `: waiting\ndata: 1\n\n${told}${told}data: 2\n\n${told}`);
  assert.equal(waits, 3);
});
