/** Where a payment provider leads back to: some would cut off what follows `#`. */
import { become } from '../address.ts';

const BACK = '/settings/billing';

/** Whether the page of the payment provider led here after a payment. */
export const cameBackPaid = location.pathname === BACK && location.search === '?paid';
if (location.pathname === BACK) become('/settings#/billing');
