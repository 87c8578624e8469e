/** The four inference operations on the fixed-price model `harbor`, whose costs depend on no level. */
import type { OperationId } from '#generated/operations.ts';
import { chat } from './chat.ts';
import { message } from './message.ts';
import type { Reply } from './reply.ts';

/** An inference operation, and how its answers say why they ended. */
export interface GuardedShape {
  readonly id: OperationId;
  /** A valid request, changed by `fields`. */
  readonly body: (fields?: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** The field of the output cap. */
  readonly cap: string;
  /** Where an answer says why it ended, and what it says at its cap. */
  readonly reasonOf: (answer: Answer) => unknown;
  readonly cut: string;
}

/** What tests read of the answers of all shapes. */
export interface Answer {
  readonly choices?: readonly { readonly finish_reason: string }[];
  readonly incomplete_details?: { readonly reason: string } | null;
  readonly stop_reason?: string;
  readonly usage: { readonly x_market: BoundedReceipt };
}

/** The receipt of a request with a bound of its charge. */
export interface BoundedReceipt {
  readonly order_id: string;
  readonly charged_usd: number;
  readonly max_charge_usd?: number;
  readonly max_charge_reached?: boolean;
}

/** The answer of whichever shape. */
export function answerIn(reply: Reply): Answer {
  return JSON.parse(reply.text) as Answer;
}

const finishReason = ({ choices }: Answer) => choices?.[0]?.finish_reason;

/** All of them. */
export const guardedShapes: readonly GuardedShape[] = [
  {
    id: 'createChatCompletion',
    body: (fields) => chat({ model: 'harbor', ...fields }),
    ...{ cap: 'max_tokens', reasonOf: finishReason, cut: 'length' },
  },
  {
    id: 'createCompletion',
    body: (fields) => ({ model: 'harbor', prompt: 'Say hello.', ...fields }),
    ...{ cap: 'max_tokens', reasonOf: finishReason, cut: 'length' },
  },
  {
    id: 'createResponse',
    body: (fields) => ({ model: 'harbor', input: 'Say hello.', ...fields }),
    cap: 'max_output_tokens',
    reasonOf: (answer) => answer.incomplete_details?.reason,
    cut: 'max_output_tokens',
  },
  {
    id: 'createMessage',
    body: (fields) => message({ model: 'harbor', ...fields }),
    ...{ cap: 'max_tokens', reasonOf: ({ stop_reason }: Answer) => stop_reason, cut: 'max_tokens' },
  },
];
