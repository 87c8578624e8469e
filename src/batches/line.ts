/**
 * One line of an input file, and what makes the whole file invalid. What is wrong with the request inside, its `body`,
 * is not checked here: such a line fails alone, when it is submitted. Spec 2.6; docs/understand/lifecycle.md.
 */
import { parseJson, scanJson, wellFormedJson } from '#base/exact-json.ts';
import type { InputLine } from './input-lines.ts';

const MIB = 1024 * 1024;
/** A request of 8 MiB, as over HTTP, and room for the fields around it. */
export const LINE_BYTES_MAX = 8 * MIB + MIB / 2;
/** How long a custom id may be, in characters; each may take six bytes of a line. */
const CUSTOM_ID_LENGTH_MAX = 65_536;

/** A longer line is read in another thread: one of 8 MiB stops this one for 40 to 150 ms. */
const LARGE_LINE_BYTES = 256 * 1024;

/** Whether the line is worth the way to another thread. */
export function isLarge({ bytes }: InputLine): boolean {
  return bytes !== null && bytes.length > LARGE_LINE_BYTES;
}

/** A line that may be submitted. */
export interface BatchRequest {
  readonly customId: string;
  /** Any JSON value; undefined when absent. */
  readonly body: unknown;
}

/** What is wrong with a line, and therefore with its file: a sentence that names the line. */
export class BadLine extends Error {
  /** The sentence without its beginning. */
  readonly complaint: string;

  constructor(number: number, complaint: string) {
    super(`Line ${number} ${complaint}`);
    this.name = 'BadLine';
    this.complaint = complaint;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The custom id of a line of a batch that goes to `endpoint`. Throws BadLine. */
export function customIdOf(line: InputLine, endpoint: string): string {
  return checkedLine(line, endpoint).customId;
}

/** Parses a line of a batch that goes to `endpoint`; its body is well-formed. Throws BadLine. */
export function readLine(line: InputLine, endpoint: string): BatchRequest {
  const { customId, body, text, longNumbers } = checkedLine(line, endpoint);
  const wellFormed = wellFormedJson(text);
  if (wellFormed === text && !longNumbers) return { customId, body };
  return { customId, body: (parseJson(wellFormed, longNumbers) as Pick<BatchRequest, 'body'>).body };
}

interface CheckedLine extends BatchRequest {
  readonly text: string;
  readonly longNumbers: boolean;
}

/** A line as it was sent: the sender looks for its custom id, and two ids must not become one. */
function checkedLine({ number, bytes }: InputLine, endpoint: string): CheckedLine {
  if (!bytes) throw new BadLine(number, 'is too long: a request has up to 8 MiB.');
  const { broken, longNumbers } = scanJson(bytes);
  if (broken) throw new BadLine(number, `${broken}.`);
  const text = textOf(number, bytes);
  const line = parsed(number, text);
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw new BadLine(number, 'is not a JSON object.');
  const { custom_id: customId, method, url, body } = line as Record<string, unknown>;
  if (typeof customId !== 'string') throw new BadLine(number, 'has no custom_id, which must be a string.');
  if (customId.length > CUSTOM_ID_LENGTH_MAX)
    throw new BadLine(number, `has a custom_id of more than ${CUSTOM_ID_LENGTH_MAX} characters.`);
  if (method !== 'POST') throw new BadLine(number, 'has another method than "POST".');
  if (url !== endpoint) throw new BadLine(number, `has another url than the endpoint of the batch, "${endpoint}".`);
  return { customId, body, text, longNumbers };
}

function textOf(number: number, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadLine(number, 'is not valid UTF-8.');
  }
}

function parsed(number: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadLine(number, 'is not valid JSON.');
  }
}
