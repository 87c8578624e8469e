/** Every wire shape by the kind of its orders. */
import { requestBodies } from '#generated/validators.js';
import { type ChatEcho, parseChatRequest } from './chat/request.ts';
import { renderChatAnswer } from './chat/response.ts';
import { ChatStream } from './chat/stream.ts';
import type {
  ChatAnswer,
  ChatBody,
  CompletionAnswer,
  CompletionBody,
  MessageAnswer,
  MessageBody,
  ResponseAnswer,
  ResponseBody,
  WireShape,
} from './common/wire-shape.ts';
import { type CompletionEcho, parseCompletionRequest } from './completion/request.ts';
import { renderCompletion } from './completion/response.ts';
import { CompletionStream } from './completion/stream.ts';
import { parseMessagesRequest } from './messages/request.ts';
import { renderMessage } from './messages/response.ts';
import { MessageStream } from './messages/stream.ts';
import { parseResponsesRequest } from './responses/request.ts';
import { defaultEcho, type ResponseEcho, renderResponse, responseObject } from './responses/response.ts';
import { ResponseStream } from './responses/stream.ts';

/** Chat completions: POST /v1/chat/completions. Spec 4.2. */
export const chatShape: WireShape<ChatEcho, ChatBody, ChatAnswer> = {
  kind: 'chat',
  isBody: requestBodies.createChatCompletion,
  parseRequest: parseChatRequest,
  renderAnswer: renderChatAnswer,
  defaultEcho: { includeUsage: true, logprobs: true },
  openStream: (order, echo) => new ChatStream(order, echo),
};

/** Text completions, the older shape: POST /v1/completions. Spec 4.3. */
export const completionShape: WireShape<CompletionEcho, CompletionBody, CompletionAnswer> = {
  kind: 'completion',
  isBody: requestBodies.createCompletion,
  parseRequest: parseCompletionRequest,
  renderAnswer: renderCompletion,
  defaultEcho: { includeUsage: true },
  openStream: (order, echo) => new CompletionStream(order, echo),
};

/** Messages: POST /v1/messages. Spec 4.5. Its answers repeat nothing of the request, so there is no echo. */
export const messagesShape: WireShape<null, MessageBody, MessageAnswer> = {
  kind: 'messages',
  isBody: requestBodies.createMessage,
  parseRequest: parseMessagesRequest,
  renderAnswer: renderMessage,
  defaultEcho: null,
  openStream: (order, _echo, requestId) => new MessageStream(order, requestId),
};

/** Responses: POST /v1/responses, for models none of which takes custom tools. Spec 4.4. */
export const responsesShape: WireShape<ResponseEcho, ResponseBody, ResponseAnswer> = {
  kind: 'responses',
  isBody: requestBodies.createResponse,
  parseRequest: parseResponsesRequest,
  renderAnswer: renderResponse,
  renderQueued: (order, echo) => responseObject(order, echo, { status: 'queued' }),
  defaultEcho,
  openStream: (order, echo) => new ResponseStream(order, echo),
  openRepeating: (order, echo) => new ResponseStream(order, echo),
};

/** The four shapes, for models none of which takes custom tools. */
export const shapes = {
  chat: chatShape,
  completion: completionShape,
  responses: responsesShape,
  messages: messagesShape,
} as const;

/** The four shapes, for the models that are sold: those of `customToolModels` take custom tools, null is the default model. */
export function shapesFor(listings: { readonly customToolModels: ReadonlySet<string | null> }): typeof shapes {
  const parseRequest: typeof responsesShape.parseRequest = (body, headers) =>
    parseResponsesRequest(body, headers, listings.customToolModels);
  return { ...shapes, responses: { ...responsesShape, parseRequest } };
}
