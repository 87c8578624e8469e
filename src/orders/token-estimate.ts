/**
 * How many tokens a prompt has: an upper bound for the hold, and a middle figure for people, the published estimate.
 * Both come from one walk over the pod's input that copies nothing; the bound counts bytes, the estimate weighs text
 * (`text-tokens.ts`). What a chat template adds around a message (its role), a part of one or a call (its marks, its
 * field names) is covered by a fixed figure for each; everything else that a template could print counts, including
 * tools and schemas with their keys. docs/decisions/0008.
 */
import { NESTING_MAX } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import type { GenerationRequest, JsonObject, MeasuredInput } from './request.ts';
import { textTokens } from './text-tokens.ts';

/** The worst-case tokens of one image, unless the listing says otherwise. */
export const IMAGE_TOKENS = 1500;

const BYTES_PER_TOKEN_BOUND = 2;
const TOKENS_PER_MESSAGE = { bound: 8, estimate: 4 };
const TOKENS_PER_PART_BOUND = 8;
/** Templates print 15 to 25 tokens for a call of `f({})`. */
const TOKENS_PER_CALL_BOUND = 24;
const IMAGE_TOKENS_ESTIMATE = 750;

/** Keys of a message or part, and values of its `role` and `type`, that the figure per message covers. */
const STRUCTURE = new Set([
  ...['role', 'content', 'type', 'text', 'image_url', 'tool_calls', 'tool_call_id', 'id', 'function', 'name'],
  ...['arguments', 'reasoning_content', 'system', 'developer', 'user', 'assistant', 'tool'],
]);

/**
 * Measures the pod's input. `body` is an OpenAI chat body whose `messages` is an array. Throws invalid_request when it
 * is nested deeper than `NESTING_MAX`.
 */
export function measuredRequest(body: JsonObject): GenerationRequest {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const spoken = new Meter();
  spoken.addSpeech(messages, 1, TOKENS_PER_MESSAGE.bound);
  const tools = new Meter();
  const other = new Meter();
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (name === 'messages' || value === null) continue;
    if (typeof value === 'string' || typeof value === 'object')
      (name === 'tools' || name === 'functions' ? tools : other).addData(value, 1);
  }
  const promptBound =
    Math.ceil((spoken.bytes + tools.bytes + other.bytes) / BYTES_PER_TOKEN_BOUND) +
    spoken.entryTokens +
    spoken.images * IMAGE_TOKENS;
  const promptEstimate =
    Math.ceil(spoken.tokens + tools.tokens) +
    messages.length * TOKENS_PER_MESSAGE.estimate +
    spoken.images * IMAGE_TOKENS_ESTIMATE;
  return { body, images: spoken.images, promptBound, promptEstimate: Math.min(promptEstimate, promptBound) };
}

/** The prompt bound when an image counts as `imageTokens`. */
export function promptBoundFor(generation: MeasuredInput, imageTokens: number): number {
  return generation.promptBound + generation.images * (imageTokens - IMAGE_TOKENS);
}

/** The fault of a body that is nested too deeply. */
export function nestedTooDeeply(): Fault {
  return new Fault('invalid_request', { message: `The body is nested deeper than ${NESTING_MAX} levels.` });
}

/** Tokens for the marks and spaces around one name or value of JSON, as most templates print the JSON of tools. */
const JSON_MARKS_TOKENS = 1.25;

/** Adds up UTF-8 bytes, tokens of text, images, and the fixed figures of messages, parts and calls. */
class Meter {
  bytes = 0;
  tokens = 0;
  images = 0;
  entryTokens = 0;

  /**
   * Messages and their parts: each entry of a list costs `perEntry` instead of its structure, and an image counts as
   * one instead of by its data.
   */
  addSpeech(value: unknown, depth: number, perEntry: number): void {
    if (typeof value === 'string') {
      this.#addText(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (depth > NESTING_MAX) throw nestedTooDeeply();
    if (Array.isArray(value)) {
      this.entryTokens += value.length * perEntry;
      for (const item of value) this.addSpeech(item, depth + 1, TOKENS_PER_PART_BOUND);
      return;
    }
    const part = value as JsonObject;
    const isImage = part.type === 'image_url';
    if (isImage) this.images++;
    for (const name of Object.keys(part)) {
      const inner = part[name];
      if (isImage && name === 'image_url') {
        new Meter().addData(inner, depth + 1); // For its depth alone.
        continue;
      }
      if (!STRUCTURE.has(name)) this.#addText(name);
      if ((name === 'role' || name === 'type') && typeof inner === 'string' && STRUCTURE.has(inner)) continue;
      this.addSpeech(inner, depth + 1, name === 'tool_calls' ? TOKENS_PER_CALL_BOUND : TOKENS_PER_PART_BOUND);
    }
  }

  /** Anything else, measured about as it would print in JSON. */
  addData(value: unknown, depth: number): void {
    if (typeof value === 'string') {
      this.bytes += 2;
      this.tokens += JSON_MARKS_TOKENS;
      this.#addText(value);
    } else if (typeof value !== 'object' || value === null) {
      this.tokens += JSON_MARKS_TOKENS;
      this.#addText(String(value));
    } else if (JSON.isRawJSON(value)) {
      this.tokens += JSON_MARKS_TOKENS;
      this.#addText(value.rawJSON);
    } else if (depth > NESTING_MAX) {
      throw nestedTooDeeply();
    } else if (Array.isArray(value)) {
      this.bytes += 2 + value.length;
      for (const item of value) this.addData(item, depth + 1);
    } else {
      this.bytes += 2;
      for (const name of Object.keys(value)) {
        this.bytes += 4;
        this.tokens += JSON_MARKS_TOKENS;
        this.#addText(name);
        this.addData((value as JsonObject)[name], depth + 1);
      }
    }
  }

  #addText(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.tokens += textTokens(text);
  }
}
