/** Counts the tokens of a Messages request: the gateway's own estimate. No order, no charge. Spec 4.5. */
import { parseCountRequest } from '#adapters/messages/request.ts';
import type { CountBody } from '#adapters/wire-shape.ts';
import type { Listings } from '#market/listing.ts';
import type { SecuredHandler } from './call.ts';

/** countMessageTokens. Refuses only what would be refused as a message too, such as a model or an unknown block. */
export function countTokensHandler({ listings }: { readonly listings: Listings }): SecuredHandler {
  return ({ body }) => {
    const { model, generation } = parseCountRequest(body as CountBody);
    listings.forInference(model);
    return { status: 200, json: { input_tokens: generation.promptEstimate } };
  };
}
