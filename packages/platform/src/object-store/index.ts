export { type ObjectStore, openObjectStore } from './object-store.js';
