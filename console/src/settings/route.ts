/** Which screen of the settings is shown: the part of the address behind `#`. */
import { signal } from '@preact/signals';

/** Where a payment provider leads back to: some would cut off what follows `#`. */
const BACK = '/settings/billing';

const NAMES = [
  'keys',
  'activity',
  'batches',
  'usage',
  'billing',
  'webhooks',
  'storage',
  'members',
  'security',
  'danger',
] as const;

/** A screen, with the order that it is about. */
export type SettingsScreen =
  | { readonly screen: (typeof NAMES)[number] }
  | { readonly screen: 'order'; readonly id: string }
  | { readonly screen: 'statement'; readonly month: string };

/** Whether the page of the payment provider led here after a payment. */
export const cameBackPaid = location.pathname === BACK && location.search === '?paid';
if (location.pathname === BACK) history.replaceState(null, '', '/settings#/billing');

/** The screen now. */
export const screen = signal<SettingsScreen>(screenOf(location.hash));

addEventListener('hashchange', () => {
  screen.value = screenOf(location.hash);
  scrollTo(0, 0);
});

/** The address of the view of an order. */
export function orderAddress(id: string): string {
  return `#/order/${id}`;
}

function screenOf(hash: string): SettingsScreen {
  const [, name = '', id = ''] = /^#\/([a-z]+)(?:\/([0-9a-f-]{36}|\d{4}-\d{2}))?$/.exec(hash) ?? [];
  if (name === 'order' && id.length === 36) return { screen: 'order', id };
  if (name === 'statement') return { screen: 'statement', month: id.length === 7 ? id : '' };
  return { screen: NAMES.find((known) => known === name) ?? 'keys' };
}
