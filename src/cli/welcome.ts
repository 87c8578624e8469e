/** What `serve` prints when it listens: its address, its models, and the command to try first. */
import { formatPrice, formatUsd } from '#base/money.ts';
import type { Config } from '#config/config.ts';
import { type Listing, lowestLevel } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { withoutPassword } from './operator-store.ts';
import { facts, faint, strong, table } from './output.ts';

/** For an empty database: the key of the demo account, and the link to its settings; null where there is none. */
export interface Newcomer {
  readonly key: string | null;
  readonly link: string | null;
}

/** Where a browser on this machine reaches a gateway that listens there. */
export function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The same for pages: at a name, if the gateway takes both addresses of loopback, as it does when they are free. */
export function pagesAddressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return addressOf({ host: host === '127.0.0.1' || host === '::1' ? 'localhost' : host, port });
}

/** Where the API is, and where a browser opens the pages: passkeys exist at hosts with a name only. */
export interface Addresses {
  readonly url: string;
  readonly pages: string;
}

/** The text. `newcomer` is null when there are accounts. */
export function welcome(config: Config, { url, pages }: Addresses, newcomer: Newcomer | null): string {
  const { listings, pods } = config;
  const rows = listings.all.map((listing) => [
    listing.id,
    priceText(listing),
    podsText(
      pods.filter((pod) => pod.model === listing.id),
      listing,
    ),
    notes(listing, listing === listings.default),
  ]);
  const parts = [
    `${strong('Sluice')} sells inference at ${strong(url)}`,
    facts([
      ...(config.console.enabled ? [['market', `${pages}/`] as const] : []),
      // The console is named because nobody finds it by chance: members of an account never see it.
      ...(config.console.served
        ? ([
            ['settings', `${pages}/settings`],
            ['console', `${pages}/console, once invited: npx sluice member invite EMAIL --operator operator`],
          ] as const)
        : []),
      ['docs', `${url}/docs`],
      ['configured', config.fileName],
      ['database', withoutPassword(config.databaseUrl)],
    ]),
    table(['MODEL', 'PRICE', 'PODS', ''], rows),
    ...(newcomer === null ? [] : [firstSteps(url, listings.default.id, newcomer)]),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

function firstSteps(url: string, model: string, { key, link }: Newcomer): string {
  if (key === null)
    return 'There is no account yet: open one with npx sluice account create NAME. (A demo account is opened only on loopback and with simulated pods alone.)';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'What is a sluice?' }] });
  return [
    'The database was empty: a demo account with $10 was created. Its key is shown only now:',
    `  ${strong(key)}`,
    `Try it:`,
    `  curl ${url}/v1/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '${body}'`,
    ...(link === null
      ? []
      : ['Its settings in a browser; the link signs you in once, within 24 hours:', `  ${strong(link)}`]),
    faint('For real ones use npx sluice account create and key create; npx sluice --help lists all commands.'),
  ].join('\n');
}

function priceText(listing: Listing): string {
  const { type, tariff, ceiling } = listing;
  if (type === 'market') return `market, level from $${formatPrice(lowestLevel(listing))} to $${formatPrice(ceiling)}`;
  return `fixed, $${formatUsd(tariff.uncached)} in, $${formatUsd(tariff.output)} out per 1M tokens`;
}

function podsText(pods: readonly PodConfig[], { preview, deprecated }: Listing): string {
  if (pods.length === 0) return preview || deprecated ? 'none' : 'none, so its orders wait';
  const simulated = pods.filter((pod) => pod.url === null).length;
  const slots = pods.reduce((sum, pod) => sum + pod.slots, 0);
  const kind = simulated === 0 ? '' : simulated === pods.length ? ', simulated' : `, ${simulated} of them simulated`;
  return `${pods.length} with ${slots} slots${kind}`;
}

function notes(listing: Listing, isDefault: boolean): string {
  const words = [
    isDefault ? 'default' : '',
    listing.preview ? 'preview' : '',
    listing.deprecated ? 'deprecated' : '',
    ...listing.aliases.map((alias) => `also ${alias}`),
  ];
  return words.filter((word) => word !== '').join(', ');
}
