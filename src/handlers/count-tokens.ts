/** Counts the tokens of a Messages request: the gateway's own estimate (`orders/token-estimate.ts`). No order, no charge. Spec 4.5. */
import type { CountBody } from '#adapters/common/wire-shape.ts';
import { parseCountRequest } from '#adapters/messages/request.ts';
import { type HandlerFor, ReadElsewhere } from '#contract/call.ts';
import type { Listings } from '#market/listing.ts';
import { checkImages } from '#orders/terms.ts';
import { promptEstimateFor } from '#orders/token-estimate.ts';

/** What is measured, and for which model; `imageAt` is the place of an image that only some listings take, null for none. */
type CountedRequest = ReturnType<typeof countedRequest>;

/** countMessageTokens. Refuses only what a message would also be refused for, such as a model or an unknown block. */
export function countTokensHandler({ listings }: { readonly listings: Listings }): HandlerFor<'countMessageTokens'> {
  return ({ body }) => {
    const read = body instanceof ReadElsewhere ? body.as<CountedRequest>() : countedRequest(body);
    const listing = listings.forInference(read.model);
    checkImages(listing, read);
    return { status: 200, json: { input_tokens: promptEstimateFor(read.measured, listing) } };
  };
}

/** Reads and measures a validated body. */
export function countedRequest(body: CountBody) {
  const { model, generation, imageAt = null } = parseCountRequest(body);
  const { body: _, ...measured } = generation;
  return { model, measured, imageAt };
}
