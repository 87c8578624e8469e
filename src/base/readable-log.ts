/** Log lines for people: what pino writes as JSON, on a terminal. */
import type { DestinationStream } from 'pino';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** Writes each line as its local time, its level, its sentence and its fields. What is no line of pino stays as it is. */
export function readableLines(terminal: DestinationStream): DestinationStream {
  return { write: (line) => terminal.write(readable(line)) };
}

function readable(line: string): string {
  try {
    const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const at = new Date(Number(time)).toLocaleTimeString('en-GB');
    const named = Object.entries(fields).map(([name, value]) => `  ${name}=${textOf(value)}`);
    const stack = err instanceof Object && 'stack' in err ? `\n${err.stack}` : '';
    return `${at} ${(LEVELS[Number(level)] ?? '').padEnd(5)} ${msg}${named.join('')}${stack}\n`;
  } catch {
    return line;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
