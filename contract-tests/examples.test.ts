/**
 * The examples of the reference at /docs/reference are sent to a gateway as shown: every request body by itself and with all
 * parameters, as a tool sends it that fills in what it finds, and every parameter by itself. Only what a caller would take
 * from an earlier answer is replaced: the ids of an order, of a file and of a batch. The answers are checked against the
 * document like all others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type OperationId, operations } from '#generated/operations.ts';
import { parameterExamples, requestExamples } from './support/document.ts';
import { npmStart, type StartedGateway } from './support/npm-start.ts';

/** Operations whose examples may also be refused because the subject has already ended. */
const OVER: readonly OperationId[] = ['cancelOrder', 'cancelResponse', 'cancelBatch', 'deleteFile'];

/** Operations whose token only the pages of the account give: the example is one that opens nothing. */
const TOKEN: readonly OperationId[] = ['getSharedReceipt'];

/** In the order in which a caller would send them: operations that remove things come last. */
const ids = (Object.keys(operations) as OperationId[]).sort((a, b) => Number(isRemoval(a)) - Number(isRemoval(b)));

describe('the examples of the reference', () => {
  let gateway: StartedGateway;
  /** Ids by the place where they are needed. */
  const made = { orders: '', responses: '', files: '', batches: '' };
  before(async () => {
    gateway = await npmStart();
  });
  after(() => gateway?.stop());

  interface Request {
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly mediaType?: string;
    readonly example?: unknown;
  }

  /** Sends an example, and reads its answer; of an endless stream only the beginning. */
  async function send(id: OperationId, { query = '', headers = {}, mediaType, example }: Request): Promise<string> {
    const { method, path, streams } = operations[id];
    const [, , kind = ''] = path.split('/');
    const own = made[kind as keyof typeof made] ?? '';
    const address = gateway.url + path.replace('{model}', 'tide-70b').replace('{id}', own) + query;
    const leave = new AbortController();
    const answer = await fetch(address, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${gateway.key}`,
        ...(mediaType === 'application/json' ? { 'content-type': mediaType } : {}),
        ...headers,
      },
      ...(mediaType ? { body: bodyOf(mediaType, example) } : {}),
      redirect: 'manual',
      signal: leave.signal,
    });
    const isEndless = streams && method === 'get';
    const text = isEndless ? await firstChunk(answer) : await answer.text();
    leave.abort();
    const isOver = answer.status === 409 && OVER.includes(id);
    const isGood = answer.status < 400 || isOver || (answer.status === 404 && TOKEN.includes(id));
    assert.ok(isGood, `${id} ${query} ${JSON.stringify(headers)} answered ${answer.status}: ${text}`);
    return text;
  }

  function bodyOf(mediaType: string, example: unknown): string | FormData {
    if (mediaType === 'application/json') {
      return JSON.stringify(example).replaceAll(/"file-[0-9a-f]+"/g, JSON.stringify(made.files));
    }
    const form = new FormData();
    for (const [name, value] of Object.entries(example as Record<string, string>)) {
      if (name === 'file') form.append(name, new Blob([value]), 'input.jsonl');
      else form.append(name, value);
    }
    return form;
  }

  /** Keeps the ids of what an example made, for the examples that need them. */
  function keepIds(id: OperationId, text: string, keyed = false): void {
    // Only streams of orders with a key can be followed.
    if (id === 'createChatCompletion' && (keyed || !made.orders))
      made.orders = /"order_id":"([^"]+)"/.exec(text)?.[1] ?? made.orders;
    if (id === 'createResponse' && keyed) made.responses = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
    if (id === 'uploadFile') made.files = JSON.parse(text).id;
    if (id === 'createBatch') made.batches = JSON.parse(text).id;
  }

  for (const id of ids) {
    const requests = requestExamples(id);
    for (const { mediaType, name, example } of requests) {
      it(`${id}: the request called ${name}`, async () => keepIds(id, await send(id, { mediaType, example })));
    }
    const [first] = requests;
    const parameters = parameterExamples(id);
    if (parameters.length > 1) {
      const examplesIn = (place: string) =>
        Object.fromEntries(parameters.filter((each) => each.in === place).map(({ name, example }) => [name, example]));
      const all = { query: `?${new URLSearchParams(examplesIn('query'))}`, headers: examplesIn('header') };
      for (const request of requests.length > 0 ? requests : [{}])
        it(`${id}: ${'name' in request ? `the request called ${request.name} with ` : ''}all parameters together`, async () =>
          void (await send(id, { ...request, ...all })));
    }
    for (const parameter of parameters) {
      it(`${id}: the ${parameter.in} parameter ${parameter.name}`, async () => {
        const { name, example } = parameter;
        const query = parameter.in === 'query' ? `?${new URLSearchParams({ [name]: example })}` : '';
        // A request under an Idempotency-Key has to be the same each time, so each operation has a key of its own.
        const headers =
          parameter.in === 'header' ? { [name]: name === 'Idempotency-Key' ? `${example}-${id}` : example } : {};
        keepIds(id, await send(id, { ...first, query, headers }), name === 'Idempotency-Key');
      });
    }
    if (requests.length + parameters.length === 0) it(`${id}: without anything`, async () => void (await send(id, {})));
  }
});

function isRemoval(id: OperationId): boolean {
  return /^(cancel|delete)/.test(id);
}

async function firstChunk(answer: Response): Promise<string> {
  for await (const chunk of answer.body ?? []) return Buffer.from(chunk).toString();
  return '';
}
