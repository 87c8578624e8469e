/**
 * Names of blobs. A result is written by one attempt of its order, and a process that was taken for dead may still write
 * the result of its attempt when another process has run the next one. So each attempt has a name of its own, and the
 * order's row says which attempt counts. docs/decisions/0039.
 */
import { isUuid } from '#base/id.ts';

const NAME = /^(?<order>[^.]+)(?:\.[1-9][0-9]{0,8})?$/;

/** The name of what an attempt left: the id of the order, with the number of any attempt but the first. */
export function blobName(orderId: string, attempt: number): string {
  return attempt === 1 ? orderId : `${orderId}.${attempt}`;
}

/** The order of a blob; null for what is no name of one. */
export function orderOf(name: string): string | null {
  const order = NAME.exec(name)?.groups?.order;
  return order !== undefined && isUuid(order) ? order : null;
}

/** Where the result of an order that ended with `attempt` may be, in this order: earlier versions had one name for all. */
export function blobNames(orderId: string, attempt: number): string[] {
  return attempt === 1 ? [orderId] : [blobName(orderId, attempt), orderId];
}
