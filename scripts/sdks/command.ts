/** Runs the compilers and programs of other languages, and keeps what they print for when they fail. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Far more than the slowest build needs on a slow machine with an empty cache. */
const TIMEOUT_MS = 600_000;

/** A program with its arguments, where it runs, and what its environment has beside that of this process. */
export interface Command {
  readonly line: readonly [program: string, ...args: string[]];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that ended with another code than 0, or not as it should, and all that it printed. */
export class CommandFailed extends Error {
  readonly printed: string;

  constructor(message: string, printed: string) {
    super(message);
    this.printed = printed;
  }
}

/** Runs a command to its end and gives what it printed; `onLine` sees each line at once. Throws CommandFailed. */
export async function runCommand(command: Command, onLine: (line: string) => void = () => {}): Promise<string> {
  const { line, folder, env } = command;
  const [program, ...args] = line;
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The option `timeout` would keep this process alive after a program that could not be started.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const printed: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (text) => {
      printed.push(text);
      onLine(text);
    });
  const [code, signal] = await once(child, 'close').catch((error: Error) => [error.message]);
  if (code === 0) return printed.join('\n');
  throw new CommandFailed(`${line.join(' ')} ended with ${code ?? signal}.`, printed.join('\n'));
}
