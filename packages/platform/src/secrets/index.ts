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
  hashToken,
  SIGNATURE_BYTES,
  sha256Hex,
  signer,
} from './tokens.js';
