/**
 * Everything that openapi.yaml promises of answers, one line each, and which of those lines an answer keeps. A run of
 * all contract tests has to keep every line (../coverage.ts). A line reads
 *
 *   getOrder 200 application/json             a status with a media type, or with none
 *   getOrder 200 header x-request-id          a header of that status
 *   createMessage 200 frame MessageEvent      a kind of frame in its stream
 */
import {
  type DocumentedFrame,
  documentedFrames,
  documentedHeaders,
  documentedMediaTypes,
  documentedStatuses,
  resolved,
  type Schema,
} from './document.ts';
import type { OperationId } from './operations.ts';
import { mediaTypeOf, type RawAnswer } from './raw-answer.ts';
import { parseStream } from './sse.ts';

const STREAM = 'text/event-stream';

/** Every promise of the document about an operation's answers. */
export function promisesOf(id: OperationId): string[] {
  return documentedStatuses(id).flatMap((status) => {
    const types = documentedMediaTypes(id, status);
    return [
      ...(types.length > 0 ? types.map((type) => `${id} ${status} ${type}`) : [`${id} ${status}`]),
      ...documentedHeaders(id, status).map(({ name }) => `${id} ${status} header ${name}`),
      ...(types.includes(STREAM) ? documentedFrames(id).map(({ name }) => `${id} ${status} frame ${name}`) : []),
    ];
  });
}

/** The promises that a valid answer kept. The body of an answer to HEAD keeps none. */
export function keptBy(id: OperationId, { status, headers, text }: RawAnswer): string[] {
  const type = mediaTypeOf(headers);
  const bodiless = documentedMediaTypes(id, status).length === 0;
  const named = documentedHeaders(id, status).filter(({ name }) => headers[name] !== undefined);
  return [
    ...(bodiless ? [`${id} ${status}`] : []),
    ...(bodiless || text === '' ? [] : [`${id} ${status} ${type}`]),
    ...named.map(({ name }) => `${id} ${status} header ${name}`),
    ...(type === STREAM ? framesIn(id, text).map((name) => `${id} ${status} frame ${name}`) : []),
  ];
}

/** The kind of a frame among those of a stream; null when it is none of them. */
export function frameKind(kinds: readonly DocumentedFrame[], frame: object): DocumentedFrame | null {
  return kinds.find(({ schema }) => fits(schema, frame)) ?? null;
}

/** Whether a frame has what its kind requires, also in its choices: chunks of chat and of text differ only there. */
function fits(schema: Schema, value: object): boolean {
  if (!(schema.required ?? []).every((name) => name in value)) return false;
  const choices = 'choices' in value && Array.isArray(value.choices) ? value.choices : [];
  const choice = schema.properties?.choices?.items;
  return !choice || choices.every((each) => fits(resolved(choice), each));
}

function framesIn(id: OperationId, text: string): string[] {
  const kinds = documentedFrames(id);
  const frames = parseStream(text).frames.filter(({ data }) => data !== '[DONE]');
  return [...new Set(frames.flatMap(({ data }) => frameKind(kinds, JSON.parse(data))?.name ?? []))];
}
