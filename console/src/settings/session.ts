/**
 * The calls of the settings with the generated types of the second document, and who is signed in. The browser sends the
 * cookie by itself; the token that proves that a change comes from this page is added here.
 */
import { signal } from '@preact/signals';
import createClient from 'openapi-fetch';
import type { components, paths } from '#generated/console-api/types.ts';
import { sentenceOf } from '../data/polled.ts';
import { remember } from '../remembered.ts';

/** The schemas of the second document. */
export type Schemas = components['schemas'];

/** The signed-in member: null for nobody, undefined while that is not known. */
export const session = signal<Schemas['Session'] | null | undefined>(undefined);
/** Why that could not be found out; null when it could. */
export const sessionFailure = signal<string | null>(null);

/** The API of the settings, of the gateway that served the page. */
export const settings = createClient<paths>({ baseUrl: '' });
settings.use({
  onRequest({ request }) {
    if (request.method !== 'GET' && session.value) request.headers.set('x-csrf-token', session.value.csrf_token);
    return request;
  },
});

/** The market shows it, too. */
function became(who: Schemas['Session'] | null): void {
  session.value = who;
  const page = who?.account === null ? { place: 'Console', address: '/console' } : null;
  remember(who && { email: who.email, role: who.role, ...(page ?? { place: 'Your account', address: '/settings' }) });
}

/** An answer about a session that was asked for before its end counts no more. */
let endings = 0;

/** Asks who is signed in. Never rejects. */
export async function loadSession(): Promise<void> {
  sessionFailure.value = null;
  const before = endings;
  try {
    const who = await granted(settings.GET('/settings/api/session'));
    if (endings === before) became(who);
  } catch (error) {
    // Nobody is signed in, which is no failure.
    if (session.value === undefined) sessionFailure.value = sentenceOf(error);
  }
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await granted(settings.DELETE('/settings/api/session'));
  endings++;
  became(null);
}

/** The answer, or an Error with the sentence of the gateway. A session that has ended is gone from the page, too. */
export async function granted<T>(
  call: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  if (fieldOf(error, 'code') === 'not_signed_in') became(null);
  throw new Error(fieldOf(error, 'detail') ?? `The gateway granted ${response.status}.`);
}

/** Every refusal is a problem document. */
function fieldOf(problem: unknown, name: 'code' | 'detail'): string | null {
  return typeof problem === 'object' && problem !== null && name in problem ? String(Reflect.get(problem, name)) : null;
}
