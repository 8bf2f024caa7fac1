import diagnostics from 'node:diagnostics_channel';
import { accessSync } from 'node:fs';
import { register } from 'node:module';

/**
 * Load this before the API's build. It adds up how long the steps of accepting take in wall-clock time, and replies to
 * every message from the parent process with the sums since the last message. It wraps functions of the build from
 * outside, so that the product itself needs no such code.
 */
const WRAPPED = {
  'accepting/admission-check.js':
    "export const createAdmissionCheck = (...args) => { const opened = own.createAdmissionCheck(...args); return { ...opened, check: timed('admission', opened.check) }; };",
  'accepting/admission-script.js':
    "export const runAdmissionScript = timed('admissionCall', own.runAdmissionScript, (_redis, inputs) => inputs.length);",
  'accepting/group-commit.js':
    "export const createGroupCommit = (...args) => timed('commit', own.createGroupCommit(...args));",
  'accepting/commit-transaction.js':
    "export const commitOptimistically = timed('transaction', own.commitOptimistically, (_db, entries) => entries.length);",
};

// If a file were renamed, its step would be missing without any warning.
for (const path of Object.keys(WRAPPED)) accessSync(new URL(`../../packages/domain/dist/${path}`, import.meta.url));

/**
 * By step: the number and total duration of the calls, how many sends they were for, and how long these sends waited in
 * total.
 */
let sums = {};

function add(step, ms, sends) {
  sums[step] ??= { calls: 0, ms: 0, sends: 0, msForAll: 0 };
  sums[step].calls += 1;
  sums[step].ms += ms;
  sums[step].sends += sends;
  sums[step].msForAll += ms * sends;
}

/** @param sendsOf returns how many sends a call is for */
export function timed(step, work, sendsOf = () => 1) {
  return async (...args) => {
    const startedAt = performance.now();
    try {
      return await work(...args);
    } finally {
      add(step, performance.now() - startedAt, sendsOf(...args));
    }
  };
}

/** The step `request` lasts from the end of a request's headers until its response has been handed to the socket. */
const startTimes = new WeakMap();
diagnostics.subscribe('http.server.request.start', ({ request }) => startTimes.set(request, performance.now()));
diagnostics.subscribe('http.server.response.finish', ({ request }) =>
  add('request', performance.now() - startTimes.get(request), 1),
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
