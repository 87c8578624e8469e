/** `sluice replay`: feeds the record of a run to a new exchange, and reports whether its events are the same. */
import { createReadStream } from 'node:fs';
import { RecordReplay, type ReplayOutcome } from '#market/exchange/replay.ts';
import { CommandError, type CommandResult, strong } from './output.ts';

const CHUNK_BYTES = 2 ** 20;

/**
 * Reads a record of any length by line. Exits 1 at the first line that does not follow from the one before, and at the
 * first different event. Throws CommandError without a record.
 */
export async function replayRecord(file: string): Promise<CommandResult> {
  const outcome = await replayed(file);
  const { inputs, difference, lines, hash, after, brokenLine, cutOff } = outcome;
  const ok = brokenLine === null && difference === null;
  const { level = 0, quote = 0, admit = 0 } = outcome.events;
  const chain = { lines, hash, after, broken_line: brokenLine, cut_off: cutOff };
  const json = { ok, inputs, levels: level, quotes: quote, dispatches: admit, ...chain, difference };
  return { json, text: textOf(outcome), ...(ok ? {} : { exitCode: 1 }) };
}

function textOf({ inputs, events, difference, lines, hash, after, brokenLine, cutOff }: ReplayOutcome): string {
  const { level = 0, quote = 0, admit = 0 } = events;
  const counts = `${level} levels, ${quote} quotes and ${admit} dispatches from ${inputs} inputs`;
  const text: string[] = [];
  if (brokenLine !== null) {
    text.push(strong(`Line ${brokenLine} does not follow from the line before: there the record was changed.`));
    text.push(`A line was changed, removed, inserted or moved. Nothing from line ${brokenLine} on was replayed.`);
  }
  if (difference) {
    text.push(strong(`The first difference is after line ${difference.line}; before it, ${counts} were as recorded.`));
    text.push(`recorded  ${difference.recorded ?? 'nothing'}`, `replayed  ${difference.replayed ?? 'nothing'}`);
  } else {
    text.push(`All as recorded${brokenLine === null ? '' : ' before that'}: ${counts}.`);
  }
  if (cutOff) text.push('The last line is cut off, as when the gateway is killed; it was not replayed.');
  text.push(`Last hash, of line ${lines}: ${hash || 'none'}`);
  if (after) text.push(`Last hash of the record before: ${after}`);
  return text.join('\n');
}

async function replayed(file: string): Promise<ReplayOutcome> {
  const replay = new RecordReplay();
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) replay.read(chunk);
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
