/**
 * The gateway as the README starts it: `npm start` with the shipped configuration, an empty database and a free port,
 * in a process of its own. The tests use what a reader would see.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from './waiting.ts';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A gateway started in this way. */
export interface StartedGateway {
  readonly url: string;
  /** The key of the demo account. */
  readonly key: string;
  /** Everything that it printed before it was ready, without colours. */
  readonly welcome: string;
  /** The environment with which other commands find its database. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends it as Ctrl+C does, and removes its files. */
  stop(): Promise<void>;
}

/** Starts it; fails with its output when it does not come up. */
export async function npmStart(): Promise<StartedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-npm-start-'));
  const environment = {
    ...process.env,
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'sluice.sqlite')}`,
    SLUICE_DATA: join(folder, 'data'),
    LOG_LEVEL: 'silent',
  };
  // A process group of its own, as in a terminal: a signal reaches npm, its shell and the gateway.
  const child = spawn('npm', ['start'], { cwd: ROOT, env: environment, detached: true });
  const ended = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += stripVTControlCharacters(text);
    });
  }
  const found = (pattern: RegExp) => pattern.exec(printed)?.[1];
  await eventually(() => child.exitCode !== null || printed.includes('key create'), 'a gateway that npm started');
  const [url, key] = [found(/(http:\/\/127\.0\.0\.1:\d+)/), found(/(sk-sluice-\w+)/)];
  assert.ok(url && key, printed);
  return {
    url,
    key,
    welcome: printed,
    environment,
    async stop() {
      assert.ok(child.pid);
      process.kill(-child.pid, 'SIGINT');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
