/** Every wire shape by the kind of its orders. */
import { chatShape } from './chat/shape.ts';
import { completionShape } from './completion/shape.ts';
import { messagesShape } from './messages/shape.ts';
import { responsesShape } from './responses/shape.ts';

/** The four shapes. */
export const shapes = {
  chat: chatShape,
  completion: completionShape,
  responses: responsesShape,
  messages: messagesShape,
} as const;
