/** Random cuts, resets, pauses and crashes: what holds for sessions holds under all of them, by seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import type { PeerListener, PeerSession, Peers } from '#cluster/ports.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { SimulatedNetwork } from './simulated-network.ts';

const IDS = [1, 2, 3, 4, 5];
const named = IDS.map((id) => ({ id, address: `10.0.0.${id}:9100` }));

/** One gateway that numbers what it says on each session, and checks what it receives. */
class Talker implements PeerListener {
  readonly id: number;
  readonly sessions = new Map<number, PeerSession>();
  readonly #said = new Map<PeerSession, number>();
  readonly #heard = new Map<PeerSession, number>();
  heard = 0;

  constructor(id: number) {
    this.id = id;
  }

  opened(session: PeerSession): void {
    assert.ok(!this.sessions.has(session.gateway), 'one session at a time');
    this.sessions.set(session.gateway, session);
  }

  message(session: PeerSession, message: { readonly type: string; readonly gateway?: number }): void {
    assert.equal(this.sessions.get(session.gateway), session, 'on the open session');
    const last = this.#heard.get(session) ?? 0;
    assert.equal(message.gateway, last + 1, 'in order, nothing lost, nothing twice');
    this.#heard.set(session, last + 1);
    this.heard++;
  }

  closed(session: PeerSession): void {
    assert.equal(this.sessions.get(session.gateway), session);
    this.sessions.delete(session.gateway);
  }

  say(): void {
    for (const session of this.sessions.values()) {
      const number = (this.#said.get(session) ?? 0) + 1;
      this.#said.set(session, number);
      session.send({ type: 'adopted', gateway: number });
    }
  }
}

async function play(seed: number): Promise<void> {
  const clock = new ManualClock();
  const random = seededRandom(seed);
  const network = new SimulatedNetwork({ clock, random, delayMs: { min: 0, max: 30 } });
  const any = () => 1 + Math.floor(random.next() * IDS.length);
  const crashed = new Set<number>();
  const paused = new Set<number>();
  const talkers = new Map<number, Talker>();
  const peers: Peers[] = [];
  for (const name of named) {
    const talker = new Talker(name.id);
    talkers.set(name.id, talker);
    const own = network.join(name, talker);
    own.follow(named);
    peers.push(own);
  }
  const happen = [
    () => network.reset(any(), any()),
    () => network.cut(any(), any()),
    () => network.isolate(any()),
    () => network.heal(),
    () => {
      const id = any();
      paused.add(id);
      network.pause(id);
    },
    () => {
      for (const id of paused) network.resume(id);
      paused.clear();
    },
    () => {
      const id = any();
      if (crashed.size > 1 || paused.has(id)) return;
      crashed.add(id);
      network.crash(id);
    },
  ];
  for (let step = 0; step < 60; step++) {
    if (random.next() < 0.3) happen[Math.floor(random.next() * happen.length)]?.();
    for (const [id, talker] of talkers) if (!crashed.has(id) && !paused.has(id)) talker.say();
    await clock.advance(Math.floor(random.next() * 1_000));
  }
  network.heal();
  for (const id of paused) network.resume(id);
  await clock.advance(15_000);
  const living = IDS.filter((id) => !crashed.has(id));
  const before = living.map((id) => talkers.get(id)?.heard ?? 0);
  for (const id of living) talkers.get(id)?.say();
  await clock.advance(100);
  for (const [index, id] of living.entries()) {
    const others = living.filter((other) => other !== id);
    assert.deepEqual([...(talkers.get(id)?.sessions.keys() ?? [])].sort(), others, 'all are connected in the end');
    assert.equal((talkers.get(id)?.heard ?? 0) - (before[index] ?? 0), others.length, 'and reach each other');
  }
}

for (let seed = 1; seed <= 20; seed++) {
  test(`sessions are in order, single, and come back: seed ${seed}`, () => play(seed));
}
