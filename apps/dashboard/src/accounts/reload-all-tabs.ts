/** All tabs share the session cookie, so logging in or out in one tab affects the others. */
const tabs = new BroadcastChannel('posthorn-session');

tabs.addEventListener('message', () => location.reload());

/** Call after the session cookie has changed. Every tab reloads, so that no data of the previous session remains. */
export function reloadAllTabs(path = '/'): void {
  tabs.postMessage(null);
  location.assign(path);
}
