/** Which processes count as gone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isGone, nameOf, startIn, thisProcess } from './process.ts';

const own = thisProcess().split(' ');

/** This process, with some parts of its identity replaced. */
function like(parts: Readonly<Record<number, string>>): string {
  return own.map((part, at) => parts[at] ?? part).join(' ');
}

/** A process that stays until it is killed, in its own words. */
const NAMED = `
const { thisProcess } = await import(${JSON.stringify(import.meta.resolve('./process.ts'))});
console.log(thisProcess());
setInterval(() => {}, 1000);
`;

test('this process is not gone', () => {
  assert.equal(isGone(thisProcess()), false);
});

test('a process is gone once it was killed, and not before', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', NAMED], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const named = String(line).trim();
  assert.equal(isGone(named), false);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  assert.equal(isGone(named), true);
});

test('a process is gone when its id belongs to one that started at another time', () => {
  assert.equal(isGone(like({ 2: '1' })), true);
});

test('a process has ended once its last thread has: a killed one may hang in a write, with its connections open', () => {
  const stat = (state: string, threads: number) =>
    `20815 (node (a)) ${state} 1 20770 29754 0 -1 4227084 1994 0 3 0 2 0 0 0 20 0 ${threads} 0 2486022 0 0`;
  assert.equal(startIn(stat('S', 11)), '2486022');
  assert.equal(startIn(stat('Z', 2)), '2486022');
  assert.equal(startIn(stat('Z', 1)), 'ended');
});

test('of a process on another machine or in another container nothing is known', () => {
  assert.equal(isGone(like({ 1: '999999999', 3: 'another-boot' })), false);
  assert.equal(isGone(like({ 1: '999999999', 4: 'pid:[1]' })), false);
});

test('of a process that could not describe itself nothing is known', () => {
  for (const part of [2, 3, 4]) assert.equal(isGone(like({ 1: '999999999', [part]: '-' })), false);
  assert.equal(isGone('something else'), false);
});

test('a process has a name for people', () => {
  assert.equal(nameOf('web-1 4711 8 b n'), 'process 4711 on web-1');
});
