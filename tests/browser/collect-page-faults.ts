import type { BrowserContext, ConsoleMessage, Request, Response } from 'playwright-core';

/** Chromium logs this for every 4xx and 5xx. The `response` event shows which of them matter. */
const HTTP_ERROR = /^Failed to load resource: the server responded with a status of/;

/**
 * Collects, as sentences, what no page of the dashboard should do: contact another machine, throw, log an error
 * (including violations of the content security policy), crash, get a 5xx, or load a file that does not exist. A 4xx in
 * response to an API call is not a fault. The test decides how the page should handle it.
 */
export function collectPageFaults(context: BrowserContext): string[] {
  const faults: string[] = [];
  context.on('request', (request) => {
    if (!isLocal(request.url())) faults.push(contacted(request));
  });
  context.on('response', (response) => {
    if (isFault(response)) faults.push(`${getName(response.request())} returned ${response.status()}`);
  });
  context.on('requestfailed', (request) => {
    if (isBlockedByPolicy(request) && faults.includes(contacted(request)))
      faults.splice(faults.indexOf(contacted(request)), 1);
    if (isBroken(request)) faults.push(`${getName(request)} failed: ${request.failure()?.errorText}`);
  });
  context.on('weberror', (webError) => faults.push(`The page threw ${webError.error().stack ?? webError.error()}`));
  context.on('console', (message) => {
    if (isError(message)) faults.push(`The console says: ${message.text()}`);
  });
  context.on('page', (page) => {
    page.on('crash', () => faults.push('The page crashed'));
    page.on('websocket', (socket) => {
      if (!isLocal(socket.url())) faults.push(`The page contacted ${socket.url()}`);
    });
  });
  return faults;
}

/** Whether a URL leads to this machine or, like `data:`, `blob:` and `about:`, to no machine at all. */
function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return !/^(https?|wss?):$/.test(protocol) || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

function isFault(response: Response): boolean {
  const status = response.status();
  return status >= 500 || (status >= 400 && !isApiCall(response.request()));
}

/** Whether a request failed. Leaving a page aborts its pending requests, which is not a failure. */
function isBroken(request: Request): boolean {
  return isLocal(request.url()) && request.failure()?.errorText !== 'net::ERR_ABORTED' && !isBlockedByPolicy(request);
}

/**
 * Whether the content security policy stopped a request before it left the browser. The console reports such requests.
 */
export function isBlockedByPolicy(request: Request): boolean {
  return request.failure()?.errorText === 'csp';
}

function contacted(request: Request): string {
  return `The page contacted ${request.url()}`;
}

function isApiCall(request: Request): boolean {
  return ['fetch', 'xhr'].includes(request.resourceType());
}

function isError(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !HTTP_ERROR.test(message.text());
}

function getName(request: Request): string {
  return `${request.method()} ${request.url()}`;
}
