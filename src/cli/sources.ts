/** Reads what a command is given: a file, standard input or an address. */
import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';

/** How long an answer may take. */
const ANSWER_MS = 10_000;

/** What could not be read; the message is a sentence. */
export class Unreadable extends Error {}

/** The text of a file, of standard input for `-`, or at an address. Throws Unreadable. */
export async function readSource(source: string): Promise<string> {
  if (source === '-') return readStream(process.stdin);
  if (/^https?:\/\//.test(source)) return readAddress(source);
  try {
    return await readFile(source, 'utf8');
  } catch (error) {
    throw new Unreadable(`${source} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function readAddress(url: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch {
    throw new Unreadable(`${url} cannot be reached.`);
  }
  if (!response.ok) throw new Unreadable(`${url} answered ${response.status}${sentenceIn(await response.text())}.`);
  return response.text();
}

/** What a gateway said of a refusal. */
function sentenceIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === 'string' ? `: ${error.message.replace(/\.$/, '')}` : '';
  } catch {
    return '';
  }
}
