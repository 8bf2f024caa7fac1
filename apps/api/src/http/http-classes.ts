import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Classes for Node's HTTP server whose objects are Express requests and responses from the start. Otherwise Express
 * would change the prototype of every request and response, which makes these objects slow and costs as much as
 * everything else that Express does. They are subclasses because V8 then knows how many properties an object will have.
 */
export function httpClassesOf(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}
