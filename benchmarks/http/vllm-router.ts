/** The router of the makers of vLLM, in Rust, in front of one server; it settles and retries nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '#testing/free-port.ts';
import { PythonPeer } from './python-peer.ts';
import { untilOpen } from './until-open.ts';

const vllmRouter = new PythonPeer('vllm-router');
const NO_EXTRAS = ['--policy', 'round_robin', '--disable-retries', '--disable-circuit-breaker', '--log-level', 'error'];

/** Starts it in front of a server whose address ends in /v1, and waits until it listens. */
export async function startVllmRouter(backend: string): Promise<{ url: string; process: ChildProcess }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const address = ['--host', '127.0.0.1', '--port', String(port), '--prometheus-port', String(metricsPort)];
  const worker = backend.replace(/\/v1$/, '');
  const args = ['--worker-urls', worker, ...NO_EXTRAS, ...address];
  const child = spawn(vllmRouter.command(), args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilOpen(`${url}/v1/models`);
  return { url, process: child };
}
