/** `sluice replay`: feeds the record of a run to a new exchange, and reports whether its events are the same. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { RecordReplay, type ReplayOutcome } from '#market/replay.ts';
import { CommandError, type CommandResult, strong } from './output.ts';

/** Reads a record of any length by line. Exits 1 at the first different event. Throws CommandError without a record. */
export async function replayRecord(file: string): Promise<CommandResult> {
  const { inputs, events, difference } = await replayed(file);
  const { level = 0, quote = 0, admit = 0 } = events;
  const counts = `${level} levels, ${quote} quotes and ${admit} dispatches from ${inputs} inputs`;
  const json = { ok: difference === null, inputs, levels: level, quotes: quote, dispatches: admit, difference };
  if (difference === null) return { json, text: `All as recorded: ${counts}.` };
  const { line, recorded, replayed: actual } = difference;
  const text = [
    strong(`The first difference is after line ${line}; before it, ${counts} were as recorded.`),
    `recorded  ${recorded ?? 'nothing'}`,
    `replayed  ${actual ?? 'nothing'}`,
  ].join('\n');
  return { json, text, exitCode: 1 };
}

async function replayed(file: string): Promise<ReplayOutcome> {
  const replay = new RecordReplay();
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      replay.take(line);
    }
    return replay.end();
  } catch (error) {
    throw new CommandError(`${file} cannot be replayed: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file.';
  return code === 'EISDIR' ? 'it is a folder; name a file in it.' : error.message;
}
