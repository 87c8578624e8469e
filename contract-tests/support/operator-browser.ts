/** A browser in which a member of the operator is signed in. */
import { BrowserSession } from './browser-session.ts';
import type { TestServer } from './server.ts';

let members = 0;

/** Opens one in this role; the server needs `trust_proxy: 1`. */
export async function operatorBrowser(
  server: TestServer,
  role: 'operator' | 'finance' | 'viewer' = 'operator',
): Promise<BrowserSession> {
  const token = await server.operator.invite(`${role}-${members++}@example.com`, { accountId: null, role });
  return BrowserSession.open(server.api, token);
}
