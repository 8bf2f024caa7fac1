import { register } from 'node:module';

/**
 * Load this before the worker's build. It makes `signMessage` return the message unsigned, without canonicalization, body
 * hash, signature or header. The worker has no setting for this. Everything else runs as in production, including the
 * lookup of the key.
 */
const hooks = `
  const HEAD = 'export async function signMessage(message, ';
  const UNSIGNED = 'export async function signMessage(message) { return message; } async function unused(message, ';

  export async function load(url, context, nextLoad) {
    const loaded = await nextLoad(url, context);
    if (!url.endsWith('/packages/message/dist/dkim.js')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(HEAD)) throw new Error('dkim.js has no signMessage');
    return { ...loaded, source: source.replace(HEAD, UNSIGNED) };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
