/**
 * Checks the input of a batch before it is sent: which lines are wrong and why, as far as a browser can know. Counts also
 * what the other lines ask of each model. The file is read in pieces, so that the page goes on answering. The gateway checks
 * everything again, by the rules of src/batches/line.ts.
 */
import { after } from '../clock.ts';

/** The endpoints of batches, each with the field of its body that holds the input. */
const INPUTS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'messages',
  '/v1/completions': 'prompt',
  '/v1/responses': 'input',
  '/v1/messages': 'messages',
};
const MIB = 1024 * 1024;
const LINE_BYTES_MAX = 8.5 * MIB;
const CUSTOM_ID_LENGTH_MAX = 65_536;
/** How many wrong lines are kept; the others are counted. */
const SHOWN_MAX = 50;
/** As the gateway does before the model has counted them. */
const CHARACTERS_PER_TOKEN = 4;
/** What is looked at before the page gets its turn: a few milliseconds of work. */
const PIECE_BYTES = 128 * 1024;
const LF = 10;
const CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;
const PRICES = ['price_limit', 'max_price', 'max_charge_usd'] as const;
const TAG = /^[A-Za-z0-9._:-]{1,32}$/;

/** What the check must know of the gateway. */
export interface FileRules {
  readonly linesMax: number;
  readonly bytesMax: number;
  /** The id of the model with this id or alias; null for none. Asked once for each name. */
  readonly modelNamed: (name: string) => Promise<string | null>;
}

/** A line that is wrong. */
export interface WrongLine {
  /** From 1; blank lines count. */
  readonly number: number;
  readonly complaint: string;
  /** Whether the whole file fails with it; otherwise only the line does. */
  readonly failsFile: boolean;
}

/** What the right lines ask of one model. */
export interface ModelWork {
  readonly lines: number;
  /** Estimated from the characters. */
  readonly inputTokens: number;
  /** The caps of those lines that have one. */
  readonly outputTokens: number;
  readonly uncapped: number;
}

/** What was found in a file. */
export interface FileCheck {
  /** Why the whole file cannot be sent, whatever its lines are; empty where nothing speaks against it. */
  readonly refusal: string;
  /** That of the first line that names one. */
  readonly endpoint: string | null;
  readonly lines: number;
  readonly wrong: readonly WrongLine[];
  readonly wrongCount: number;
  /** How many of them fail the whole file. */
  readonly failingCount: number;
  /** By the id of the model; empty for the default model. */
  readonly work: ReadonlyMap<string, ModelWork>;
}

/** Checks a file. Hands `onProgress` the share that was read, 0 to 1. Rejects when the file cannot be read, or `signal` aborts. */
export async function checkFile(
  file: Blob,
  rules: FileRules,
  { onProgress, signal }: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
): Promise<FileCheck> {
  const sizeRefusal = file.size > rules.bytesMax ? `The file is larger than ${rules.bytesMax / MIB} MiB.` : '';
  const check = new Check(rules);
  if (sizeRefusal === '')
    for await (const { number, bytes, readBytes } of linesOf(file)) {
      signal.throwIfAborted();
      if (readBytes !== null) onProgress(readBytes / file.size);
      else await check.take(number, bytes);
    }
  return check.found(sizeRefusal);
}

/** A line without its end; or, with `readBytes`, a piece of the file that was read. */
interface Piece {
  readonly number: number;
  /** Null for a line that is too long. */
  readonly bytes: Uint8Array | null;
  readonly readBytes: number | null;
}

async function* linesOf(file: Blob): AsyncGenerator<Piece> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  let readBytes = 0;
  const add = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > LINE_BYTES_MAX) parts = [];
    else parts.push(bytes);
  };
  const line = (): Piece => {
    const bytes = length > LINE_BYTES_MAX ? null : joined(parts, length);
    [parts, length] = [[], 0];
    return { number: ++number, bytes, readBytes: null };
  };
  while (readBytes < file.size) {
    const piece = new Uint8Array(await file.slice(readBytes, readBytes + PIECE_BYTES).arrayBuffer());
    let start = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, start)) {
      add(piece.subarray(start, end));
      yield line();
      start = end + 1;
    }
    add(piece.subarray(start));
    readBytes += piece.length;
    yield { number, bytes: null, readBytes };
    // A read may end at once, and then the page would get no turn.
    await new Promise<void>((go) => after(0, go));
  }
  if (length > 0) yield line();
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The lines of one file, one after the other. */
class Check {
  readonly #rules: FileRules;
  /** Drops a byte order mark, as the gateway does at the beginning of a file. */
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  /** The line of each custom id. */
  readonly #ids = new Map<string, number>();
  /** The ids of models by the names that lines have. */
  readonly #models = new Map<string, string | null>();
  readonly #work = new Map<string, ModelWork>();
  readonly #wrong: WrongLine[] = [];
  #endpoint: string | null = null;
  #lines = 0;
  #wrongCount = 0;
  #failingCount = 0;

  constructor(rules: FileRules) {
    this.#rules = rules;
  }

