/**
 * Finds the receipts in a folder of what clients keep: whole answers, results, signed receipts, or receipts alone, in
 * `.json` files or, one a line, in `.jsonl` and `.ndjson` files. Other files are not read.
 */
import { createReadStream } from 'node:fs';
import { glob, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeptReceipt, UnreadablePlace } from '#storage/audit/kept-receipts.ts';
import { CommandError } from './output.ts';

/** More than that is for JSON lines, which are not read as a whole. */
const JSON_BYTES_MAX = 64 * 1024 * 1024;
const NANO = 1e9;
const NO_JSON = 'it is no JSON, so its receipts cannot be compared.';

/** Every receipt below `folder`, and what cannot be read. Throws CommandError where it is no folder. */
export async function* keptReceipts(folder: string): AsyncGenerator<KeptReceipt | UnreadablePlace> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new CommandError(`${folder} is no folder; name one with receipts as .json or .jsonl files.`);
  for await (const name of glob('**/*.{json,jsonl,ndjson}', { cwd: folder })) {
    const path = join(folder, name);
    const { size } = await stat(path);
    if (!name.endsWith('.json')) yield* inLines(path, name);
    else if (size > JSON_BYTES_MAX) yield { place: name, why: 'it is over 64 MiB; split it into JSON lines.' };
    else yield* inText(await readFile(path, 'utf8'), name);
  }
}

async function* inLines(path: string, name: string): AsyncGenerator<KeptReceipt | UnreadablePlace> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number++;
    if (line.trim() !== '') yield* inText(line, `${name} line ${number}`);
  }
}

function* inText(text: string, place: string): Generator<KeptReceipt | UnreadablePlace> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    yield { place, why: NO_JSON };
    return;
  }
  // Not by recursion: a file may be nested deeper than the stack.
  for (const left: unknown[] = [value]; left.length > 0; ) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const receipt = receiptIn(next, place);
    if (receipt) yield receipt;
    for (const inner of Object.values(next)) left.push(inner);
  }
}

/** The receipt that an object is: `x_market` of an answer, or the claims of a signed one. Spec 2.9. */
function receiptIn(value: object, place: string): KeptReceipt | null {
  const field = (name: string): unknown => Reflect.get(value, name);
  const orderId = field('order_id');
  if (typeof orderId !== 'string') return null;
  const nano = (name: string, usd: string) => {
    const [whole, dollars] = [field(name), field(usd)];
    if (typeof whole === 'number') return whole;
    return typeof dollars === 'number' ? Math.round(dollars * NANO) : null;
  };
  const [charged, level, bid] = [
    nano('charged_nano_usd', 'charged_usd'),
    nano('level_nano_usd', 'level_at_execution'),
    nano('bid_nano_usd', 'bid'),
  ];
  // Lists of usage have no bid, and a charge net of refunds.
  return charged === null || level === null || bid === null ? null : { orderId, place, charged, level, bid };
}
