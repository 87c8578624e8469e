/**
 * The classes of the requests and responses of an express application. Express changes the prototype of each after it
 * is constructed, and an object whose prototype was changed is slow, also for Node's own code. Objects of these classes
 * have that prototype from the start, so that nothing changes.
 */
import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from '#base/node-http.ts';

/** The options of `http.createServer` that set these classes. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** The classes for `app`. */
export function messageClassesOf(app: Express): MessageClasses {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** `Base`, except that its objects get `prototype`, which must inherit the prototype of `Base`. */
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
