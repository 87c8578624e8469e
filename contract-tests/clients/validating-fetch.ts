/**
 * A `fetch` for official clients that changes nothing they see, and checks every answer against the interface document:
 * what one client accepts may still break a promise to another.
 */
import assert from 'node:assert/strict';
import { type OperationId, operations } from '#generated/operations.ts';
import { problemWith } from '../support/conformance.ts';
import { parseStream } from '../support/sse.ts';

/** A request of a client, and its answer. */
export interface Exchange {
  readonly operationId: OperationId;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body so far. */
  text: string;
}

/** Records what goes through `fetch`. */
export class ValidatingFetch {
  readonly exchanges: Exchange[] = [];
  readonly #problems: string[] = [];

  /** Pass this to a client as its `fetch`. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request);
    const operationId = operationOf(request.method, new URL(request.url).pathname);
    const headers = Object.fromEntries(answer.headers);
    const exchange: Exchange = { operationId, status: answer.status, headers, text: '' };
    this.exchanges.push(exchange);
    if (!answer.body) return answer;
    const { status, statusText } = answer;
    return new Response(this.#recorded(answer.body, exchange), { status, statusText, headers: answer.headers });
  };

  /** The last exchange; fails when there was none. */
  get last(): Exchange {
    const exchange = this.exchanges.at(-1);
    assert.ok(exchange, 'The client sent nothing.');
    return exchange;
  }

  /** The comments of the last answer, which no client shows. */
  get comments(): readonly string[] {
    return parseStream(this.last.text).comments;
  }

  /** Fails when an answer that was read to its end broke the document. */
  assertNoProblems(): void {
    assert.deepEqual(this.#problems, []);
  }

  #recorded(body: ReadableStream<Uint8Array>, exchange: Exchange): ReadableStream<Uint8Array> {
    const decoder = new TextDecoder();
    const check = () => {
      const problem = problemWith(exchange.operationId, 'post', exchange);
      if (problem) this.#problems.push(problem);
    };
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          exchange.text += decoder.decode(bytes, { stream: true });
          controller.enqueue(bytes);
        },
        flush: check,
      }),
    );
  }
}

function operationOf(method: string, path: string): OperationId {
  const found = Object.entries(operations).find(
    ([, operation]) => operation.method.toUpperCase() === method && matches(operation.path, path),
  );
  assert.ok(found, `${method} ${path} is no operation of the document.`);
  return found[0] as OperationId;
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
