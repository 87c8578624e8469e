/**
 * How many tokens a prompt has: an upper bound for the hold, and a middle figure for people, the published estimate.
 * Both come from one walk over the pod's input that copies nothing; the bound counts bytes, the estimate weighs text
 * (`text-tokens.ts`). A part with an image, audio, video or a file counts as a figure of the listing, never by its
 * data. What a chat template adds around a message (its role), a part of one or a call (its marks, its field names) is
 * covered by a fixed figure for each; everything else that a template could print counts, including tools and schemas
 * with their keys. docs/decisions/0008.
 */
import { NESTING_MAX } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import type { Listing, MediaKind } from '#market/listing.ts';
import { numberedCallId, SYSTEM_TAGS } from './engine-words.ts';
import type { GenerationRequest, JsonObject, MeasuredInput } from './request.ts';
import { textTokens } from './text-tokens.ts';

/** The figures that `measuredRequest` counts with: the defaults of the configuration. */
const MEDIA_TOKENS = { image: 1_500, audio: 5_000, video: 25_000, file: 30_000 } as const;

/** The types of parts that count by a figure, and the fields that have their data. Engines also know a part by its field. */
const MEDIA: ReadonlyMap<unknown, MediaKind> = new Map([
  ...(['image_url', 'input_image', 'image_embeds'] as const).map((type) => [type, 'image'] as const),
  ...(['input_audio', 'audio_url'] as const).map((type) => [type, 'audio'] as const),
  ['video_url', 'video'],
  ...(['file', 'input_file', 'file_data'] as const).map((type) => [type, 'file'] as const),
]);

const BYTES_PER_TOKEN_BOUND = 2;
const TOKENS_PER_MESSAGE = { bound: 8, estimate: 4 };
const TOKENS_PER_PART_BOUND = 8;
/** Templates print 15 to 25 tokens for a call of `f({})`. */
const TOKENS_PER_CALL_BOUND = 24;
/** The estimate of a part with media is this share of its worst case. */
const MEDIA_SHARE_ESTIMATE = 0.5;

/** Keys of a message or part, and values of its `role` and `type`, that the figure per message covers. */
const STRUCTURE = new Set([
  ...[...MEDIA.keys(), 'role', 'content', 'type', 'text', 'tool_calls', 'tool_call_id', 'id', 'function', 'name'],
  ...['arguments', 'reasoning_content', 'system', 'developer', 'user', 'assistant', 'tool'],
]);

/** Fields beside the messages that templates print. */
const PRINTED = new Set(['tools', 'functions', 'documents', 'chat_template', 'chat_template_kwargs']);

/**
 * Measures the pod's input, and notes in it the cap that the caller sent; null for none. `input` is an OpenAI chat body
 * whose `messages` is an array. Throws invalid_request when it is nested deeper than `NESTING_MAX`.
 */
export function measuredRequest(input: JsonObject, outputCap: number | null = null): GenerationRequest {
  const body = outputCap === null ? input : { ...input, max_tokens: outputCap };
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const spoken = new Meter();
  spoken.addSpeech(messages, 1, TOKENS_PER_MESSAGE.bound);
  spoken.addEngineWords(messages);
  const printed = new Meter();
  const other = new Meter();
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (name === 'messages' || value === null) continue;
    if (typeof value === 'string' || typeof value === 'object') (PRINTED.has(name) ? printed : other).addData(value, 1);
  }
  const promptBound =
    Math.ceil((spoken.bytes + printed.bytes + other.bytes) / BYTES_PER_TOKEN_BOUND) +
    spoken.entryTokens +
    spoken.mediaTokens;
  const promptEstimate =
    Math.ceil(spoken.tokens + printed.tokens) +
    messages.length * TOKENS_PER_MESSAGE.estimate +
    spoken.mediaTokens * MEDIA_SHARE_ESTIMATE;
  const measured = { body, promptBound, promptEstimate: Math.min(promptEstimate, promptBound) };
  return spoken.mediaTokens === 0 ? measured : { ...measured, media: spoken.media };
}

