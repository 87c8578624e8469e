/** The scenario that every client runs: its steps, as sdk-tests/README.md lists them, and the run of a program. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';

const DESCRIPTION = join(import.meta.dirname, '../README.md');

/** The names of the steps, in order: the bold words of the numbered list. */
export async function stepsOf(): Promise<readonly string[]> {
  const text = await readFile(DESCRIPTION, 'utf8');
  return [...text.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1] ?? '');
}

/** Runs a program that prints `ok STEP` after each step. Throws CommandFailed when one is missing or out of order. */
export async function play(command: ShellCommand, steps: readonly string[]): Promise<void> {
  const printed = await runCommand(command);
  let taken = 0;
  for (const line of printed.split('\n')) if (line === `ok ${steps[taken]}`) taken++;
  if (taken < steps.length) throw new CommandFailed(`The scenario ended without the step "${steps[taken]}".`, printed);
}
