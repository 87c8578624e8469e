/** Counts the tokens of a Messages request: the gateway's own estimate. No order, no charge. Spec 4.5. */
import type { CountBody } from '#adapters/common/wire-shape.ts';
import { parseCountRequest } from '#adapters/messages/request.ts';
import { type HandlerFor, ReadElsewhere } from '#contract/call.ts';
import type { Listings } from '#market/listing.ts';
import { checkImages } from '#orders/terms.ts';

/** What is counted, and for which model; `imageAt` is the place of an image that only some listings take, null for none. */
type CountedRequest = ReturnType<typeof countedRequest>;

/** countMessageTokens. Refuses only what would be refused as a message too, such as a model or an unknown block. */
export function countTokensHandler({ listings }: { readonly listings: Listings }): HandlerFor<'countMessageTokens'> {
  return ({ body }) => {
    const read = body instanceof ReadElsewhere ? body.as<CountedRequest>() : countedRequest(body);
    checkImages(listings.forInference(read.model), read);
    return { status: 200, json: { input_tokens: read.promptEstimate } };
  };
}

/** Reads and measures a validated body. */
export function countedRequest(body: CountBody) {
  const { model, generation, imageAt = null } = parseCountRequest(body);
  return { model, promptEstimate: generation.promptEstimate, imageAt };
}
