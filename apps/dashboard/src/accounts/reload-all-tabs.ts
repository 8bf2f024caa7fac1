/** All tabs share one cookie: who logs in, out or over in one tab does so in all. */
const tabs = new BroadcastChannel('posthorn-session');

tabs.addEventListener('message', () => location.reload());

/**
 * To be called when the cookie has changed. Loads the page anew, and the other tabs with it: nothing
 * that the session before has read is left.
 */
export function reloadAllTabs(path = '/'): void {
  tabs.postMessage(null);
  location.assign(path);
}
