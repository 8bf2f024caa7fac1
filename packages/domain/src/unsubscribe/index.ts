export { findUnsubscribes, subscribeAgain, unsubscribe } from './unsubscribe.js';
export { findLinkSender, type LinkSender } from './unsubscribe-store.js';
