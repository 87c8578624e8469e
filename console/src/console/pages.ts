/** The pages of the console, in the order of its navigation. A page is one file beside this one; all but the first are loaded when they are opened. */
import type { ComponentType } from 'preact';
import { later } from '../settings/later.tsx';
import { OverviewPage } from './overview.tsx';
import type { PageProps } from './page.ts';

/** A page. */
export interface OperatorPage {
  /** In the address: `#/name`. */
  readonly name: string;
  /** In the navigation. */
  readonly text: string;
  readonly View: ComponentType<PageProps>;
}

/** All of them; the first is shown where the address names none. */
export const PAGES: readonly [OperatorPage, ...OperatorPage[]] = [
  { name: 'overview', text: 'Overview', View: OverviewPage },
  { name: 'pods', text: 'Pods', View: later(async () => (await import('./pods.tsx')).PodsPage) },
  { name: 'book', text: 'Book', View: later(async () => (await import('./book.tsx')).BookPage) },
  { name: 'accounts', text: 'Accounts', View: later(async () => (await import('./accounts.tsx')).AccountsPage) },
  { name: 'money', text: 'Money', View: later(async () => (await import('./money.tsx')).MoneyPage) },
  { name: 'orders', text: 'Orders', View: later(async () => (await import('./orders.tsx')).OrdersPage) },
  { name: 'alerts', text: 'Alerts', View: later(async () => (await import('./alerts.tsx')).AlertsPage) },
  { name: 'log', text: 'Log', View: later(async () => (await import('./log.tsx')).LogPage) },
  {
    name: 'settings',
    text: 'Settings',
    View: later(async () => (await import('./configuration.tsx')).ConfigurationPage),
  },
];
