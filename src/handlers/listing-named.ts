/** The model that a query parameter names. */
import { Fault } from '#base/fault.ts';
import type { Listing, Listings } from '#market/listing.ts';

/** The served model with this id or alias; null when none is named. Throws unknown_model. */
export function listingNamed(name: string | null, listings: Listings): Listing | null {
  const listing = name === null ? null : listings.find(name);
  if (name !== null && !listing) throw new Fault('unknown_model', { param: 'model' });
  return listing;
}
