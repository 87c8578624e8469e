/** The order id in a path. Malformed, unknown and foreign ids get the same response. Spec 4.6. */
import { Fault } from '#base/fault.ts';
import { isUuid } from '#base/id.ts';

/** An id of 1970, which no order has or will have. */
const NO_ORDER = '00000000-0000-7000-8000-000000000000';

/** The id in lower case; NO_ORDER for a malformed one, so that its refusal takes as long as that of any other. */
export function orderIdOf({ params }: { readonly params: { readonly id: string } }): string {
  const id = params.id.toLowerCase();
  return isUuid(id) ? id : NO_ORDER;
}

/** The fault for an order that does not exist or is not the caller's. */
export function noSuchOrder(): Fault {
  return new Fault('not_found', { message: 'You have no order with this id.' });
}

/** The same for the operator, who sees the orders of all. */
export function noOrder(): Fault {
  return new Fault('not_found', { message: 'There is no order with this id.' });
}