/** The prompt bound with the media figures of the listing. No prompt that runs is longer than the context. */
export function promptBoundFor(
  measured: MeasuredInput,
  { mediaTokens, contextLength }: Pick<Listing, 'mediaTokens' | 'contextLength'>,
): number {
  const text = measured.promptBound - mediaOf(measured, MEDIA_TOKENS);
  return Math.min(text + mediaOf(measured, mediaTokens), contextLength);
}

/** The prompt estimate with the media figures of the listing; above the context if the prompt seems not to fit. */
export function promptEstimateFor(measured: MeasuredInput, { mediaTokens }: Pick<Listing, 'mediaTokens'>): number {
  return textEstimateOf(measured) + Math.ceil(mediaOf(measured, mediaTokens) * MEDIA_SHARE_ESTIMATE);
}

/** The prompt estimate without its media, whose figures are no measure of the least that they cost. */
export function textEstimateOf(measured: MeasuredInput): number {
  return measured.promptEstimate - mediaOf(measured, MEDIA_TOKENS) * MEDIA_SHARE_ESTIMATE;
}

/** The tokens of the media of a prompt, by these figures. */
function mediaOf({ media = {} }: MeasuredInput, figures: Listing['mediaTokens']): number {
  let tokens = 0;
  for (const [kind, parts] of Object.entries(media) as [MediaKind, number][]) tokens += parts * figures[kind];
  return tokens;
}

/** The fault of a body that is nested too deeply. */
export function nestedTooDeeply(): Fault {
  return new Fault('invalid_request', { message: `The body is nested deeper than ${NESTING_MAX} levels.` });
}

/** Tokens for the marks and spaces around one name or value of JSON, as most templates print the JSON of tools. */
const JSON_MARKS_TOKENS = 1.25;

/** Adds up UTF-8 bytes, tokens of text, parts with media, and the fixed figures of messages, parts and calls. */
class Meter {
  bytes = 0;
  tokens = 0;
  readonly media: Partial<Record<MediaKind, number>> = {};
  mediaTokens = 0;
  entryTokens = 0;

  /**
   * Messages and their parts: each entry of a list costs `perEntry` instead of its structure, and media count by
   * their figures instead of by their data.
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
    const isMedia = this.#addMedia(part);
    for (const name of Object.keys(part)) {
      const inner = part[name];
      if (isMedia && MEDIA.has(name)) {
        new Meter().addData(inner, depth + 1); // For its depth alone.
        continue;
      }
      if (!STRUCTURE.has(name)) this.#addText(name);
      if ((name === 'role' || name === 'type') && typeof inner === 'string' && STRUCTURE.has(inner)) continue;
      this.addSpeech(inner, depth + 1, name === 'tool_calls' ? TOKENS_PER_CALL_BOUND : TOKENS_PER_PART_BOUND);
    }
  }

  /** What some pods add: tags around later system messages, and ids of calls that are longer than the caller's. */
  addEngineWords(messages: readonly unknown[]): void {
    let calls = 0;
    for (const [position, message] of messages.entries()) {
      const { role, tool_calls: called } = Object(message) as JsonObject;
      if (position > 0 && (role === 'system' || role === 'developer'))
        for (const tag of SYSTEM_TAGS) this.#addText(tag);
      for (const call of Array.isArray(called) ? called : []) this.#addCallId(Object(call), calls++);
    }
  }

  /** The call has the id, and so has its output. */
  #addCallId({ id, function: called }: JsonObject, count: number): void {
    const sent = String(id ?? '');
    const numbered = numberedCallId(Object(called).name, count);
    this.bytes += 2 * Math.max(0, Buffer.byteLength(numbered) - Buffer.byteLength(sent));
    this.tokens += 2 * Math.max(0, textTokens(numbered) - textTokens(sent));
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

  /** Counts a part with media. False for any other object. */
  #addMedia(part: JsonObject): boolean {
    const { type, role } = part;
    const isTyped = type !== undefined || role !== undefined;
    const kind = MEDIA.get(isTyped ? type : Object.keys(part).find((name) => MEDIA.has(name)));
    if (kind === undefined) return false;
    this.media[kind] = (this.media[kind] ?? 0) + 1;
    this.mediaTokens += MEDIA_TOKENS[kind];
    return true;
  }

  #addText(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.tokens += textTokens(text);
  }
}
