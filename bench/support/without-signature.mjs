import { register } from 'node:module';

/**
 * Load this before the worker's build. It replaces `signMessage` with a function that returns the message unsigned,
 * without canonicalization, body hash, signature or header. The worker has no setting for this. Everything else runs as
 * in production, including the lookup of the key.
 */
const hooks = `
  export async function load(url, context, nextLoad) {
    if (!url.endsWith('/packages/message/dist/dkim/sign-message.js')) return nextLoad(url, context);
    const source = 'export async function signMessage(message) { return message; }';
    return { format: 'module', shortCircuit: true, source };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