  async take(number: number, bytes: Uint8Array | null): Promise<void> {
    const text = bytes && this.#textOf(bytes);
    if (text?.trim() === '') return;
    this.#lines++;
    // The refusal says how many there are; nobody mends line by line what has to be cut.
    if (this.#lines > this.#rules.linesMax) return;
    if (bytes === null) return this.#note(number, 'is too long: a request has up to 8 MiB.', true);
    if (text === null) return this.#note(number, 'is not valid UTF-8.', true);
    const read = this.#lineOf(number, text);
    if (typeof read === 'string') return this.#note(number, read, true);
    const complaint = bodyComplaint(read.body, this.#endpoint ?? '') ?? (await this.#modelComplaint(read.body));
    if (complaint !== null) this.#note(number, complaint, false);
  }

  found(sizeRefusal: string): FileCheck {
    const { linesMax } = this.#rules;
    const count = this.#lines.toLocaleString();
    const tooMany = `The file has ${count} lines; a batch takes up to ${linesMax.toLocaleString()}.`;
    const refusal = this.#lines > linesMax ? tooMany : this.#lines === 0 ? 'The file has no lines.' : '';
    return {
      ...{ refusal: sizeRefusal || refusal, endpoint: this.#endpoint, lines: this.#lines, wrong: this.#wrong },
      ...{ wrongCount: this.#wrongCount, failingCount: this.#failingCount, work: this.#work },
    };
  }

  #textOf(bytes: Uint8Array): string | null {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      return null;
    }
  }

  #note(number: number, complaint: string, failsFile: boolean): void {
    this.#wrongCount++;
    if (failsFile) this.#failingCount++;
    if (this.#wrong.length < SHOWN_MAX) this.#wrong.push({ number, complaint, failsFile });
  }

  /** The line, or what is wrong with it. */
  #lineOf(number: number, text: string): { readonly body: unknown } | string {
    const line = parsed(text);
    if (line === undefined) return 'is not valid JSON.';
    if (!isObject(line)) return 'is not a JSON object.';
    const { custom_id: id, method, url, body } = line;
    if (typeof id !== 'string') return 'has no custom_id, which must be a string.';
    if (id.length > CUSTOM_ID_LENGTH_MAX) return `has a custom_id of more than ${CUSTOM_ID_LENGTH_MAX} characters.`;
    if (method !== 'POST') return 'has another method than "POST".';
    if (typeof url !== 'string' || !Object.hasOwn(INPUTS, url))
      return `has a url that is no endpoint of batches: ${Object.keys(INPUTS).join(', ')}.`;
    this.#endpoint ??= url;
    if (url !== this.#endpoint) return `has another url than the lines before it, "${this.#endpoint}".`;
    const first = this.#ids.get(id);
    if (first !== undefined) return `has the custom_id of line ${first}.`;
    this.#ids.set(id, number);
    return { body };
  }

  /** Counts what a body asks for, unless nobody sells its model. */
  async #modelComplaint(body: unknown): Promise<string | null> {
    const { model: name = null, ...fields } = isObject(body) ? body : {};
    if (name !== null && typeof name !== 'string') return 'model must be a string.';
    if (name !== null && !this.#models.has(name)) this.#models.set(name, await this.#rules.modelNamed(name));
    const model = name === null ? '' : this.#models.get(name);
    if (model == null) return `names a model that is not sold here: ${shortened(String(name))}.`;
    const cap = CAPS.map((field) => fields[field]).find((value) => typeof value === 'number');
    const before = this.#work.get(model) ?? { lines: 0, inputTokens: 0, outputTokens: 0, uncapped: 0 };
    this.#work.set(model, {
      lines: before.lines + 1,
      inputTokens: before.inputTokens + Math.ceil(lettersIn(fields) / CHARACTERS_PER_TOKEN),
      outputTokens: before.outputTokens + Number(cap ?? 0),
      uncapped: before.uncapped + (cap === undefined ? 1 : 0),
    });
    return null;
  }
}

/** What is wrong with the request of a line; null for nothing that shows without the gateway. */
function bodyComplaint(body: unknown, endpoint: string): string | null {
  if (!isObject(body)) return 'body must be an object.';
  for (const name of ['stream', 'detached', 'background'])
    if (body[name] === true) return `A line of a batch cannot have ${name}: true.`;
  if (body.deadline != null) return 'A line of a batch has no deadline of its own: give it to the batch.';
  for (const name of CAPS)
    if (body[name] != null && !(Number.isInteger(body[name]) && Number(body[name]) >= 1))
      return `${name} must be a whole number of at least 1.`;
  for (const name of PRICES)
    if (body[name] != null && !(typeof body[name] === 'number' && body[name] >= 0))
      return `${name} must be a number of at least 0, in USD.`;
  if (endpoint === '/v1/messages' && body.max_tokens == null) return 'max_tokens is required.';
  return inputComplaint(body, INPUTS[endpoint] ?? '') ?? tagsComplaint(body.tags);
}

function inputComplaint(body: Readonly<Record<string, unknown>>, field: string): string | null {
  const input = body[field];
  if (input == null) return `${field} is required.`;
  if (field !== 'messages') return typeof input === 'string' || Array.isArray(input) ? null : `${field} must be text.`;
  if (!Array.isArray(input)) return 'messages must be an array.';
  if (input.length === 0) return 'messages must not be empty.';
  const at = input.findIndex((message) => !isObject(message) || typeof message.role !== 'string');
  return at < 0 ? null : `messages[${at}].role is required.`;
}

function tagsComplaint(tags: unknown): string | null {
  if (tags == null) return null;
  const are = Array.isArray(tags) && tags.length <= 5 && tags.every((tag) => typeof tag === 'string' && TAG.test(tag));
  return are ? null : 'tags must be at most 5 words, each of 1 to 32 letters, digits, ".", "_", ":" or "-".';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The characters of all texts in a value. */
function lettersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + lettersIn(part), 0);
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
