import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { listening } from '#testing/listening.ts';
import { type Fault, faults, openFailingGateway } from './failing-gateway.ts';

const ORDER = '01a1fdc3-6a2b-7000-8d5e-0c9f3b7a1e24';
const BODY = JSON.stringify({ model: 'tide', price_limit: 2.017, text: 'x'.repeat(5000) });

/** A gateway whose only order is done; it answers with what it was sent. */
const gateway: RequestListener = (request, response) => {
  response.setHeader('x-service-order-id', ORDER);
  if (request.url === `/v1/orders/${ORDER}`) response.end('{"status": "done"}');
  else request.pipe(response);
};

interface Tried {
  readonly url: string;
  /** The requests that reached the gateway. */
  readonly reached: string[];
  readonly spoiled: readonly { fault: Fault; subject: string | null }[];
}

/** A failing gateway where each of so many requests fails in one of these ways. */
async function tried(kinds: readonly Fault[], act: (at: Tried) => Promise<void>, rate = 1): Promise<void> {
  const reached: string[] = [];
  const real = await listening(
    createServer((request, response) => {
      reached.push(`${request.method} ${request.url}`);
      gateway(request, response);
    }),
  );
  const failing = await openFailingGateway({ target: real.url, seed: 1, rate, kinds });
  try {
    await act({ url: failing.url, reached, spoiled: failing.spoiled });
  } finally {
    await failing.close();
    await real.close();
  }
}

const place = (url: string) => fetch(`${url}/v1/chat/completions`, { method: 'POST', body: BODY });

describe('a gateway that fails on purpose', () => {
  it('passes a request and its answer on, byte by byte, when none is to fail', () =>
    tried(
      faults,
      async ({ url, reached, spoiled }) => {
        const response = await place(url);
        assert.equal(await response.text(), BODY);
        assert.equal(response.headers.get('x-service-order-id'), ORDER);
        assert.deepEqual([reached, spoiled], [['POST /v1/chat/completions'], []]);
      },
      0,
    ));

  for (const status of [502, 408] as const)
    it(`answers ${status} with a page before, and after, the gateway has the request`, async () => {
      for (const moment of ['before', 'after'] as const)
        await tried([`${status} ${moment}`], async ({ url, reached, spoiled }) => {
          const response = await place(url);
          assert.equal(response.status, status);
          assert.equal(response.headers.get('x-service-order-id'), null);
          assert.equal(reached.length, moment === 'after' ? 1 : 0);
          assert.deepEqual(spoiled, [{ fault: `${status} ${moment}`, subject: '2.017' }]);
        });
    });

  it('answers 429 with and without a time, and the gateway does not see the request', async () => {
    for (const [fault, seconds] of [['429 with Retry-After', '1'] as const, ['429 without Retry-After', null] as const])
      await tried([fault], async ({ url, reached }) => {
        const response = await place(url);
        assert.deepEqual([response.status, response.headers.get('retry-after')], [429, seconds]);
        assert.equal(reached.length, 0);
      });
  });

  it('closes the connection before, and after, the gateway has the request', async () => {
    for (const moment of ['before', 'after'] as const)
      await tried([`dropped ${moment}`], async ({ url, reached }) => {
        await assert.rejects(place(url), TypeError);
        assert.equal(reached.length, moment === 'after' ? 1 : 0);
      });
  });

  it('closes the connection in the middle of an answer', () =>
    tried(['cut'], async ({ url, spoiled }) => {
      const response = await place(url);
      await assert.rejects(response.text(), TypeError);
      assert.deepEqual(
        spoiled.map(({ fault }) => fault),
        ['cut'],
      );
    }));

  it('cuts an answer that looks whole', () =>
    tried(['truncated'], async ({ url, spoiled }) => {
      const text = await (await place(url)).text();
      assert.ok(text.length > 0);
      assert.deepEqual(
        spoiled.map(({ fault }) => fault),
        ['truncated'],
      );
    }));

  it('answers with pages, redirects and long waits of something before the gateway', async () => {
    const odd = [
      ['200 page before', 200, 0],
      ['200 page after', 200, 1],
      ['302 before', 302, 0],
      ['503 for a day', 503, 0],
    ] as const;
    for (const [fault, status, asked] of odd)
      await tried([fault], async ({ url, reached }) => {
        const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: BODY, redirect: 'manual' });
        assert.deepEqual([response.status, reached.length], [status, asked]);
        assert.notEqual(response.headers.get('content-type'), 'application/json');
      });
  });

  it('says of an order that is done that its result is gone', () =>
    tried(['410'], async ({ url, spoiled }) => {
      for (const response of [await place(url), await fetch(`${url}/v1/orders/${ORDER}/result`)]) {
        assert.deepEqual([response.status, response.headers.get('x-service-order-id')], [410, ORDER]);
        assert.match(await response.text(), /result_unavailable/);
      }
      assert.deepEqual(
        spoiled.map(({ subject }) => subject),
        ['2.017', ORDER],
      );
    }));

  it('answers 503 while the gateway is down, then lets requests wait until it is back', async () => {
    const first = await listening(createServer(gateway));
    const failing = await openFailingGateway({ target: first.url, seed: 1, rate: 0 });
    try {
      await first.close();
      for (let count = 0; count < 30; count++) assert.equal((await place(failing.url)).status, 503);
      const waiting = place(failing.url);
      const second = await listening(createServer(gateway), first.port);
      assert.equal((await waiting).status, 200);
      await second.close();
      assert.equal(failing.spoiled.length, 30);
      assert.deepEqual(failing.spoiled[0], { fault: 'down', subject: '2.017' });
    } finally {
      await failing.close();
    }
  });

  it('fails the same requests in the same way with the same seed', async () => {
    const drawn = async () => {
      const statuses: number[] = [];
      await tried(
        ['502 before', '408 before'],
        async ({ url }) => {
          for (let count = 0; count < 20; count++) statuses.push((await place(url)).status);
        },
        0.5,
      );
      return statuses.join(' ');
    };
    const statuses = await drawn();
    assert.equal(await drawn(), statuses);
    for (const status of ['200', '502', '408']) assert.ok(statuses.includes(status));
  });
});
