/** The order that a path names. Malformed, unknown and foreign ids are told apart by nobody. Spec 4.6. */
import { Fault } from '#base/fault.ts';
import { isUuid } from '#base/id.ts';
import type { SecuredCall } from './call.ts';

/** No order has this id, nor will one: it was made in 1970. */
const NO_ORDER = '00000000-0000-7000-8000-000000000000';

/** The id in lower case. What cannot be one is looked up like any other, so that it is refused no sooner than they are. */
export function orderIdOf({ params }: Pick<SecuredCall, 'params'>): string {
  const id = (params.id ?? '').toLowerCase();
  return isUuid(id) ? id : NO_ORDER;
}

/** What is said of an order that is not the caller's, or not at all. */
export function noSuchOrder(): Fault {
  return new Fault('not_found', { message: 'You have no order with this id.' });
}
