export {
  type AllSecrets,
  deriveToken,
  deriveTokens,
  hasSecretKey,
  idOfSecretKey,
  openSecret,
  type SealedSecret,
  sealSecret,
} from './sealed-secret.js';
export { sha256Hex } from './sha256-hex.js';
export { allSigners, SIGNATURE_BYTES, signatureChecker, signer } from './signature.js';
export { hashToken, newToken } from './token.js';
