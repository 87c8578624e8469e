import assert from 'node:assert/strict';
import { test } from 'node:test';
import { YoungBids } from './young-bids.ts';

interface Bid {
  readonly account: string;
  readonly name: string | number;
}

type Young = YoungBids<Bid>;

/** What is handed on until then, of bids that are not below the limit of ann's. */
function handedOn(young: Young, nowMs: number, limit = 0): Bid['name'][] {
  const names: Bid['name'][] = [];
  young.advanceTo(
    nowMs,
    ({ account }) => (account === 'ann' ? limit : 0),
    ({ name }) => names.push(name),
  );
  return names;
}

function of(name: Bid['name'], account = 'ann'): Bid {
  return { account, name };
}

test('bids come of age in the order in which they came, each after its time, and keep their numbers', () => {
  const young = new YoungBids<Bid>(500);
  assert.deepEqual([young.put(of('one'), 7, 1000), young.put(of('two'), 7, 1200)], [0, 1]);
  assert.deepEqual([young.dueBy(1499), handedOn(young, 1499), young.firstYoung], [null, [], 0]);
  assert.equal(young.dueBy(9000), 1500);
  assert.deepEqual([handedOn(young, 1500), handedOn(young, 1500), young.firstYoung], [['one'], [], 1]);
  assert.deepEqual([handedOn(young, 1700), young.dueBy(9000), young.firstYoung], [['two'], null, 2]);
  assert.equal(young.put(of('three'), 7, 1800), 2);
});

test('a bid below its limit comes of age and is not handed on', () => {
  const young = new YoungBids<Bid>(500);
  for (const [item, price] of [
    ['low', 4],
    ['equal', 5],
    ['high', 6],
  ] as const)
    young.put(of(item), price, 0);
  young.put(of('of another', 'ben'), 1, 0);
  assert.deepEqual([handedOn(young, 500, 5), young.firstYoung], [['equal', 'high', 'of another'], 4]);
});

test('one that changed, or came again, is handed on whatever the limit, and one that is gone is not', () => {
  const young = new YoungBids<Bid>(500);
  const [changed, gone] = [young.put(of('changed'), 4, 0), young.put(of('gone'), 6, 0)];
  young.putAgain(of('again'), 0);
  young.change(changed);
  young.drop(gone);
  assert.deepEqual([handedOn(young, 500, 5), young.firstYoung], [['changed', 'again'], 3]);
});

test('what passes falls due like a bid', () => {
  const young = new YoungBids<Bid>(10);
  for (const nowMs of [0, 0, 3]) young.pass(nowMs);
  young.put(of('one'), 7, 3);
  assert.deepEqual([young.dueBy(20), handedOn(young, 10)], [10, []]);
  assert.deepEqual([young.dueBy(20), handedOn(young, 13), young.dueBy(20)], [13, ['one'], null]);
  young.pass(3);
  assert.equal(young.dueBy(20), 13);
});

test('after the clock stepped back, what is due too far in the future is due now', () => {
  const young = new YoungBids<Bid>(500);
  young.put(of('one'), 7, 10_000);
  assert.deepEqual([young.dueBy(10_000), young.dueBy(9999), handedOn(young, 9999)], [null, 9999, ['one']]);
});

test('thousands pass through, none twice, and none left out', () => {
  const young = new YoungBids<Bid>(10);
  const taken: Bid['name'][] = [];
  for (let at = 0; at < 10_000; at++) {
    assert.equal(young.put(of(at), at, at), at);
    taken.push(...handedOn(young, at));
    // The numbers of those that are young are good for as long as they are.
    if (at % 7 === 0 && at > 0) young.drop(at - 3);
  }
  const left = Array.from({ length: 9990 }, (_, item) => item).filter((item) => (item + 3) % 7 !== 0);
  assert.deepEqual(taken, left);
  assert.equal(young.dueBy(10_000), 10_000);
});
