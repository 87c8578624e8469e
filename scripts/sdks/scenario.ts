/**
 * The scenario that every client runs: its steps, as sdk-tests/README.md lists them, and the run of one program that
 * reports them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';

const DESCRIPTION = join(import.meta.dirname, '../../sdk-tests/README.md');

/** A completed step, and how long it took; the first includes the start of the program. */
export interface Taken {
  readonly step: string;
  readonly ms: number;
}

/** The names of the steps, in order: the bold words of the numbered list. */
export async function stepsOf(path = DESCRIPTION): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1] ?? '');
}

/** Runs a program that prints `ok STEP` after each step. Throws CommandFailed when one is missing or out of order. */
export async function play(command: ShellCommand, steps: readonly string[]): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  let beginMs = Date.now();
  const printed = await runCommand(command, (line) => {
    const step = steps[taken.length];
    if (step === undefined || line !== `ok ${step}`) return;
    taken.push({ step, ms: Date.now() - beginMs });
    beginMs = Date.now();
  });
  if (taken.length === steps.length) return taken;
  throw new CommandFailed(`The scenario ended without the step "${steps[taken.length]}".`, printed);
}
