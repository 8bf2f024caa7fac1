import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Classes for Node's HTTP server whose objects are the app's requests and responses from the start.
 * Express gives every request and response another prototype otherwise, which costs as much as all
 * else it does: objects whose prototype changes are slow from then on.
 */
export function messagesOf(app: Express) {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

/** Node's class, called as the plain function it is, for objects with this prototype. */
function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(
  base: Class,
  prototype: object,
): Class {
  function Message(this: object, ...args: unknown[]): void {
    Reflect.apply(base, this, args);
  }
  Message.prototype = prototype;
  return Message as unknown as Class;
}
