/** How a request is answered whose names look like misspelt ones of the gateway: with a warning, or a refusal for callers who ask for it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '#access/principal.ts';
import { invalidRequest } from '#base/fault.ts';
import type { Headers } from '#contract/reply.ts';
import type { Misspelt } from '#orders/request.ts';

const HEADER = 'x-strict';

/** Whether misspelt names are refused: by the header, or for every request of the key. Throws invalid_request for another value. */
export function isStrict({ [HEADER]: sent }: IncomingHttpHeaders, { key }: Pick<Principal, 'key'>): boolean {
  if (sent !== undefined && sent !== 'true' && sent !== 'false')
    throw invalidRequest(HEADER, `${HEADER} must be true or false.`);
  return sent === 'true' || key.strict;
}

/** The header that warns; none where nothing is misspelt. Throws invalid_request with the same sentences where that is refused. */
export function warningOf(misspelt: Misspelt | null | undefined, strict: boolean): Headers {
  if (!misspelt) return NONE;
  if (strict) throw invalidRequest(misspelt.param, misspelt.warning);
  return { 'x-warning': misspelt.warning };
}

const NONE: Headers = {};
