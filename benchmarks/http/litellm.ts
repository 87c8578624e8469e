/**
 * LiteLLM's proxy, the router that most people know, as a second peer: one worker, with the settings that its
 * documentation gives for production.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { PythonPeer } from './python-peer.ts';

export const litellm = new PythonPeer('litellm');

/** A running proxy. */
export interface Litellm {
  readonly url: string;
  readonly key: string;
  /** Of its configuration; to be removed at the end. */
  readonly folder: string;
  readonly process: ChildProcess;
}

/** Starts it in front of these backends (addresses by model), which want this key; it does not answer yet. Installs it if it is missing. */
export async function startLitellm(backends: ReadonlyMap<string, string>, backendKey = 'x'): Promise<Litellm> {
  const key = `sk-${randomBytes(16).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'litellm-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, configuration(backends, backendKey, key));
  const port = await freePort();
  const address = ['--host', '127.0.0.1', '--port', String(port)];
  const flags = ['--config', config, ...address, '--num_workers', '1', '--keepalive_timeout', '600'];
  const child = spawn(litellm.command(), flags, {
    stdio: 'ignore',
    env: { ...process.env, LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' },
  });
  return { url: `http://127.0.0.1:${port}`, key, folder, process: child };
}

/** JSON is YAML. */
function configuration(backends: ReadonlyMap<string, string>, backendKey: string, key: string): string {
  const models = [...backends].map(([model, url]) => ({
    model_name: model,
    litellm_params: { model: `openai/${model}`, api_base: url, api_key: backendKey },
  }));
  return JSON.stringify({
    model_list: models,
    litellm_settings: { request_timeout: 600, set_verbose: false, json_logs: true },
    general_settings: { master_key: key },
  });
}
