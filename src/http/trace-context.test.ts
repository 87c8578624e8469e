import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceContextOf, traceIdOf } from './trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const ids = `-${trace}-00f067aa0ba902b7-01`;

test('a well-formed trace is passed on unchanged', () => {
  const context = traceContextOf({ traceparent: `00${ids}`, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' });
  assert.deepEqual(context, { traceparent: `00${ids}`, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' });
  assert.equal(context && traceIdOf(context), trace);
});

test('a later version is passed on as the version that it contains', () => {
  for (const traceparent of [`01${ids}`, `cc${ids}-what-the-future-brings`])
    assert.deepEqual(traceContextOf({ traceparent }), { traceparent: `00${ids}`, tracestate: null });
});

test('without a well-formed traceparent there is no trace, whatever tracestate says', () => {
  for (const traceparent of [
    ...['', '00', trace, `ff${ids}`, `00${ids}-more`, `00${ids}0`, `01${ids}0`, `00${ids.toUpperCase()}`],
    ...[`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `00-${trace}-${'0'.repeat(16)}-01`],
    ...[`00${ids}, 00${ids}`, `00${ids}\n`.repeat(2), `0${ids}`, `00${ids.replace('4', 'g')}`],
  ])
    assert.equal(traceContextOf({ traceparent, tracestate: 'a=1' }), null, traceparent);
  assert.equal(traceContextOf({ tracestate: 'a=1' }), null);
});

test('a tracestate that is too long, or has other characters, is dropped alone', () => {
  const traceparent = `00${ids}`;
  assert.equal(traceContextOf({ traceparent, tracestate: 'x'.repeat(512) })?.tracestate?.length, 512);
  for (const tracestate of ['', 'x'.repeat(513), 'a=\u00e9', 'a=\u0001', 'a=1\r\nx: y'])
    assert.deepEqual(traceContextOf({ traceparent, tracestate }), { traceparent, tracestate: null });
});
