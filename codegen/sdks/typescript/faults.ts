/**
 * From an error as the gateway writes it to an error of this client. This file is handwritten and copied into the client as
 * it is: the generated core knows bodies of answers, and an error may also be in an event, a result or a line.
 */
import { FAMILIES, InvalidRequestError, KINDS, ServerError } from './error-classes.js';
import type { SluiceError } from './errors.js';

/** An error as the gateway writes it: in an envelope, in the result of an order, in an event. */
export interface WireFault {
  readonly message: string;
  readonly code?: string | null;
  readonly type?: string | null;
  readonly param?: string | null;
}

/** The class of an error with this status: that of its code, or else of its kind. */
export function classOf(status: number, { code }: WireFault): typeof SluiceError {
  const otherwise = status >= 500 || status === 408 ? ServerError : InvalidRequestError;
  return KINDS[code ?? '']?.Class ?? FAMILIES[status] ?? otherwise;
}

/** Whether an error with this code surely means that nothing was charged. */
export function isUncharged({ code }: WireFault): boolean {
  return KINDS[code ?? '']?.isUncharged ?? false;
}

/** How an order ended without an answer. */
export function endOf(orderId: string | null, fault: WireFault, charged: boolean | null): SluiceError {
  const { status, retryable } = KINDS[fault.code ?? ''] ?? { status: 500, retryable: true };
  return new (classOf(status, fault))(fault.message, { ...fault, status, orderId, charged, retryable });
}

/** The fault in the text of an answer; null when something else than the gateway wrote it. */
export function faultIn(text: string): WireFault | null {
  try {
    const { error } = JSON.parse(text) as { error?: WireFault };
    return error?.type && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}
