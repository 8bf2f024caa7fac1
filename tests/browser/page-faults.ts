import type { BrowserContext, ConsoleMessage, Request, Response } from 'playwright-core';

/** Chromium says this of every such answer; `response` tells which of them matter. */
const ANSWERED = /^Failed to load resource: the server responded with a status of/;

/**
 * Collects, as sentences, what no page of ours should do: reach out to other machines, throw, write
 * errors to the console (violations of the content security policy among them), crash, meet a 5xx or
 * load a part that is not there. What a page makes of a 4xx to its own call is for its test to say.
 */
export function collectFaults(context: BrowserContext): readonly string[] {
  const faults: string[] = [];
  context.on('request', (request) => {
    if (!isLocal(request.url())) faults.push(reachedOut(request));
  });
  context.on('response', (response) => {
    if (isFault(response)) faults.push(`${nameOf(response.request())} answered ${response.status()}`);
  });
  context.on('requestfailed', (request) => {
    if (isStopped(request) && faults.includes(reachedOut(request)))
      faults.splice(faults.indexOf(reachedOut(request)), 1);
    if (isBroken(request)) faults.push(`${nameOf(request)} failed: ${request.failure()?.errorText}`);
  });
  context.on('weberror', (webError) => faults.push(`It threw ${webError.error().stack ?? webError.error()}`));
  context.on('console', (message) => {
    if (isError(message)) faults.push(`Its console says: ${message.text()}`);
  });
  context.on('page', (page) => {
    page.on('crash', () => faults.push('It crashed'));
    page.on('websocket', (socket) => {
      if (!isLocal(socket.url())) faults.push(`It reached out to ${socket.url()}`);
    });
  });
  return faults;
}

/** On this machine, or on none: `data:`, `blob:` and `about:` go nowhere. */
function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return !/^(https?|wss?):$/.test(protocol) || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

function isFault(response: Response): boolean {
  const status = response.status();
  return status >= 500 || (status >= 400 && !isCall(response.request()));
}

/** A page that is left breaks off what it still loads. */
function isBroken(request: Request): boolean {
  return isLocal(request.url()) && request.failure()?.errorText !== 'net::ERR_ABORTED' && !isStopped(request);
}

/** By the content security policy, which the console tells: nothing has left the browser. */
export function isStopped(request: Request): boolean {
  return request.failure()?.errorText === 'csp';
}

function reachedOut(request: Request): string {
  return `It reached out to ${request.url()}`;
}

function isCall(request: Request): boolean {
  return ['fetch', 'xhr'].includes(request.resourceType());
}

function isError(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !ANSWERED.test(message.text());
}

function nameOf(request: Request): string {
  return `${request.method()} ${request.url()}`;
}
