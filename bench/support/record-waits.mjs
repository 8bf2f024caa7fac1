import diagnostics from 'node:diagnostics_channel';
import { register } from 'node:module';

/**
 * Loaded before the API's build it adds up how long the steps of accepting take, by the clock on the wall,
 * and answers any message of the parent with the sums since the message before. The functions of the
 * build are wrapped from outside: the product itself has no such clock.
 */
const WRAPPED = {
  'emails/pass-gate.js': "export const admitEmail = timed('gate', own.admitEmail);",
  'usage/gate-call.js':
    "export const runAdmissionScript = timed('gateCall', own.runAdmissionScript, (_redis, inputs) => inputs.length);",
  'usage/ledger.js': "export const openGroupCommit = (...args) => timed('ledger', own.openGroupCommit(...args));",
  'usage/write-at-once.js':
    "export const commitOptimistically = timed('transaction', own.commitOptimistically, (_db, entries) => entries.length);",
};

/** By step: `ms` is what the calls took, `sends` what they were for, `msForAll` what all of these waited. */
let sums = {};

function add(step, ms, sends) {
  sums[step] ??= { calls: 0, ms: 0, sends: 0, msForAll: 0 };
  sums[step].calls += 1;
  sums[step].ms += ms;
  sums[step].sends += sends;
  sums[step].msForAll += ms * sends;
}

/** @param sendsOf how many sends a call is for */
export function timed(step, work, sendsOf = () => 1) {
  return async (...args) => {
    const began = performance.now();
    try {
      return await work(...args);
    } finally {
      add(step, performance.now() - began, sendsOf(...args));
    }
  };
}

/** From the last byte of a request's headers to the last of its answer that was handed to the socket. */
const begun = new WeakMap();
diagnostics.subscribe('http.server.request.start', ({ request }) => begun.set(request, performance.now()));
diagnostics.subscribe('http.server.response.finish', ({ request }) =>
  add('request', performance.now() - begun.get(request), 1),
);

process.on('message', () => {
  process.send(sums);
  sums = {};
});

const hooks = `
  const WRAPPED = ${JSON.stringify(WRAPPED)};
  export async function load(url, context, nextLoad) {
    const path = url.split('/packages/domain/dist/')[1];
    if (!(path in WRAPPED)) return nextLoad(url, context);
    const original = JSON.stringify(url + '?own');
    const source = 'import { timed } from ${JSON.stringify(import.meta.url)};' +
      'import * as own from ' + original + '; export * from ' + original + ';' + WRAPPED[path];
    return { format: 'module', shortCircuit: true, source };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
