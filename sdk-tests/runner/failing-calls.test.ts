import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AskedCall, askedCalls, judge, type LedgerOrder, type PrintedCall } from './failing-calls.ts';
import type { Fault } from './failing-gateway.ts';

const ASKED: AskedCall = {
  ...{
    call: 17,
    how: 'result',
    model: 'tide',
    priceLimit: '2.017',
    store: true,
    simulate: {},
    maxWait: null,
    timeoutMs: null,
  },
};
const RETURNED: PrintedCall = {
  ...{ call: 17, returned: true, orderId: 'a', charged: true, chargedUsd: '0.000006852', error: null },
};
const RAISED: PrintedCall = { call: 17, returned: false, orderId: 'a', charged: false, error: 'oh no' };
const PAID: LedgerOrder = { id: 'a', status: 'done', model: 'tide', bid: 2.017, usage: { charged_usd: 0.000006852 } };
const UNPAID: LedgerOrder = { id: 'a', status: 'error', model: 'tide', bid: 2.017, usage: null };

function findings(line: PrintedCall, orders: readonly LedgerOrder[], ...faults: Fault[]): string {
  const spoiled = faults.map((fault) => ({ fault, subject: '2.017' }));
  return judge({ asked: [ASKED], lines: [line], orders, spoiled })
    .map((finding) => finding.replace(/ \{.*/, ''))
    .join(' ');
}

describe('the calls that a program is asked for', () => {
  it('are three hundred, each with a price limit of its own', () => {
    const asked = askedCalls();
    assert.equal(asked.length, 300);
    assert.equal(new Set(asked.map(({ priceLimit }) => priceLimit)).size, 300);
    assert.deepEqual(new Set(asked.map(({ how }) => how)), new Set(['result', 'stream', 'complete', 'cancel']));
  });
});

describe('a call that returned', () => {
  it('is right with one order and its charge', () => assert.equal(findings(RETURNED, [PAID]), ''));

  it('is right with an earlier order that was not charged', () =>
    assert.equal(findings(RETURNED, [{ ...UNPAID, id: 'b' }, PAID]), ''));

  it('is wrong without a charge, and with two', () => {
    assert.match(findings(RETURNED, [UNPAID]), /has 0 charges/);
    assert.match(findings(RETURNED, [PAID, { ...PAID, id: 'b' }]), /has 2 charges/);
  });

  it('is wrong with another order, or another amount', () => {
    assert.match(findings({ ...RETURNED, orderId: 'b' }, [PAID]), /names another order/);
    assert.match(findings({ ...RETURNED, chargedUsd: '0.000006853' }, [PAID]), /names another charge/);
  });
});

describe('an error', () => {
  it('is right when the ledger says the same', () => {
    assert.equal(findings(RAISED, [UNPAID]), '');
    assert.equal(findings({ ...RAISED, orderId: null }, []), '');
    assert.equal(findings({ ...RAISED, charged: true }, [PAID]), '');
  });

  it('is wrong when it says charged, or not charged, and the ledger says otherwise', () => {
    assert.match(findings({ ...RAISED, charged: true }, [UNPAID]), /the ledger has no charge/);
    assert.match(findings(RAISED, [PAID]), /the ledger has a charge/);
  });

  it('is wrong when it names a foreign order, or hides its own', () => {
    assert.match(findings({ ...RAISED, orderId: 'b' }, [UNPAID]), /a foreign order/);
    assert.match(findings({ ...RAISED, orderId: null }, [UNPAID]), /does not name its order/);
  });

  it('may leave the charge open only when a request of its call failed', () => {
    const open = { ...RAISED, charged: null };
    assert.match(findings(open, [UNPAID]), /no request failed/);
    const some = Array.from({ length: 20 }, (_, call) => ({ ...ASKED, call, priceLimit: `2.0${call + 10}` }));
    const lines = some.map(({ call }) => ({ ...(call === 7 ? open : RETURNED), call }));
    const orders = some.map(({ priceLimit }) => ({ ...PAID, bid: Number(priceLimit) }));
    assert.deepEqual(judge({ asked: some, lines, orders, spoiled: [{ fault: 'cut', subject: '2.017' }] }), []);
  });
});

describe('all calls together', () => {
  it('are wrong when one is missing or there twice', () => {
    const of = (lines: PrintedCall[]) => judge({ asked: [ASKED], lines, orders: [PAID], spoiled: [] });
    assert.match(of([])[0] ?? '', /printed 0 times/);
    assert.match(of([RETURNED, RETURNED])[0] ?? '', /printed 2 times/);
  });

  it('are wrong when too many leave the charge open', () =>
    assert.match(findings({ ...RAISED, charged: null }, [PAID], 'cut'), /could not learn/));

  it('are right when the gateway was away', () =>
    assert.equal(findings({ ...RAISED, charged: null }, [PAID], 'cut', 'down'), ''));

  it('are wrong when nobody asked for an order', () =>
    assert.match(findings(RETURNED, [PAID, { ...PAID, bid: 9 }]), /No call asked/));
});
