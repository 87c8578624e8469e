/** Portkey's gateway, the peer: in TypeScript like ours, and installed from its own lockfile. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import peer from '../peer/package.json' with { type: 'json' };
import { untilOpen } from './until-open.ts';

const FOLDER = join(import.meta.dirname, '../peer');
const START = 'node_modules/@portkey-ai/gateway/build/start-server.js';

/** The version that is installed. */
export const PORTKEY_VERSION = peer.dependencies['@portkey-ai/gateway'];

/** A running gateway. Each request says where it goes, in headers. */
export interface Portkey {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Starts it with these flags and variables for Node. Installs it if it is missing: it is not a dependency of this project. */
export async function startPortkey(
  flags: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Portkey> {
  if (!existsSync(join(FOLDER, START))) {
    console.log('Installing the peer gateway into benchmarks/peer …');
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, START, `--port=${port}`, '--headless'], {
    cwd: FOLDER,
    stdio: 'ignore',
    env: { ...process.env, ...environment, NODE_ENV: 'production' },
  });
  const url = `http://127.0.0.1:${port}`;
  await untilOpen(`${url}/`);
  return { url, process: child };
}

/** The headers with which it passes a request on to a server, whose address ends in /v1, in this provider's shape. */
export function portkeyHeaders(backend: string, provider: 'openai' | 'anthropic' = 'openai'): Record<string, string> {
  return { 'x-portkey-provider': provider, 'x-portkey-custom-host': backend };
}
