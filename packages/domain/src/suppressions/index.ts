export {
  addressHasher,
  addressHashers,
  type HashAddress,
  type SoughtAddress,
  shortAddressHash,
  toSoughtAddresses,
} from './address-hash.js';
export {
  addSuppression,
  type ImportedSuppression,
  importSuppressions,
  removeSuppression,
} from './change-suppressions.js';
export { type FindSuppressed, suppressedFinder } from './find-suppressed.js';
export {
  bouncePolicies,
  canSuppress,
  deleteOldBounces,
  REMEMBERED_DAYS,
  suppressBouncesSql,
} from './suppress-bounces.js';
export type { Suppression } from './suppression.js';
export {
  type ChangedHash,
  eraseSuppressedAddress,
  findSuppressionById,
  findSuppressionsOfAddresses,
  insertSuppressions,
  listSuppressions,
  replaceAddressHashes,
  type SuppressionFilters,
} from './suppression-store.js';
