/**
 * The settings and the console beside the API. They are loaded by the first request that asks for them: a gateway that
 * nobody looks at starts no slower for them and needs no more memory.
 */
import { readFile } from 'node:fs/promises';
import type { MemberAccountOptions } from '#accounts/account/account-handlers.ts';
import type { KeysOptions } from '#accounts/keys/handlers.ts';
import type { MemberPaymentsOptions } from '#accounts/payments/payment-handlers.ts';
import type { ActivityOptions } from '#handlers/activity.ts';
import type { ConsoleRoutes } from '#http/app.ts';
import type { RequestContext } from '#http/request-context.ts';
import type { Traffic } from '#http/traffic.ts';
import type { SettingsBuilt } from './account-settings.ts';
import type { OperatorBuilt } from './operator.ts';
import { identitiesOf, passkeysOf } from './sign-in.ts';
import type { BuiltStorage, Outside } from './storage.ts';

type Answer = ConsoleRoutes['answer'];

/** The parts of a gateway that these routes use. */
type ConsoleParts = Pick<Outside & BuiltStorage, 'config' | 'readConfig' | 'clock' | 'ids' | 'log' | 'db' | 'access'> &
  OperatorBuilt &
  SettingsBuilt & {
    readonly traffic: Traffic;
    readonly authenticator: KeysOptions['authenticator'];
    readonly listOrders: MemberAccountOptions['listOrders'];
    readonly calls: ActivityOptions['calls'];
    readonly payments: MemberPaymentsOptions['payments'];
    readonly reload: OperatorBuilt['reload'];
  };

const ADDRESSES =
  /^\/(?:(?:settings|console)\/api(?:[/?#]|$)|(?:console\/openapi\.json|settings\/sign-in(?:\.js|\.css|\/provider)?)\/?(?:[?#]|$))/;

/** Where the payment provider sends its events, also where nobody may sign in. */
const EVENTS = /^\/payments\/stripe\/webhook\/?(?:[?#]|$)/;

/** The routes; null where the configuration has none of it. */
export function consoleRoutes(parts: ConsoleParts): ConsoleRoutes | null {
  const { served } = parts.config.console;
  if (!served && parts.payments === null) return null;
  let built: Promise<Answer> | null = null;
  return {
    takes: (url) => (served && ADDRESSES.test(url)) || EVENTS.test(url),
    async answer(context: RequestContext) {
      built ??= build(parts);
      try {
        await (await built)(context);
      } catch (error) {
        // Only what could not be loaded gets here; what was loaded answers its own errors. The next request tries again.
        built = null;
        parts.log.error({ err: error }, 'The settings and the console could not be loaded.');
        context.response.destroy();
      }
    },
  };
}

async function build(parts: ConsoleParts): Promise<Answer> {
  const { config, clock, ids, log, db, traffic } = parts;
  const [{ createConsole }, { consoleHandlers }, { ConsoleRates }, { Sessions }, stores, memberKeys, people, paid] =
    await Promise.all([
      import('#http/console/api.ts'),
      import('./console-handlers.ts'),
      import('#access/console-rates.ts'),
      import('#accounts/members/sessions.ts'),
      import('#accounts/members/session-store.ts'),
      import('#accounts/keys/member-keys.ts'),
      import('#accounts/members/member-store.ts'),
      import('#accounts/payments/payment-store.ts'),
    ]);
  const document = await readFile(new URL('../../generated/console-api/openapi.json', import.meta.url));
  const sessions = new Sessions({ store: stores.createSessionStore(parts), clock, ids });
  const keys = memberKeys.createMemberKeys({
    ...{ db, clock, ids },
    activeMax: () => config.limits.activeKeysPerAccount,
  });
  const members = new people.Members(parts);
  const passkeys = await passkeysOf(parts, sessions);
  const identities = await identitiesOf(parts, sessions);
  const paymentStore = paid.createPaymentStore(parts);
  const rates = new ConsoleRates(clock);
  const [{ operatorParts }, { accountSettings }, { signInFiles }] = await Promise.all([
    import('./operator.ts'),
    import('./account-settings.ts'),
    import('#http/console/sign-in-page.ts'),
  ]);
  return createConsole({
    handlers: consoleHandlers({
      ...{
        ...parts,
        listings: config.listings,
        ...(await operatorParts(parts)),
        ...(await accountSettings(parts)),
      },
      ...{ keys, members, sessions, passkeys, identities, rates, paymentStore, document },
    }),
    sessions,
    rates,
    signInFile: signInFiles(config.console.oidc?.name ?? null),
    insecure: config.console.insecure,
    limits: config.limits,
    traffic,
    log,
    isOutage: (error) => db.dialect.isTransient(error),
  });
}
