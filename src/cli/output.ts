/**
 * What a command says. A command returns a `Result` and prints nothing; here it becomes lines for a person, or, with
 * `--json`, one object on the last line. Colour is used only on a terminal.
 */
import { styleText } from 'node:util';

/** The outcome of a command: the object for programs, the text for people. */
export interface Result {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** 0 unless said otherwise. */
  readonly exitCode?: number;
}

/** A refusal that the operator can mend; its message is the whole sentence. */
export class CommandError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'CommandError';
  }
}

/** Columns lined up, the names above them underlined; numbers are the caller's to format. Cells never break. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => (cells[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return [heading(line(names)), ...rows.map(line)].join('\n');
}

/** Pairs, one a line, the values lined up. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${faint(name.padEnd(width))}  ${value}`).join('\n');
}

/** A title; underlined on a terminal. */
function heading(text: string): string {
  return styleText('underline', text);
}

/** What should be seen first. */
export function strong(text: string): string {
  return styleText(['bold', 'cyan'], text);
}

/** What may be overlooked. */
export function faint(text: string): string {
  return styleText('dim', text);
}

/** A time as people read it: `2026-01-31 14:05:09Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** Runs a command and prints its result, or why it could not be done; the process ends with its exit code. */
export async function report(run: () => Promise<Result>, wanted: { readonly json: boolean }): Promise<void> {
  try {
    const result = await run();
    console.log(wanted.json ? JSON.stringify(result.json, null, 0) : result.text);
    process.exitCode = result.exitCode ?? 0;
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error), wanted);
    process.exitCode = 1;
  }
}

/** Says why nothing was done: a sentence on standard error and, with `--json`, an object on standard output. */
export function refuse(message: string, wanted: { readonly json: boolean }): void {
  console.error(`sluice: ${message}`);
  if (wanted.json) console.log(JSON.stringify({ error: { message } }));
}
