/** Figures and words that every screen shows in one way. */
import { useRef } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import {
  change,
  count,
  countWhole,
  moment,
  momentUtc,
  moneyText,
  moneyWholeText,
  priceText,
  priceWholeText,
  share,
} from '../format.ts';

/** A price; the whole figure where the reader points. A dash when there is none. */
export function UnitPrice({ value }: { readonly value: number | null }) {
  return value === null ? <Nothing /> : <span title={priceWholeText(value)}>{priceText(value)}</span>;
}

/** A price that moves: it flashes in the color of its direction. */
export function Ticking({ value }: { readonly value: number }) {
  const last = useRef({ value, look: '' });
  if (last.current.value !== value)
    last.current = { value, look: value > last.current.value ? 'ticked-up' : 'ticked-down' };
  return (
    // With another key it is another element, whose animation begins.
    <span key={value} class={last.current.look}>
      <UnitPrice value={value} />
    </span>
  );
}

/** An amount; `exact` shows all its digits, as bills do. A dash when there is none. */
export function Money({ value, exact = false }: { readonly value: number | null; readonly exact?: boolean }) {
  if (value === null) return <Nothing />;
  const whole = moneyWholeText(value);
  return (
    <span class={exact ? 'exact' : undefined} title={whole}>
      {exact ? whole : moneyText(value)}
    </span>
  );
}

/** A number of tokens or requests. */
export function Count({ value }: { readonly value: number }) {
  return <span title={countWhole(value)}>{count(value)}</span>;
}

/** A change in per cent, coloured; the sign says the same as the colour. */
export function Change({ pct }: { readonly pct: number | null }) {
  if (pct === null) return <Nothing />;
  const text = change(pct);
  return <span class={text.startsWith('+') ? 'rise' : text.startsWith('-') ? 'fall' : 'faint'}>{text}</span>;
}

/** A share such as an uptime. */
export function Share({ pct }: { readonly pct: number | null }) {
  return pct === null ? <Nothing /> : <span title={`${pct}%`}>{share(pct)}</span>;
}

/** A moment, and in UTC where the reader points. */
export function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={momentUtc(ms)}>
      {moment(ms)}
    </time>
  );
}

const HOUR_MS = 3_600_000;

/** How long ago a moment within the last hour was, as of when it is drawn; any other as it is. */
export function Ago({ ms }: { readonly ms: number }) {
  return <AgoAt ms={ms} agoMs={nowMs() - ms} />;
}

/** Follows the zone, and is therefore drawn again only when it is given something else. */
function AgoAt({ ms, agoMs }: { readonly ms: number; readonly agoMs: number }) {
  if (agoMs < 0 || agoMs >= HOUR_MS) return <Moment ms={ms} />;
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${moment(ms)} · ${momentUtc(ms)}`}>
      {agoMs < 60_000 ? `${Math.floor(agoMs / 1000)} s` : `${Math.floor(agoMs / 60_000)} min`} ago
    </time>
  );
}

/** A part of something as a line of that length. */
export function Stick({ share: part }: { readonly share: number }) {
  return <span class="stick" style={{ width: `${part * 100}%` }} />;
}

/** A moment as the gateway writes it; where there is none, `none` or a dash. */
export function MomentOr({ at, none }: { readonly at: string | null; readonly none?: string }) {
  if (at !== null) return <Moment ms={Date.parse(at)} />;
  return none === undefined ? <Nothing /> : <span class="faint">{none}</span>;
}

/** Not known, or not applicable: never a made-up figure. */
export function Nothing() {
  return (
    <span class="faint" title="Not known">
      –
    </span>
  );
}

/** What a reader has to know about a model before the prices. */
export function Badges({ of }: { readonly of: { degraded: boolean; preview: boolean; deprecated: boolean } }) {
  const words = (['preview', 'deprecated', 'degraded'] as const).filter((word) => of[word]);
  return (
    <>
      {words.map((word) => (
        <span key={word} class={`badge badge-${word}`} title={BADGES[word]}>
          {word}
        </span>
      ))}
    </>
  );
}

const BADGES = {
  preview: 'Prices are simulated; it takes no requests yet.',
  deprecated: 'It takes no requests any more.',
  degraded: 'No pod of it is healthy now: orders wait.',
};
