/** A model server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Far longer than anything takes, on however busy a machine. */
const GIVE_UP_MS = 60_000;
/** One thread, as threads that wait for each other in a loop are slow on a busy machine; and nothing from the network. */
const SETTINGS = { OMP_NUM_THREADS: '1', HF_HUB_OFFLINE: '1' };

/** One that runs. */
export class EngineProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when GET `health` is 200. Throws Error with what the server printed when it ends before. */
  static async start(health: string, command: string, args: readonly string[]): Promise<EngineProcess> {
    const env = { ...process.env, ...SETTINGS };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
    const isUp = async () => {
      if (child.exitCode !== null) throw new Error(`The engine ended.\n${printed.join('')}`);
      const response = await fetch(health).catch(() => null);
      await response?.body?.cancel();
      return response?.status === 200;
    };
    await eventually(isUp, 'the engine to load its model');
    return new EngineProcess(child);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** Resolves once `condition` holds. Throws Error naming `what` when it does not within a minute. */
export async function eventually(condition: () => Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${what}.`);
    await sleep(5);
  }
}
