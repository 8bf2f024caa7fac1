export { createObjectStore, type ObjectStore } from './s3.js';
