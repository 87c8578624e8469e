/** Text completions, the older shape: POST /v1/completions. Spec 4.3. */
import { requestBodies } from '#generated/validators.js';
import type { CompletionAnswer, CompletionBody, WireShape } from '../common/wire-shape.ts';
import { type CompletionEcho, parseCompletionRequest } from './request.ts';
import { renderCompletion } from './response.ts';
import { openCompletionStream } from './stream.ts';

/** The completion shape. */
export const completionShape: WireShape<CompletionEcho, CompletionBody, CompletionAnswer> = {
  kind: 'completion',
  isBody: requestBodies.createCompletion,
  parseRequest: parseCompletionRequest,
  renderAnswer: renderCompletion,
  defaultEcho: { includeUsage: true },
  openStream: openCompletionStream,
};
