/** Requests to /v1 as any program sends them, with a key that the gateway lends to the signed-in member. */
import { granted, settings } from '../settings/session.ts';

let lent: Promise<string> | null = null;

/** The same key for all requests of this page, until the gateway refuses it. */
function lentKey(): Promise<string> {
  lent ??= granted(settings.POST('/settings/api/playground/key')).then(({ api_key }) => api_key);
  lent.catch(() => {
    lent = null;
  });
  return lent;
}

/** Sends a request with the key. Rejects where the member gets none; any answer resolves. */
export async function lentFetch(path: string, init: Omit<RequestInit, 'headers'> = {}): Promise<Response> {
  const send = async () => {
    const headers = new Headers({ authorization: `Bearer ${await lentKey()}` });
    if (typeof init.body === 'string') headers.set('content-type', 'application/json');
    return fetch(path, { ...init, headers });
  };
  const response = await send();
  if (response.status !== 401) return response;
  // It was lent for an hour, or again to other pages of the member since.
  lent = null;
  return send();
}
