export { type ObjectStore, openObjectStore } from './s3.js';
