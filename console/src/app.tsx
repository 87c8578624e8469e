/** The frame of every screen of the market: where one is, and whether what one sees is live. */
import { place, placeLink } from './address.ts';
import { Board } from './board/board.tsx';
import { type LinkState, lateMs, link } from './data/live.ts';
import { duration } from './format.ts';
import { Frame } from './parts/frame.tsx';
import { NoSuchPlace } from './parts/heading.tsx';
import { member } from './remembered.ts';
import { later } from './settings/later.tsx';

const ModelView = later(async () => (await import('./model/model.tsx')).ModelView);
const Playground = later(async () => (await import('./playground/playground.tsx')).Playground);
const Calculator = later(async () => (await import('./calculator/calculator.tsx')).Calculator);
const FirstCallView = later(async () => (await import('./start/start.tsx')).FirstCallView);
const Status = later(async () => (await import('./status/status.tsx')).Status);

const SharedReceipt = later(async () => (await import('./settings/shared-receipt.tsx')).SharedReceipt);

const SCREENS = [
  ['', 'Market'],
  ['playground', 'Playground'],
  ['status', 'Status'],
  ['calculator', 'Calculator'],
  ['start', 'First call'],
] as const;

/** The whole page; with `accounts` it leads to where people sign in. */
export function MarketPage({ accounts }: { readonly accounts: boolean }) {
  const who = member.value;
  const tabs = [
    ...SCREENS.filter(([name]) => accounts || name !== 'playground').map(([name, text]) => ({
      text,
      href: placeLink(name),
      isHere: place.value.name === name,
    })),
    { text: 'Documentation', href: '/docs' },
    ...(accounts ? [{ text: who === null ? 'Your account' : who.place, href: who?.address ?? '/settings' }] : []),
  ];
  return (
    <Frame tabs={tabs} corner={<Link />} isStale={lateMs.value !== null}>
      <Screen accounts={accounts} />
    </Frame>
  );
}

function Screen({ accounts }: { readonly accounts: boolean }) {
  const { name, rest } = place.value;
  if (name === '') return <Board accounts={accounts} />;
  if (name === 'model' && rest !== '') return <ModelView model={rest} accounts={accounts} />;
  if (name === 'playground' && accounts) return <Playground />;
  if (name === 'status') return <Status />;
  if (name === 'calculator') return <Calculator />;
  if (name === 'start') return <FirstCallView accounts={accounts} />;
  if (name === 'receipt' && rest !== '') return <SharedReceipt token={rest} />;
  return <NoSuchPlace home={placeLink('')} />;
}

/** Who is signed in, whether the levels are live, and how old they are when they are not. */
function Link() {
  const { word, sentence } = LINKS[link.value];
  const late = lateMs.value;
  return (
    <span class="corner state small">
      {member.value && <span class="faint room-much">{member.value.email}</span>}
      <span class={`link link-${late === null ? link.value : 'offline'}`} role="status" title={sentence}>
        {word}
      </span>
      {late !== null && <strong class="fall">as of {duration(late)} ago</strong>}
    </span>
  );
}

const LINKS: Readonly<Record<LinkState, { word: string; sentence: string }>> = {
  connecting: { word: 'Connecting', sentence: 'The levels are asked for.' },
  live: { word: 'Live', sentence: 'Levels arrive as they move.' },
  polling: { word: 'Every 5 s', sentence: 'The stream was refused or fell silent, so the levels are asked for.' },
  offline: { word: 'Offline', sentence: 'The gateway cannot be reached. What you see is the last that was known.' },
};
