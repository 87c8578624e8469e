/**
 * LiteLLM's proxy, the router that most people know, as a second peer: one worker, with the settings that its
 * documentation gives for production. It is in Python, and installed from PyPI with pinned versions.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';

const FOLDER = join(import.meta.dirname, '../litellm');
const VENV = join(FOLDER, 'venv');

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
  if (!existsSync(join(VENV, 'bin/litellm'))) install();
  const key = `sk-${randomBytes(16).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'litellm-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, configuration(backends, backendKey, key));
  const port = await freePort();
  const address = ['--host', '127.0.0.1', '--port', String(port)];
  const flags = ['--config', config, ...address, '--num_workers', '1', '--keepalive_timeout', '600'];
  const child = spawn(join(VENV, 'bin/litellm'), flags, {
    stdio: 'ignore',
    env: { ...process.env, LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' },
  });
  return { url: `http://127.0.0.1:${port}`, key, folder, process: child };
}

/** The version that is installed. */
export function litellmVersion(): string {
  const requirements = readFileSync(join(FOLDER, 'requirements.txt'), 'utf8');
  return /^litellm==(.*)$/m.exec(requirements)?.[1] ?? '';
}

function install(): void {
  console.log('Installing LiteLLM into benchmarks/litellm/venv …');
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run('python3', '-m', 'venv', VENV);
  run(join(VENV, 'bin/pip'), 'install', '--quiet', '--requirement', join(FOLDER, 'requirements.txt'));
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
