/** The gateway of the makers of SGLang (smg), in Rust, in front of a server that speaks OpenAI's shapes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { PythonPeer } from './python-peer.ts';

export const smg = new PythonPeer('smg');

/** Starts it in front of a server, which takes this key, and waits until it serves this model of that server. */
export async function startSmg(
  backend: string,
  key: string,
  model: string,
): Promise<{ url: string; process: ChildProcess }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const address = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--prometheus-port',
    String(metricsPort),
    '--log-level',
    'error',
  ];
  const args = ['launch', '--backend', 'openai', '--worker-urls', backend, '--api-key', key, ...address];
  const child = spawn(smg.command(), args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } };
  const body = JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hello.' }] });
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/v1/chat/completions`, { ...init, body }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return { url, process: child };
    await sleep(200);
  }
  child.kill('SIGKILL');
  throw new Error('smg does not answer.');
}
