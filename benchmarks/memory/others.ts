/**
 * Others: callers who send small requests that run at once, each on a connection of its own and at a fixed pace. What
 * a request takes is counted from the moment at which it was due, so that a gateway that stands still is not spared the
 * requests that could not be sent.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const CONNECTIONS = 16;
const EVERY_MS = 100;

/** Milliseconds. */
export interface Latencies {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Sends requests until `isOver`, each of which must be answered with 200. */
export async function latenciesOf(url: string, key: string, isOver: () => boolean): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = JSON.stringify({
    ...{ model: 'quick', max_tokens: 64, price_limit: 50 },
    messages: [{ role: 'user', content: 'Which rivers run into the North Sea?' }],
  });
  const taken: number[] = [];
  const connection = async (index: number) => {
    let dueMs = performance.now() + (index * EVERY_MS) / CONNECTIONS;
    while (!isOver()) {
      await pause(Math.max(0, dueMs - performance.now()));
      await answered(url, key, body, agent);
      taken.push(performance.now() - dueMs);
      dueMs += EVERY_MS;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => connection(index)));
  agent.destroy();
  taken.sort((a, b) => a - b);
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? Number.NaN;
  return { requests: taken.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function answered(url: string, key: string, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', resolve);
      if (response.statusCode !== 200) reject(new Error(`A small request was answered with ${response.statusCode}.`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
