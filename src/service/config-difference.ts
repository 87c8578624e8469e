/** What a file would change in a running gateway, setting by setting, and what of it only a restart reads. */
import type { Config } from '#config/config.ts';
import { type Listing, Listings } from '#market/listing.ts';
import { type ShownSettings, shownSettings } from './configuration.ts';

/** One setting that differs, as people see it; null where there is none. Secrets are not shown. */
export interface SettingChange {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What a file would change in a running gateway. */
export interface ConfigDifference {
  /** The configuration in force if it were taken: that of the file, but for what needs a restart. */
  readonly next: Config;
  /** What it would change. */
  readonly changed: readonly SettingChange[];
  /** What the file says otherwise, and only a restart reads. */
  readonly needsRestart: readonly SettingChange[];
}

/** Compares the configuration in force with that of the file. `mayOpen`: whether models that are new can be sold now. */
export function differenceOf(inForce: Config, file: Config, mayOpen: boolean): ConfigDifference {
  const next = taken(inForce, file, mayOpen);
  return { next, changed: changesBetween(inForce, next), needsRestart: changesBetween(next, file) };
}

/** The settings that a running gateway takes from the file; the others stay as they are. */
function taken(inForce: Config, file: Config, mayOpen: boolean): Config {
  const sold = file.listings.all.flatMap((listing) => {
    const before = inForce.listings.find(listing.id);
    if (before?.id === listing.id) return [takenListing(before, listing, mayOpen)];
    return mayOpen ? [listing] : [];
  });
  const kept = inForce.listings.all.filter(({ id }) => !sold.some((listing) => listing.id === id));
  const listings = unambiguous([...sold, ...kept]);
  const wanted = file.listings.default.id;
  const names = new Set(listings.map(({ id }) => id));
  const pods = file.pods.filter(({ model }) => names.has(model));
  const podIds = new Set(pods.map(({ id }) => id));
  return {
    ...inForce,
    listings: new Listings(listings, names.has(wanted) ? wanted : inForce.listings.default.id),
    pods: [
      ...pods,
      ...inForce.pods.filter(({ id, model }) => kept.some((listing) => listing.id === model) && !podIds.has(id)),
    ],
    catalogs: new Map([...inForce.catalogs, ...[...file.catalogs].filter(([id]) => names.has(id))]),
    limits: file.limits,
    logLevel: file.logLevel,
  };
}

/** A market stays a market, where orders may wait, and stays of its type. Of several gateways one may not have read this yet. */
function takenListing(before: Listing, file: Listing, mayOpen: boolean): Listing {
  if (before.type !== file.type) return before;
  return { ...file, preview: before.preview && (file.preview || !mayOpen) };
}

/** Without the aliases that another listing has as well: the file gives a name away whose listing is still sold. */
function unambiguous(listings: readonly Listing[]): Listing[] {
  const taken = new Set(listings.map(({ id }) => id));
  return listings.map((listing) => {
    const aliases = listing.aliases.filter((alias) => !taken.has(alias));
    for (const alias of aliases) taken.add(alias);
    return aliases.length === listing.aliases.length ? listing : { ...listing, aliases };
  });
}

function changesBetween(before: Config, after: Config): SettingChange[] {
  const [old, now] = [shownSettings(before), shownSettings(after)];
  const changes = new Map<string, SettingChange>();
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(name)?.compared === now.get(name)?.compared) continue;
    const { setting, shownBy } = wholeOf(name, old, now);
    const [was, is] = [old.get(shownBy)?.value ?? null, now.get(shownBy)?.value ?? null];
    changes.set(setting, { setting, before: was, after: is });
  }
  return [...changes.values()];
}

/** A model or a pod that is new or gone is one change, not one for each of its settings. */
function wholeOf(name: string, ...sides: readonly ShownSettings[]): { setting: string; shownBy: string } {
  const [whole = name, kind] = /^(models|pods)\[[^\]]*\]/.exec(name) ?? [];
  const shownBy = `${whole}.${kind === 'pods' ? 'of model' : 'type'}`;
  const isWhole = kind !== undefined && sides.some((side) => !side.has(shownBy));
  return isWhole ? { setting: whole, shownBy } : { setting: name, shownBy: name };
}
