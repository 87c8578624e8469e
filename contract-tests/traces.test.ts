import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cannedReply, errorReply } from '#testing/mock-backend.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '#testing/otlp-receiver.ts';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { message } from './support/message.ts';
import { useServer } from './support/server.ts';

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const trace = { traceparent: `00-${caller.traceId}-${caller.spanId}-01`, tracestate: 'rojo=1,congo=2' };

const shapes = [
  ['createChatCompletion', '/v1/chat/completions', chat()],
  ['createCompletion', '/v1/completions', { model: 'tide', prompt: 'Hi', price_limit: 5 }],
  ['createResponse', '/v1/responses', { model: 'tide', input: 'Hi', price_limit: 5 }],
  ['createMessage', '/v1/messages', message()],
] as const;

describe('traces of a gateway', () => {
  let collector: OtlpReceiver;
  before(async () => {
    collector = await startOtlpReceiver();
  });
  const server = useServer(
    {},
    {
      environment: () => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s%3Dcret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      }),
    },
  );
  after(() => collector.close());

  /** What is exported of `act`, once there are `count` spans of this name. */
  async function spansOf(act: () => Promise<unknown>, name: string, count = 1): Promise<ReceivedSpan[]> {
    const seen = collector.spans.length;
    const there = collector.spans.filter((span) => span.name === name).length;
    await act();
    // Spans wait five seconds for others.
    await server.passTimeUntil(collector.has(name, there + count));
    // Tests look at orders and accounts while they wait.
    return collector.spans.slice(seen).filter((span) => span.name === name || !span.name.startsWith('GET '));
  }

  function one(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
    const [span, ...more] = spans.filter((span) => span.name === name);
    assert.ok(span && more.length === 0, `${name} among ${spans.map((span) => span.name)}`);
    return span;
  }

  for (const [operation, route, body] of shapes)
    for (const stream of [false, true])
      it(`are a tree of the whole order in ${operation}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const beganMs = server.clock.nowMs();
        let orderId = '';
        const name = `POST ${route}`;
        const spans = await spansOf(async () => {
          const reply = await server.api.call(operation, { body: { ...body, stream }, headers: trace });
          assert.equal(reply.status, 200, reply.text);
          orderId = reply.orderId ?? '';
        }, name);
        assert.deepEqual(
          spans.map((span) => [span.name, span.kind, span.status]),
          [
            ['queue', 'INTERNAL', 'UNSET'],
            ['admission', 'INTERNAL', 'UNSET'],
            ['chat tide', 'CLIENT', 'UNSET'],
            ['settlement', 'INTERNAL', 'UNSET'],
            [name, 'SERVER', 'UNSET'],
          ],
        );
        const request = one(spans, name);
        assert.equal(request.parentId, caller.spanId);
        for (const span of spans) {
          assert.equal(span.traceId, caller.traceId);
          assert.deepEqual(span.links, []);
          assert.equal(span.attributes['sluice.order.id'], orderId);
          assert.ok(span.startMs >= beganMs && span.startMs <= span.endMs && span.endMs <= server.clock.nowMs());
          if (span !== request) assert.equal(span.parentId, request.spanId);
        }
        const { usage } = (
          await server.api.call('getOrder', { params: { id: orderId }, query: { include: 'usage' } })
        ).body(200);
        assert.deepEqual(request.attributes, {
          'http.request.method': 'POST',
          'http.route': route,
          'http.response.status_code': 200,
          'sluice.order.id': orderId,
          'sluice.order.model': 'tide',
          'sluice.order.status': 'done',
          'sluice.order.bid': 5,
          'sluice.order.level': 1,
          'sluice.order.charged_usd': usage?.charged_usd,
        });
        const chat = one(spans, 'chat tide');
        assert.deepEqual(chat.attributes, {
          'sluice.order.id': orderId,
          'sluice.attempt': 1,
          'sluice.pod': 'tide-1',
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'tide',
          'gen_ai.request.max_tokens': operation === 'createMessage' ? 64 : 1024,
          'gen_ai.response.finish_reasons': ['stop'],
          'gen_ai.response.time_to_first_chunk': 0,
          'gen_ai.usage.input_tokens': 12,
          'gen_ai.usage.cache_read.input_tokens': 4,
          'gen_ai.usage.output_tokens': 8,
        });
        const { headers } = server.backend.requests.at(-1) ?? assert.fail('The backend got no request.');
        assert.equal(headers.traceparent, `00-${chat.traceId}-${chat.spanId}-01`);
        assert.equal(headers.tracestate, trace.tracestate);
      });

  it('name the process, and come with the headers that the collector requires', async () => {
    const spans = await spansOf(() => server.api.call('createChatCompletion', { body: chat() }), 'settlement');
    const { resource } = spans[0] ?? assert.fail();
    // Nothing of the machine, its user or the command line.
    assert.deepEqual(Object.keys(resource).sort(), [
      'deployment.environment.name',
      'service.instance.id',
      'service.name',
      'service.version',
      'telemetry.sdk.language',
      'telemetry.sdk.name',
      'telemetry.sdk.version',
    ]);
    assert.equal(resource['service.name'], 'sluice');
    assert.equal(resource['deployment.environment.name'], 'test');
    assert.match(String(resource['service.version']), /^\d+\.\d+\.\d+/);
    assert.equal(collector.headers.at(-1)?.['api-key'], 's=cret');
  });

  it('begin in the gateway where the caller has none, or one that is not well-formed', async () => {
    for (const traceparent of [
      undefined,
      '',
      'odd',
      `00-${'0'.repeat(32)}-${caller.spanId}-01`,
      `ff${trace.traceparent.slice(2)}`,
    ]) {
      const headers = traceparent === undefined ? {} : { traceparent, tracestate: 'secret=1' };
      const act = () => server.api.call('createChatCompletion', { body: chat(), headers });
      const request = one(await spansOf(act, 'POST /v1/chat/completions'), 'POST /v1/chat/completions');
      assert.equal(request.parentId, '');
      assert.notEqual(request.traceId, caller.traceId);
      assert.equal(server.backend.requests.at(-1)?.headers.tracestate, undefined);
    }
  });

  it('are not kept when the caller keeps none, and the pod learns it', async () => {
    const traceparent = `${trace.traceparent.slice(0, -2)}00`;
    const spans = await spansOf(async () => {
      await server.api.call('createChatCompletion', { body: chat(), headers: { ...trace, traceparent } });
      assert.equal(server.backend.requests.at(-1)?.headers.traceparent, traceparent);
      assert.equal(server.backend.requests.at(-1)?.headers.tracestate, trace.tracestate);
      await server.api.call('listModels');
    }, 'GET /v1/models');
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['GET /v1/models'],
    );
  });

  it('say the status and the code of a refusal', async () => {
    const refusals = [
      [{ body: chat({ model: 'nowhere' }) }, 404, 'model_not_found'],
      [{ body: chat({ max_tokens: -1 }) }, 400, 'invalid_output_cap'],
      [{ raw: '{' }, 400, 'invalid_json'],
      [{ body: chat(), key: 'sk-sluice-nobody' }, 401, 'invalid_api_key'],
      [{ body: chat({ price_limit: undefined }) }, 400, 'missing_price_limit'],
    ] as const;
    for (const [options, status, code] of refusals) {
      const act = async () => assert.equal((await server.api.call('createChatCompletion', options)).status, status);
      const spans = await spansOf(act, 'POST /v1/chat/completions');
      const { attributes, status: ended } = one(spans, 'POST /v1/chat/completions');
      assert.deepEqual([spans.length, ended], [1, 'UNSET'], code);
      assert.deepEqual([attributes['http.response.status_code'], attributes['error.type']], [status, code]);
    }
    const lost = await spansOf(() => server.api.request('PROPFIND', '/v1/sk-sluice-secret?key=secret'), 'HTTP');
    assert.deepEqual(one(lost, 'HTTP').attributes, {
      'http.request.method': '_OTHER',
      'http.response.status_code': 404,
      'error.type': 'not_found',
    });
  });

  it('say which attempts failed, and that the order waited again', async () => {
    server.answer((count) => (count === 0 ? errorReply(500, 'secret words') : cannedReply()));
    const act = () => server.api.call('createChatCompletion', { body: chat() });
    const spans = await spansOf(act, 'POST /v1/chat/completions');
    const attempts = spans.filter(({ name }) => name === 'chat tide');
    assert.deepEqual(
      attempts.map(({ status, attributes }) => [status, attributes['sluice.attempt'], attributes['error.type']]),
      [
        ['ERROR', 1, 'failed'],
        ['UNSET', 2, undefined],
      ],
    );
    const [first, second] = spans.filter(({ name }) => name === 'queue');
    assert.ok(first && second && (second.startMs ?? 0) >= first.endMs);
    assert.equal(one(spans, 'POST /v1/chat/completions').status, 'UNSET');
  });

  it('say that an order failed, also in a stream that had begun', async () => {
    for (const stream of [false, true]) {
      server.answer({ ...cannedReply(), writes: cannedReply().writes.slice(0, 3), after: 'reset' });
      const act = () => server.api.call('createChatCompletion', { body: chat({ stream }) });
      const spans = await spansOf(act, 'POST /v1/chat/completions');
      const { status, attributes } = one(spans, 'POST /v1/chat/completions');
      assert.deepEqual(
        [status, attributes['error.type'], attributes['sluice.order.status']],
        ['ERROR', 'backend_error', 'error'],
      );
      assert.equal(attributes['http.response.status_code'], stream ? 200 : 502);
      assert.equal(one(spans, 'chat tide').status, 'ERROR');
      assert.equal(one(spans, 'settlement').attributes['sluice.order.charged_usd'], undefined);
    }
    server.answer(cannedReply());
  });

  it('say that an order was refused by the model, expired or was canceled', async () => {
    server.answer(errorReply(400, 'secret words'));
    const refused = await spansOf(
      () => server.api.call('createChatCompletion', { body: chat() }),
      'POST /v1/chat/completions',
    );
    server.answer(cannedReply());
    assert.equal(one(refused, 'chat tide').attributes['error.type'], 'refused');
    assert.equal(one(refused, 'POST /v1/chat/completions').attributes['error.type'], 'model_refused');
    assert.equal(one(refused, 'POST /v1/chat/completions').status, 'UNSET');

    const waits = chat({ model: 'reef', max_wait: 30 });
    const expired = await spansOf(
      () => server.passTimeUntil(server.api.call('createChatCompletion', { body: waits })),
      'POST /v1/chat/completions',
    );
    assert.deepEqual(
      expired.map(({ name }) => name),
      ['queue', 'POST /v1/chat/completions'],
    );
    const [queue, request] = expired;
    assert.equal(queue?.attributes['error.type'], 'order_expired');
    assert.ok((queue?.endMs ?? 0) - (queue?.startMs ?? 0) >= 30_000);
    assert.equal(request?.attributes['sluice.order.status'], 'expired');
    assert.equal(request?.attributes['http.response.status_code'], 408);

    const canceled = await spansOf(async () => {
      const { orderId } = await server.api.call('createChatCompletion', { body: { ...waits, detached: true } });
      await server.api.call('cancelOrder', { params: { id: orderId ?? '' } });
    }, 'order reef');
    assert.equal(one(canceled, 'order reef').attributes['error.type'], 'order_canceled');
    assert.equal(one(canceled, 'order reef').attributes['sluice.order.status'], 'canceled');
    assert.equal(one(canceled, 'order reef').status, 'UNSET');
    assert.equal(one(canceled, 'POST /v1/orders/{id}/cancel').attributes['http.response.status_code'], 200);
  });

  it('say that the caller left', async () => {
    const spans = await spansOf(async () => {
      const release = server.holdAnswers();
      const reply = await server.api.open('createChatCompletion', { body: chat({ stream: true }) });
      await server.orders({ executing: 1 });
      reply.leave();
      await server.orders({ executing: 0 });
      release();
    }, 'settlement');
    server.answer(cannedReply());
    assert.equal(one(spans, 'POST /v1/chat/completions').attributes['error.type'], 'client_closed');
    assert.equal(one(spans, 'POST /v1/chat/completions').status, 'UNSET');
    assert.equal(one(spans, 'chat tide').attributes['error.type'], 'aborted');
    assert.equal(one(spans, 'chat tide').status, 'UNSET');
  });

  it('of a detached order are a trace of its own, linked to the request', async () => {
    const spans = await spansOf(async () => {
      await server.api.call('createChatCompletion', { body: chat({ detached: true }), headers: trace });
      await server.orders({ queued: 0, executing: 0 });
    }, 'order tide');
    const request = one(spans, 'POST /v1/chat/completions');
    const order = one(spans, 'order tide');
    assert.equal(request.traceId, caller.traceId);
    assert.equal(request.attributes['sluice.order.id'], order.attributes['sluice.order.id']);
    assert.notEqual(order.traceId, caller.traceId);
    assert.deepEqual(order.links, [{ traceId: request.traceId, spanId: request.spanId }]);
    assert.equal(order.parentId, '');
    assert.equal(order.attributes['sluice.order.status'], 'done');
    for (const name of ['queue', 'admission', 'chat tide', 'settlement']) {
      const span = one(spans, name);
      assert.deepEqual([span.traceId, span.parentId], [order.traceId, order.spanId], name);
    }
    const told = server.backend.requests.at(-1)?.headers;
    assert.equal(told?.traceparent, `00-${order.traceId}-${one(spans, 'chat tide').spanId}-01`);
    // It belongs to the caller's trace.
    assert.equal(told?.tracestate, undefined);
  });

  it('of the lines of a batch are one trace each', async () => {
    let batchId = '';
    const spans = await spansOf(
      async () => {
        const { id } = await batchOf(server.api, [line('secret-a'), line('secret-b')], { metadata: { of: 'secret' } });
        await ended(server, id);
        batchId = id;
      },
      'order tide',
      2,
    );
    const orders = spans.filter(({ name }) => name === 'order tide');
    assert.deepEqual(
      orders.map(({ attributes }) => attributes['sluice.batch.id']),
      [batchId, batchId],
    );
    assert.equal(new Set(orders.map(({ traceId }) => traceId)).size, 2);
  });

  it('of an order that an earlier process left are a trace of its own', async () => {
    const spans = await spansOf(async () => {
      const release = server.holdAnswers();
      await server.api.call('createChatCompletion', { body: chat({ detached: true }) });
      await server.orders({ executing: 1 });
      await server.restart();
      release();
      server.answer(cannedReply());
    }, 'order tide');
    assert.equal(one(spans, 'order tide').attributes['sluice.order.status'], 'done');
  });

  it('have nothing that callers and models write', async () => {
    const secret = 'Ununoctium';
    const words = { user: secret, metadata: { [secret]: secret }, stop: [secret], safety_identifier: secret };
    const headers = {
      'x-request-id': secret,
      'user-agent': secret,
      'idempotency-key': secret,
      cookie: secret,
      baggage: `a=${secret}`,
      traceparent: trace.traceparent,
      tracestate: `a=${secret}`,
    };
    const before = collector.spans.length;
    server.answer((count) =>
      count === 0
        ? errorReply(500, secret)
        : { ...cannedReply(), writes: cannedReply().writes.map((part) => String(part).replace('word0', secret)) },
    );
    const messages = [
      { role: 'system', content: secret },
      { role: 'user', name: secret, content: secret },
    ];
    const tools = [
      { type: 'function', function: { name: secret, description: secret, parameters: { type: 'object' } } },
    ];
    const bodies = [
      chat({ messages, tools, ...words }),
      chat({ messages, detached: true, ...words }),
      chat({ model: secret }),
    ];
    await spansOf(
      async () => {
        for (const [index, body] of bodies.entries()) {
          const reply = await server.api.call('createChatCompletion', {
            body,
            headers: { ...headers, 'idempotency-key': `${secret}${index}` },
            query: { [secret]: secret },
          });
          assert.ok([200, 202, 404].includes(reply.status), reply.text);
        }
        await server.api.request('GET', `/v1/orders/${secret}`);
        await server.api.request('GET', `/${secret}`);
        await server.api.call('listModels', { key: `sk-sluice-${secret}` });
        await batchOf(server.api, [line(secret)], { metadata: { [secret]: secret } });
      },
      'order tide',
      2,
    );
    assert.ok(collector.spans.length > before + 10);
    const sent = collector.bytes.toString('latin1');
    for (const text of [secret, 'secret', 'sk-sluice', 'Say hello', 'word1', 'congo'])
      assert.ok(!sent.includes(text), `${text} was exported`);
  });
});
