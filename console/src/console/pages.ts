/** The pages of the console, in the order of its navigation. A page is one file beside this one. */
import type { ComponentType } from 'preact';
import { AccountsPage } from './accounts.tsx';
import { BookPage } from './book.tsx';
import { ConfigurationPage } from './configuration.tsx';
import { LogPage } from './log.tsx';
import { MoneyPage } from './money.tsx';
import { OrdersPage } from './orders.tsx';
import { OverviewPage } from './overview.tsx';
import type { PageProps } from './page.ts';
import { PodsPage } from './pods.tsx';

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
  { name: 'pods', text: 'Pods', View: PodsPage },
  { name: 'book', text: 'Book', View: BookPage },
  { name: 'accounts', text: 'Accounts', View: AccountsPage },
  { name: 'money', text: 'Money', View: MoneyPage },
  { name: 'orders', text: 'Orders', View: OrdersPage },
  { name: 'log', text: 'Log', View: LogPage },
  { name: 'settings', text: 'Settings', View: ConfigurationPage },
];
