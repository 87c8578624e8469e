/**
 * A gateway in a process of its own, and its command line, for tests and benchmarks that must not share its memory:
 * they kill it, or measure its processor time. Uses only the command line and HTTP.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const CLI = join(import.meta.dirname, '../src/cli.ts');
/** Far longer than a start takes, even on a busy machine. */
const START_DEADLINE_MS = 120_000;
const SECRET = 'a secret that only the gateways of this test know';

/** An account with a key, as the command line made them. */
export interface OpenedAccount {
  readonly id: string;
  readonly apiKey: string;
  readonly keyId: string;
}

/** A folder with a configuration and, unless the environment names another, a SQLite database. */
export interface Site {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs one command with `--json` and returns the object on its last line, whatever the exit code. */
  command(...args: string[]): Promise<{ exitCode: number; json: Record<string, unknown> }>;
  /** Opens an account with this credit in USD, and a key of it. `options` are more options of `account create`. */
  openAccount(name: string, usd: string, ...options: string[]): Promise<OpenedAccount>;
  /** Starts `serve` and waits until /healthz answers 200; `flags` are for Node. */
  start(flags?: readonly string[]): Promise<GatewayProcess>;
  remove(): void;
}

/** A running gateway. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** What it printed on both streams. */
  output(): string;
  /** What it printed on standard error: its log. */
  log(): string;
  /** Sends SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** Whether it still runs `afterMs` from now; at once when it has ended and `log` has all of it. */
  lives(afterMs: number): Promise<boolean>;
  /** Sends SIGTERM, and waits for the end. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Makes a site from the text of a configuration. Uses this process's DATABASE_URL when it is set. */
export async function makeSite(configuration: string, environment: NodeJS.ProcessEnv = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  const configFile = join(folder, 'sluice.yaml');
  writeFileSync(configFile, configuration);
  const whole: NodeJS.ProcessEnv = {
    DATABASE_URL: `sqlite:${join(folder, 'sluice.sqlite')}`,
    LOG_LEVEL: 'warn',
    ...process.env,
    SLUICE_CONFIG: configFile,
    SLUICE_DATA: join(folder, 'data'),
    HOST: '127.0.0.1',
    // Many run beside each other: none takes the port that others would miss.
    METRICS_PORT: '0',
    PORT: String(await freePort()),
    ...environment,
  };
  const command: Site['command'] = (...args) => runCommand(args, whole);
  return {
    folder,
    environment: whole,
    command,
    openAccount: (name, usd, ...options) => openAccount(command, name, '--credit', usd, ...options),
    start: (flags = []) => startGateway(whole, flags),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Which database, and the site whose data folder it shares; the first one has none beside it. */
interface Shared {
  readonly databaseUrl: string;
  readonly beside: Site | undefined;
}

/** A site for one more gateway of a cluster. `environment` counts before what it shares with the others. */
export async function clusterSite(
  configuration: string,
  { databaseUrl, beside }: Shared,
  environment: NodeJS.ProcessEnv = {},
): Promise<Site> {
  const data = beside?.environment.SLUICE_DATA;
  return makeSite(configuration, {
    DATABASE_URL: databaseUrl,
    SLUICE_PEER_ADDRESS: `127.0.0.1:${await freePort()}`,
    SLUICE_PEER_SECRET: SECRET,
    ...(data ? { SLUICE_DATA: data } : {}),
    ...environment,
  });
}

function runCommand(args: string[], env: NodeJS.ProcessEnv): ReturnType<Site['command']> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CLI, ...args, '--json'], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
      try {
        resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, json: JSON.parse(lastLine) });
      } catch {
        reject(new Error(`sluice ${args.join(' ')} printed no JSON on its last line.\n${stdout}${stderr}`));
      }
    });
  });
}

async function openAccount(command: Site['command'], ...args: string[]): Promise<OpenedAccount> {
  const account = await command('account', 'create', ...args);
  const { json: key } = await command('key', 'create', String(account.json.account_id));
  if (typeof key.api_key !== 'string') throw new Error(`No account: ${JSON.stringify([account.json, key])}`);
  return { id: String(account.json.account_id), apiKey: key.api_key, keyId: String(key.key_id) };
}

/** How `scripts/sluice` starts Node. */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=150', '--no-memory-reducer'];

async function startGateway(env: NodeJS.ProcessEnv, flags: readonly string[]): Promise<GatewayProcess> {
  const args = [...NODE_FLAGS, ...flags, CLI, 'serve'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: string[] = [];
  const logged: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => logged.push(bytes.toString()));
  let closed = false;
  child.once('close', () => {
    closed = true;
  });
  const url = `http://127.0.0.1:${env.PORT}`;
  await untilHealthy(url, child, printed);
  return {
    url,
    pid: child.pid ?? 0,
    output: () => printed.join(''),
    log: () => logged.join(''),
    kill: async () => {
      await end(child, 'SIGKILL');
    },
    lives: async (afterMs) => {
      const deadline = Date.now() + afterMs;
      while (!closed && Date.now() < deadline) await sleep(20);
      return !closed;
    },
    stop: () => end(child, 'SIGTERM'),
  };
}

async function untilHealthy(url: string, child: ChildProcess, printed: readonly string[]): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${url}/healthz`).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await sleep(20);
  }
  await end(child, 'SIGKILL');
  throw new Error(`The gateway did not become healthy.\n${printed.join('')}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}
