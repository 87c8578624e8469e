/**
 * What Ctrl-K opens: one field that finds models, pages and, for those who are signed in, orders, keys and accounts. It is
 * loaded when it is first opened, and asks for keys and accounts only then.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { paths } from '#generated/console-api/types.ts';
import { answered, api } from '../data/api.ts';
import { priceText } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { member, type RememberedMember } from '../remembered.ts';

/** Something that can be found. */
interface Finding {
  readonly text: string;
  /** What it is, such as `Model`. */
  readonly kind: string;
  readonly href: string;
  /** Besides the text, what it is found by. */
  readonly more?: string;
}

const SHOWN_MAX = 12;
const page = (text: string, href: string): Finding => ({ text, kind: 'Page', href });

const OPEN_PAGES = [
  page('Market', '/#/'),
  page('Playground', '/#/playground'),
  page('Status', '/#/status'),
  page('Calculator', '/#/calculator'),
  page('First call', '/#/start'),
  page('Documentation', '/docs'),
  page('API reference', '/docs/reference'),
];
const WAITING = { ...page('Orders that wait', '/settings#/activity?status=working'), more: 'cancel reprice' };
const WAITING_MAX = 50;
const ACCOUNT_PAGES = 'Home Keys Activity Batches Bill Billing Alerts Webhooks Storage Members Security Danger'.split(
  ' ',
);
/** Developers see no money, and only an owner closes an account. */
const NOT_FOR: Readonly<Record<string, readonly string[]>> = { developer: ['Billing', 'Danger'], viewer: ['Danger'] };
const CONSOLE_PAGES = 'Overview Pods Book Accounts Money Orders Alerts Log Settings'.split(' ');

/** The field and the links that it finds; `onClose` when the reader leaves it. Arrows lead through them. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, write] = useState('');
  const found = foundIn(useFindings(), text.trim());
  return (
    <Dialog label="Find" look="palette" onClose={onClose}>
      <input
        type="text"
        aria-label="Find a model or a page"
        placeholder="A model, a page, a key, or an order by its id"
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') document.querySelector<HTMLElement>(LINKS)?.click();
          step(event);
        }}
      />
      <ul>
        {found.map(({ text: name, kind, href }) => (
          <li key={kind + href + name}>
            <a href={href} onClick={onClose} onKeyDown={step}>
              <span>{name}</span>
              <span class="faint small">{kind}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="faint small" role="status">
        {found.length === 0 && 'Nothing is called so.'}
      </p>
    </Dialog>
  );
}

const LINKS = '.palette a';

/** Moves the focus between the field and the links. */
function step(event: KeyboardEvent): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const all = [...document.querySelectorAll<HTMLElement>(`.palette > input, ${LINKS}`)];
  all[all.indexOf(document.activeElement as HTMLElement) + by]?.focus();
}

function foundIn(all: readonly Finding[], text: string): readonly Finding[] {
  const words = text.toLowerCase().split(/\s+/);
  const fits = ({ text, kind, more = '' }: Finding) =>
    words.every((word) => `${text} ${kind} ${more}`.toLowerCase().includes(word));
  return [...orderOf(text), ...all.filter(fits)].slice(0, SHOWN_MAX);
}

/** What looks like the beginning of an id is one. */
function orderOf(text: string): readonly Finding[] {
  const who = member.value;
  if (who === null || !/^[\da-f]{8}[\da-f-]*$/i.test(text)) return [];
  const place = who.address === '/console' ? '/console#/orders' : '/settings#/activity';
  return [{ text: `Orders ${text}…`, kind: 'Order', href: `${place}?id=${encodeURIComponent(text)}` }];
}

/** Everything that there is to find; more once it is known. */
function useFindings(): readonly Finding[] {
  const [asked, add] = useState<readonly Finding[]>([]);
  const isThere = useRef(true);
  useEffect(() => {
    const put = (found: readonly Finding[]) => {
      if (isThere.current) add((before) => [...before, ...found]);
    };
    // What cannot be had is not found; the rest is.
    for (const load of [models, ...(member.value === null ? [] : [ofMember])]) load().then(put, () => {});
    return () => {
      isThere.current = false;
    };
  }, []);
  return [...asked, ...OPEN_PAGES, ...(member.value === null ? [] : pagesOf(member.value))];
}

function pagesOf({ address, role }: RememberedMember): readonly Finding[] {
  const isOperator = address === '/console';
  const names = isOperator ? CONSOLE_PAGES : ACCOUNT_PAGES.filter((name) => !NOT_FOR[role]?.includes(name));
  return [...names.map((name) => page(name, `${address}#/${name.toLowerCase()}`)), ...(isOperator ? [] : [WAITING])];
}

async function models(): Promise<readonly Finding[]> {
  const { data } = await answered(api.GET('/v1/models'));
  return data.map(({ id, display_name }) => ({
    text: display_name,
    kind: 'Model',
    href: `/#/model/${encodeURIComponent(id)}`,
    more: id,
  }));
}

/** Orders that wait and their own keys for members of an account, accounts for those of the operator. */
async function ofMember(): Promise<readonly Finding[]> {
  if (member.value?.address === '/console') {
    const { data } = await json('/console/api/accounts');
    return data.map(({ account_id, name }) => ({
      ...{ text: name, kind: 'Account', more: account_id },
      href: `/console#/accounts/${account_id}`,
    }));
  }
  const [{ list }, { data }] = await Promise.all([
    json('/settings/api/orders', `?status=queued&limit=${WAITING_MAX}`),
    json('/settings/api/keys'),
  ]);
  return [
    ...list.data.map(({ id, model, bid }) => ({
      ...{ text: `${model} at ${priceText(bid)}`, kind: 'Order that waits', more: `${id} ${WAITING.more}` },
      href: `/settings#/order/${id}`,
    })),
    ...data.map(({ name, hint }) => ({ text: name, kind: 'Key', href: '/settings#/keys', more: hint })),
  ];
}

type Lists = '/console/api/accounts' | '/settings/api/keys' | '/settings/api/orders';
type ListOf<Path extends Lists> = paths[Path]['get']['responses'][200]['content']['application/json'];

/** Without the client of the settings: whose session has ended finds less, and is not sent anywhere. */
async function json<Path extends Lists>(path: Path, query = ''): Promise<ListOf<Path>> {
  const answer = await fetch(path + query);
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status}.`);
  return answer.json();
}
