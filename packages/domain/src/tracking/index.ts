export type { OpenOrClick } from './open-click-store.js';
export { recordOpensAndClicks } from './record-opens-and-clicks.js';
