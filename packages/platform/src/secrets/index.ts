export {
  type AllSecrets,
  deriveToken,
  deriveTokens,
  getSecretKeyId,
  hasSecretKey,
  openSecret,
  type SealedSecret,
  sealSecret,
} from './sealed-secret.js';
export { allSigners, hashToken, newToken, SIGNATURE_BYTES, sha256Hex, signatureChecker, signer } from './tokens.js';
