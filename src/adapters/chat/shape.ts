/** Chat completions: POST /v1/chat/completions. Spec 4.2. */
import type { WireShape } from '../wire-shape.ts';
import { type ChatEcho, parseChatRequest } from './request.ts';
import { renderChatAnswer } from './response.ts';
import { openChatStream } from './stream.ts';

/** The chat shape. */
export const chatShape: WireShape<ChatEcho> = {
  kind: 'chat',
  parseRequest: parseChatRequest,
  renderAnswer: renderChatAnswer,
  openStream: openChatStream,
};
