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
export {
  createSignatureChecker,
  createSigners,
  createToken,
  getSigner,
  hashToken,
  SIGNATURE_BYTES,
  sha256Hex,
} from './tokens.js';
