export {
  createAddressHasher,
  createAddressHashers,
  type HashAddress,
  type SoughtAddress,
  toShortAddressHash,
  toSoughtAddresses,
} from './address-hash.js';
export {
  addSuppression,
  type ImportedSuppression,
  importSuppressions,
  removeSuppression,
} from './change-suppressions.js';
export { createSuppressedFinder, type FindSuppressed, findSuppressionsOfAddresses } from './find-suppressed-store.js';
export {
  bouncePolicies,
  canSuppress,
  deleteOldBounces,
  REMEMBERED_DAYS,
  recipientBounceClasses,
  suppressBouncesSql,
  toUncertainBounceClass,
} from './suppress-bounces-store.js';
export {
  type ChangedHash,
  eraseSuppressedAddress,
  findSuppressionById,
  insertSuppressions,
  listSuppressions,
  replaceAddressHashes,
  type Suppression,
  type SuppressionFilters,
} from './suppression-store.js';
