/**
 * The floor: what every gateway in Node has to do, and nothing more. It sends a request through undici to the backend of
 * its model, reads the events of the answer, and replies with their text or passes them on. It checks no key and no
 * field, knows no prices and keeps nothing. `node server.ts --port 9000 --backends '{"model":"http://…/v1"}'`
 */
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import { type Dispatcher, Pool } from 'undici';

const HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream'];

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #stream: boolean;
  readonly #decoder = new TextDecoder();
  readonly #events = createParser({ onEvent: ({ data }) => this.#read(data) });
  #text = '';
  #usage: unknown = null;

  constructor(response: ServerResponse, stream: boolean) {
    this.#response = response;
    this.#stream = stream;
  }

  onRequestStart(): void {}

  onResponseStart(): void {
    if (this.#stream) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#events.feed(this.#decoder.decode(bytes, { stream: true }));
    if (this.#stream) this.#response.write(bytes);
  }

  onResponseEnd(): void {
    if (this.#stream) this.#response.end();
    else this.#answer();
  }

  onResponseError(): void {
    this.#response.destroy();
  }

  #read(data: string): void {
    if (data === '[DONE]') return;
    const { choices, usage } = JSON.parse(data);
    this.#text += choices[0]?.delta.content ?? '';
    this.#usage = usage ?? this.#usage;
  }

  #answer(): void {
    const message = { role: 'assistant', content: this.#text };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const json = JSON.stringify({ object: 'chat.completion', choices, usage: this.#usage });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
    this.#response.writeHead(200, headers).end(json);
  }
}

const { values } = parseArgs({ options: { port: { type: 'string' }, backends: { type: 'string', default: '{}' } } });
const backends = new Map(
  Object.entries<string>(JSON.parse(values.backends)).map(([model, url]) => {
    const { origin, pathname } = new URL(url);
    return [model, { pool: new Pool(origin, { connections: 256 }), path: `${pathname}/chat/completions` }];
  }),
);
createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}');
    const backend = backends.get(body.model);
    if (!backend) {
      response.writeHead(404).end();
      return;
    }
    const sent = JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } });
    const call = { method: 'POST', path: backend.path, headers: HEADERS, body: sent } as const;
    backend.pool.dispatch(call, new Exchange(response, body.stream === true));
  });
}).listen(Number(values.port), '127.0.0.1');
