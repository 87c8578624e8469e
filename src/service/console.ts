/**
 * The settings and the console beside the API. They are loaded by the first request that asks for them: a gateway that
 * nobody looks at starts no slower for them and needs no more memory.
 */
import type { ConsoleRoutes } from '#http/app.ts';
import type { RequestContext } from '#http/request-context.ts';

import type { ConsoleParts } from './console-api.ts';

type Answer = ConsoleRoutes['answer'];

const ADDRESSES =
  /^\/(?:(?:settings|console)\/api(?:[/?#]|$)|(?:console\/openapi\.json|settings\/sign-in(?:\.js|\.css|\/provider)?)\/?(?:[?#]|$))/;

/** Where the payment provider sends its events, also where nobody may sign in. */
const EVENTS = /^\/payments\/stripe\/webhook\/?(?:[?#]|$)/;

/** The routes; null where the configuration has none of it. */
export function consoleRoutes(parts: ConsoleParts): ConsoleRoutes | null {
  const { config, log } = parts.outside;
  const { served } = config.console;
  if (!served && parts.payments === null) return null;
  let built: Promise<Answer> | null = null;
  return {
    takes: (url) => (served && ADDRESSES.test(url)) || EVENTS.test(url),
    async answer(context: RequestContext) {
      built ??= import('./console-api.ts').then(({ buildConsole }) => buildConsole(parts));
      try {
        await (await built)(context);
      } catch (error) {
        // Only what could not be loaded gets here; what was loaded answers its own errors. The next request tries again.
        built = null;
        log.error({ err: error }, 'The settings and the console could not be loaded.');
        context.response.destroy();
      }
    },
  };
}
