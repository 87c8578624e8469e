/** The model that a query parameter names. */
import { Fault } from '#base/fault.ts';
import type { Listings } from '#market/listing.ts';

/** The real id of a served model, by id or alias; null when none is named. Throws unknown_model. */
export function modelNamed(name: string | null, listings: Listings): string | null {
  if (name === null) return null;
  const listing = listings.find(name);
  if (!listing) throw new Fault('unknown_model', { param: 'model' });
  return listing.id;
}
