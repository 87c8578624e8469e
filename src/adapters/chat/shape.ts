/** Chat completions: POST /v1/chat/completions. Spec 4.2. */
import { requestBodies } from '#generated/validators.js';
import type { ChatAnswer, ChatBody, WireShape } from '../common/wire-shape.ts';
import { type ChatEcho, parseChatRequest } from './request.ts';
import { renderChatAnswer } from './response.ts';
import { openChatStream } from './stream.ts';

/** The chat shape. */
export const chatShape: WireShape<ChatEcho, ChatBody, ChatAnswer> = {
  kind: 'chat',
  isBody: requestBodies.createChatCompletion,
  parseRequest: parseChatRequest,
  renderAnswer: renderChatAnswer,
  defaultEcho: { includeUsage: true, logprobs: true },
  openStream: openChatStream,
};
