/** Runs the compilers and programs of other languages, keeps their output for failures, and reports how long they took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Far more than the slowest build needs on a slow machine with an empty cache. */
const TIMEOUT_MS = 600_000;
const COLUMN = 26;

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

/** Runs a command to its end and returns what it printed on both streams. Throws CommandFailed. */
export async function runCommand({ line, folder, env }: ShellCommand): Promise<string> {
  const [program, ...args] = line;
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The option `timeout` would keep this process alive when a program could not be started.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const [code, signal] = await once(child, 'close').catch((error: Error) => [error.message]);
  if (code === 0) return printed.trimEnd();
  throw new CommandFailed(`${line.join(' ')} ended with ${code ?? signal}.`, printed.trimEnd());
}

/** Takes a step of a report, and returns what it returned. */
type Step = <Result>(what: string, take: () => Promise<Result>) => Promise<Result>;

/** Prints a name, the steps that `run` takes and how long each took. Returns whether none failed. */
export async function reported(name: string, run: (step: Step) => Promise<void>): Promise<boolean> {
  const lines = [name];
  try {
    await run(async (what, take) => {
      const beginMs = Date.now();
      const result = await take();
      lines.push(reportLine(what, Date.now() - beginMs));
      return result;
    });
    return true;
  } catch (error) {
    lines.push(`FAILED: ${error instanceof CommandFailed ? `${error.message}\n${error.printed}` : error}`);
    return false;
  } finally {
    console.log(lines.join('\n'));
  }
}

/** A line of a report. */
export function reportLine(what: string, ms: number): string {
  return `  ${what.padEnd(COLUMN)} ${(ms / 1000).toFixed(1).padStart(8)} s`;
}
