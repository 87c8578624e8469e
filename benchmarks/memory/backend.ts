/**
 * A chat server whose answers depend on the model: `quick` answers at once, `slow` writes a word each second for an
 * hour, `large` writes 12 MB as fast as it can. `node backend.ts --port 9000`.
 */
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { cannedReply, chunkOf, DONE_FRAME, frameOf } from '#testing/mock-backend.ts';

const WORDS = 3600;
const LARGE_PIECES = 192;
const quick = Buffer.concat(cannedReply().writes.map((write) => Buffer.from(write)));
const word = Buffer.from(frameOf(chunkOf({ content: 'word ' })));
const piece = Buffer.from(frameOf(chunkOf({ content: 'x'.repeat(64 * 1024) })));
const end = Buffer.from(frameOf(chunkOf({}, { finish_reason: 'stop' })) + DONE_FRAME);

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  quick: (response) => response.end(quick),
  slow(response) {
    let words = 0;
    const timer = setInterval(() => {
      response.write(word);
      if (++words === WORDS) response.end(end);
    }, 1000);
    response.on('close', () => clearInterval(timer));
  },
  large(response) {
    for (let pieces = 0; pieces < LARGE_PIECES; pieces++) response.write(piece);
    response.end(end);
  },
};

const { values } = parseArgs({ options: { port: { type: 'string' } } });
createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('{"object":"list","data":[]}');
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    // The gateway's own fields come last.
    const model = /"model":"(\w+)"/.exec(Buffer.concat(parts).subarray(-300).toString())?.[1] ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answers[model]?.(response);
  });
}).listen(Number(values.port), '127.0.0.1');
