/** Messages: POST /v1/messages. Spec 4.5. */
import { requestBodies } from '#generated/validators.js';
import type { MessageAnswer, MessageBody, WireShape } from '../common/wire-shape.ts';
import { parseMessagesRequest } from './request.ts';
import { renderMessage } from './response.ts';
import { openMessageStream } from './stream.ts';

/** The Messages shape. Its answers repeat nothing of the request, so there is no echo. */
export const messagesShape: WireShape<null, MessageBody, MessageAnswer> = {
  kind: 'messages',
  isBody: requestBodies.createMessage,
  parseRequest: parseMessagesRequest,
  renderAnswer: renderMessage,
  defaultEcho: null,
  openStream: (order, _echo, requestId) => openMessageStream(order, requestId),
};
