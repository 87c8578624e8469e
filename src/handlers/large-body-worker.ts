/**
 * The thread that reads large bodies: what `http/api.ts` and the handlers do with a small one, up to the point at which
 * the order service takes over. One message in, one message out, per body.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { forwardable } from '#adapters/common/extensions.ts';
import { assertValid } from '#adapters/common/validation.ts';
import type { CountBody, RequestHeaders, WireShape } from '#adapters/common/wire-shape.ts';
import { shapesFor } from '#adapters/shapes.ts';
import { jsonBody } from '#base/exact-json.ts';
import { Fault } from '#base/fault.ts';
import { ENDPOINTS } from '#batches/batch.ts';
import { BadLine, customIdOf } from '#batches/line.ts';
import { readRequest } from '#batches/line-request.ts';
import { requestBodies, type Validator } from '#generated/validators.js';
import type { GenerationRequest, InferenceRequest } from '#orders/request.ts';
import { countedRequest } from './count-tokens.ts';
import { type LargeBodyAnswer, type LargeLine, type OwnBytes, ownBytes } from './large-bodies.ts';

/** A body as `LargeBodies` sends it. */
interface ArrivedBody {
  readonly operationId: string;
  readonly headers: RequestHeaders;
  readonly bytes: OwnBytes;
}

interface Arrived {
  /** As they were when the body arrived. */
  readonly customToolModels: ReadonlySet<string | null>;
}

type Reader = (body: unknown, headers: RequestHeaders) => LargeBodyAnswer;

const listings = { customToolModels: new Set<string | null>() as Arrived['customToolModels'] };
const shapes = shapesFor(listings);

/** How a valid body is read. The body of any other operation goes to its handler unchanged. */
const readers: Readonly<Record<string, Reader>> = {
  createChatCompletion: readerOf(shapes.chat),
  createCompletion: readerOf(shapes.completion),
  createResponse: readerOf(shapes.responses),
  createMessage: readerOf(shapes.messages),
  countMessageTokens: (body) => ({ type: 'read', value: countedRequest(body as CountBody) }),
};

function readerOf<Echo>(shape: WireShape<Echo>): Reader {
  return (body, headers) => {
    const { request, echo } = shape.parseRequest(forwardable(body), headers);
    return packed(request, echo);
  };
}

function packed(request: InferenceRequest<GenerationRequest>, echo: unknown): LargeBodyAnswer {
  const { body: tree, ...measured } = request.generation;
  const rest = JSON.stringify({ ...request, generation: measured, repeated: undefined });
  return { type: 'request', rest, input: bytesOf(tree), echo: bytesOf(echo) };
}

function bytesOf(value: unknown): OwnBytes {
  return ownBytes(Buffer.from(JSON.stringify(value)));
}

const validators: Readonly<Record<string, Validator<unknown>>> = requestBodies;

function answerTo(arrived: Arrived & (ArrivedBody | LargeLine)): LargeBodyAnswer {
  listings.customToolModels = arrived.customToolModels;
  try {
    return 'number' in arrived ? lineAnswer(arrived) : bodyAnswer(arrived);
  } catch (error) {
    return refusal(error);
  }
}

function lineAnswer(line: LargeLine): LargeBodyAnswer {
  if ('customIdFor' in line) {
    const customId = customIdOf(line, ENDPOINTS[line.customIdFor]);
    return { type: 'line', customId, read: null };
  }
  const { customId, request } = readRequest(line, shapes[line.requestBy.kind], line.requestBy);
  if (request instanceof Fault) return { type: 'line', customId, read: refusal(request) };
  return { type: 'line', customId, read: packed(request as InferenceRequest<GenerationRequest>, null) };
}

function bodyAnswer({ operationId, headers, bytes }: ArrivedBody): LargeBodyAnswer {
  const body = jsonBody(Buffer.from(bytes.buffer));
  const validator = validators[operationId];
  if (!validator) throw new Error(`${operationId} takes no body`);
  assertValid(validator, body);
  return readers[operationId]?.(body, headers) ?? { type: 'body', value: body };
}

function refusal(error: unknown): LargeBodyAnswer {
  if (error instanceof BadLine) return { type: 'bad-line', complaint: error.complaint };
  if (!(error instanceof Fault)) return { type: 'error', error };
  const { code, message, param, details, headers: extra, retryAfterS } = error;
  const given = { ...(param === null ? {} : { param }), ...(retryAfterS === null ? {} : { retryAfterS }) };
  const detail = { message, headers: extra, ...given, ...(details === null ? {} : { details }) };
  return { type: 'fault', code, detail };
}

/** Nicer than the threads that serve small requests: on a machine with few cores they would wait for a body to be read. */
const NICE = 15;
// Elsewhere it is the priority of the whole process.
if (process.platform === 'linux') setPriority(NICE);

const port = parentPort;
port?.on('message', (arrived: Arrived & (ArrivedBody | LargeLine)) => {
  const answer = answerTo(arrived);
  const read = answer.type === 'line' ? answer.read : answer;
  port.postMessage(answer, read?.type === 'request' ? [read.input.buffer, read.echo.buffer] : []);
});
