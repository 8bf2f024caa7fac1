import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Classes for Node's HTTP server whose objects are the app's requests and responses from the start.
 * Express gives every request and response another prototype otherwise, which costs as much as all
 * else it does: objects whose prototype changes are slow from then on. Derived classes, for V8 then knows
 * how many properties their objects will get.
 */
export function httpClassesOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}
