/**
 * The classes of the requests and replies of an express application. Express gives each of them its own prototype after
 * it was made, and an object whose prototype changes is slow to use from then on, for all of Node's code as well. These
 * are born with that prototype, so that nothing changes.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The part of a server's options that names them. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** Those of `app`. */
export function messageClassesOf(app: Express): MessageClasses {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** `Base` as it is, but for the prototype of what it makes, which must inherit that of `Base`. */
function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(
  Base: Class,
  prototype: object,
): Class {
  function Made(...args: unknown[]): object {
    return Reflect.construct(Base, args, Made);
  }
  Made.prototype = prototype;
  return Made as unknown as Class;
}
