/** The output items of an answer. A stream and an object have the same items with the same ids. Spec 2.9, 4.4. */
import type { JsonObject } from '#orders/request.ts';
import { contentOf, type Generation, type ToolCall, wholeArguments } from '#results/generation.ts';
import { customInput } from './tools.ts';

/** The status of an item; `incomplete`: the model was stopped within it. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Gives each item its id. The first of its kind has no number; further messages or reasoning items have one. */
export class ItemIds {
  readonly #orderId: string;
  readonly #given = { reasoning: 0, text: 0 };

  constructor(orderId: string) {
    this.#orderId = orderId;
  }

  next(type: 'reasoning' | 'text'): string {
    const before = this.#given[type]++;
    return `${type === 'text' ? 'msg' : 'rs'}_${this.#orderId}${before === 0 ? '' : `_${before}`}`;
  }

  /** Calls are numbered by the model. */
  call({ index, custom }: { readonly index: number; readonly custom?: true }): string {
    return `${custom ? 'ctc' : 'fc'}_${this.#orderId}_${index}`;
  }
}

/** The items of a complete answer, in the order in which the model began them. */
export function outputItems(orderId: string, generation: Generation): JsonObject[] {
  const ids = new ItemIds(orderId);
  const cut = incompleteReason(generation) !== null;
  const pieces = contentOf(generation);
  return pieces.map((piece, place) => {
    const last = place === pieces.length - 1;
    if (piece.type !== 'tool-call')
      return spokenItem[piece.type](ids.next(piece.type), piece.text, spokenStatus({ cut, last }));
    const { index, call } = piece;
    const text = wholeArguments(call.arguments);
    const status = callStatus(text, { cut, last });
    return callItem(ids.call({ ...call, index }), { ...call, arguments: text }, status);
  });
}

/** How an answer ended, for one of its items: whether the model was cut off, and whether the item is the last. */
export interface ItemEnd {
  readonly cut: boolean;
  readonly last: boolean;
}

/** Only the last item can be a text that was cut off. */
export function spokenStatus({ cut, last }: ItemEnd): ItemStatus {
  return cut && last ? 'incomplete' : 'completed';
}

/** Calls can be written at the same time, so when the model is cut off any of them can be incomplete. */
export function callStatus(argumentsText: string, { cut, last }: ItemEnd): ItemStatus {
  return cut && (last || !isJson(argumentsText)) ? 'incomplete' : 'completed';
}

/** Why an answer is incomplete; null when it is not. */
export function incompleteReason({ finishReason }: Generation): 'max_output_tokens' | 'content_filter' | null {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : null;
}

/** The items of text and of reasoning. */
export const spokenItem = {
  text: (id: string, text: string, status: ItemStatus): JsonObject => ({
    id,
    type: 'message',
    status,
    role: 'assistant',
    content: [spokenPart.text(text)],
  }),
  reasoning: (id: string, text: string, status: ItemStatus): JsonObject => ({
    id,
    type: 'reasoning',
    summary: [],
    content: [spokenPart.reasoning(text)],
    status,
  }),
};

/** The one content part of such an item. */
export const spokenPart = {
  text: (text: string): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] }),
  reasoning: (text: string): JsonObject => ({ type: 'reasoning_text', text }),
};

/** The item of a call, with the arguments so far. The input of a custom tool is shown when it is complete. */
export function callItem(id: string, call: ToolCall, status: ItemStatus): JsonObject {
  const { id: callId, name, arguments: text, custom } = call;
  if (!custom) return { id, type: 'function_call', status, call_id: callId, name, arguments: text };
  const input = status === 'in_progress' ? '' : customInput(text);
  return { id, type: 'custom_tool_call', status, call_id: callId, name, input };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
