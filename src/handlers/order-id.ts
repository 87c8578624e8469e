/** The order that a path names. Malformed, unknown and foreign ids are told apart by nobody. Spec 4.6. */
import { Fault } from '#base/fault.ts';
import { isUuid } from '#base/id.ts';
import type { SecuredCall } from './call.ts';

/** The id in lower case. Throws not_found for what cannot be one. */
export function orderIdOf({ params }: Pick<SecuredCall, 'params'>): string {
  const id = (params.id ?? '').toLowerCase();
  if (!isUuid(id)) throw noSuchOrder();
  return id;
}

/** What is said of an order that is not the caller's, or not at all. */
export function noSuchOrder(): Fault {
  return new Fault('not_found', { message: 'You have no order with this id.' });
}
