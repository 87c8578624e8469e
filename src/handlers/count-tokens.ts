/** Counting the tokens of a message request: the gateway's own estimate. No order, no charge. Spec 4.5. */
import { parseCountRequest } from '#adapters/messages/request.ts';
import type { Listings } from '#market/listing.ts';
import type { SecuredHandler } from './call.ts';

/** countMessageTokens. What is refused here would be refused as a message too: the model, a block nobody can read. */
export function countTokensHandler({ listings }: { readonly listings: Listings }): SecuredHandler {
  return ({ body }) => {
    const { model, generation } = parseCountRequest(body);
    listings.forInference(model);
    return { status: 200, json: { input_tokens: generation.promptEstimate } };
  };
}
