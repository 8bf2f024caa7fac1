export { authenticateKey, type KeyCache, openKeyCache } from './authenticate-key.js';
export { createKey } from './create-key.js';
export { type ApiKey, findKeyWithWorkspace, listAllKeys, listKeys } from './key-store.js';
export { revokeKey } from './revoke-key.js';
