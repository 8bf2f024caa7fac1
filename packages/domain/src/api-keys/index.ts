export { authenticateKey, createKeyCache, type KeyCache, recallCaller } from './authenticate-key.js';
export { createKey, revokeKey } from './create-key.js';
export { type ApiKey, findKeyWithWorkspace, listAllKeys, listKeys } from './key-store.js';
