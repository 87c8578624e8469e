/**
 * The output of commands. A command returns a `CommandResult` and prints nothing; here it becomes lines for people or,
 * with `--json`, one object on the last line. Colour is used only on a terminal.
 */
import { styleText } from 'node:util';
import { Fault } from '#base/fault.ts';

/** The outcome of a command: the object for programs, the text for people. */
export interface CommandResult {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** 0 when absent. */
  readonly exitCode?: number;
}

/** What a command ends with that was given a wrong value, such as an unknown account; nothing has changed. */
const WRONG_VALUE = 2;

/** An error that the operator can correct; its message is a complete sentence. */
export class CommandError extends Error {
  /** The exit code of the process. */
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
    this.name = 'CommandError';
  }
}

/** A value of an argument or an option that is wrong, with the sentence that says what to write. */
export class WrongValue extends CommandError {
  constructor(sentence: string) {
    super(sentence, WRONG_VALUE);
  }
}

/** Aligned columns below underlined names; the caller formats numbers. Cells do not wrap. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const printed = rows.map((row) => row.map(printable));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...printed.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => (cells[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return [styleText('underline', line(names)), ...printed.map(line)].join('\n');
}

/** Pairs, one per line, with aligned values. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${faint(name.padEnd(width))}  ${printable(value)}`).join('\n');
}

/** Control and direction characters, such as those of a name, as `\\u001b`: they could change what a terminal shows. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Text to be seen first. */
export function strong(text: string): string {
  return styleText(['bold', 'cyan'], text);
}

/** Text that says that something is as it must be. */
export function good(text: string): string {
  return styleText('green', text);
}

/** Text that says that it is not. */
export function wrong(text: string): string {
  return styleText('red', text);
}

/** Text of less importance. */
export function faint(text: string): string {
  return styleText('dim', text);
}

/** A time for people: `2026-01-31 14:05:09Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** From now on this process makes files with the mode 0600 and folders with 0700, from their first byte. */
export function privateFiles(): void {
  process.umask(0o077);
}

/** Runs a command and prints its result or its error; the process gets the exit code. */
export async function report(run: () => Promise<CommandResult>, wanted: { readonly json?: boolean }): Promise<void> {
  try {
    const result = await run();
    console.log(wanted.json ? JSON.stringify(result.json, null, 0) : result.text);
    process.exitCode = result.exitCode ?? 0;
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error), wanted);
    process.exitCode = error instanceof CommandError ? error.exitCode : error instanceof Fault ? WRONG_VALUE : 1;
  }
}

/** Reports an error: a sentence on standard error and, with `--json`, an object on standard output. */
export function refuse(message: string, wanted: { readonly json?: boolean }): void {
  console.error(`sluice: ${message.split('\n').map(printable).join('\n')}`);
  if (wanted.json) console.log(JSON.stringify({ error: { message } }));
}
