/** Where a payment provider leads back to: some would cut off what follows `#`. */
const BACK = '/settings/billing';

/** Whether the page of the payment provider led here after a payment. To be read before the address is. */
export const cameBackPaid = location.pathname === BACK && location.search === '?paid';
if (location.pathname === BACK) history.replaceState(null, '', '/settings#/billing');
