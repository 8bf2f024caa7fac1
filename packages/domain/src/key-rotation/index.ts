export { type ReencryptedSecrets, reencryptSecrets } from './reencrypt-secrets.js';
