/** Runs the compilers and programs of other languages, and keeps their output for failures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Far more than the slowest build needs on a slow machine with an empty cache. */
const TIMEOUT_MS = 600_000;

/** A program with its arguments, its folder, and additions to the environment of this process. */
export interface ShellCommand {
  readonly line: readonly [program: string, ...args: string[]];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that ended with a code other than 0 or otherwise failed, and all that it printed. */
export class CommandFailed extends Error {
  readonly printed: string;

  constructor(message: string, printed: string) {
    super(message);
    this.printed = printed;
  }
}

/** Runs a command to its end and returns its output; `onLine` gets each line at once. Throws CommandFailed. */
export async function runCommand(command: ShellCommand, onLine: (line: string) => void = () => {}): Promise<string> {
  const { line, folder, env } = command;
  const [program, ...args] = line;
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The option `timeout` would keep this process alive when a program could not be started.
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
