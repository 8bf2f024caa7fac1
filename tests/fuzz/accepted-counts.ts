import type { SendResult } from './open-sender.js';
import type { FuzzRequest } from './requests.js';

/** The fields of a JSON body. Other bodies have none. */
type Body = {
  readonly unsubscribe?: object;
  readonly to?: readonly string[];
  readonly attachments?: readonly unknown[];
  readonly variables?: readonly unknown[];
};

const sends = 'POST /api/v1/emails';

/**
 * What must be accepted at least once. If all of a kind are refused, the code behind its validation is not tested.
 * The body is only read for operations that parse it: others accept one that is not valid JSON.
 */
const KINDS: Readonly<Record<string, (operation: string, read: () => Body, response: string) => boolean>> = {
  'email with an attachment': (operation, read) => operation === sends && (read().attachments ?? []).length > 0,
  'test email': (operation, _read, response) => operation.startsWith(sends) && response.includes('"mode":"test"'),
  'email to the simulator': (operation, read) =>
    operation === sends && (read().to ?? []).some((address) => /@simulator\./.test(address)),
  batch: (operation) => operation === `${sends}/batch`,
  'email with a topic': (operation, read) => operation === sends && read().unsubscribe !== undefined,
  'import of suppressions': (operation) => operation === 'POST /api/v1/suppressions/import',
  'unsubscribe with one click': (operation, _read, response) =>
    operation === 'POST /u/{token}' && response === 'Unsubscribed\n',
  'template with declared variables': (operation, read) =>
    operation === 'POST /api/v1/templates' && (read().variables ?? []).length > 0,
};

/** Shorter runs may lack a kind by chance. This many have about five of the rarest kind, and CI sends twice as many. */
const MIN_REQUESTS = 3_000;

export function openAcceptedCounts() {
  const counts = new Map(Object.keys(KINDS).map((kind) => [kind, 0]));
  return {
    counts,
    add({ operation, method, headers, body }: FuzzRequest, result: SendResult): void {
      if (!('status' in result) || result.status < 200 || result.status > 202) return;
      if (!body || !operation.startsWith(`${method} `)) return;
      // Like the API, this skips a byte order mark.
      const read = (): Body => (isJson(headers) ? JSON.parse(new TextDecoder().decode(body)) : {});
      for (const [kind, isIt] of Object.entries(KINDS))
        if (isIt(operation, read, result.text)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    /** @returns a failure for each kind of which none was accepted, if the run had enough requests */
    missing: (requests: number): string[] =>
      requests < MIN_REQUESTS
        ? []
        : [...counts].filter(([, count]) => count === 0).map(([kind]) => `no ${kind} was accepted`),
  };
}

function isJson({ 'content-type': type = '' }: FuzzRequest['headers']): boolean {
  return type.startsWith('application/json');
}
