/** When the model of a request stops taking requests, as response headers. */

import type { Headers } from '#contract/reply.ts';
import type { Listings } from '#market/listing.ts';

const NONE: Headers = {};

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a model by id or alias, null for the default; none without a date. */
export function sunsetHeaders(listings: Listings, model: string | null): Headers {
  const { sunsetAtS = null } = (model === null ? listings.default : listings.find(model)) ?? {};
  if (sunsetAtS === null) return NONE;
  return { deprecation: `@${sunsetAtS}`, sunset: new Date(sunsetAtS * 1000).toUTCString() };
}
