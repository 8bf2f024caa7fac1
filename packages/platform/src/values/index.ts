export { addJitter, computePause } from './backoff.js';
export { encodeJson, isLargeJson, LARGE_JSON_CHARACTERS } from './encode-json.js';
export { getIdTime, ID_BYTES, isId, newId, parseIdBytes, toFirstId, toIdBytes } from './ids.js';
export { DAY_MS, formatBytes, formatCount, formatCountOf, HOUR_MS, MINUTE_MS } from './units.js';
export {
  hasBidirectionalControls,
  hasControlCharacters,
  hasDisguisingCharacters,
  hasHiddenCharacters,
  removeHiddenCharacters,
} from './unsafe-characters.js';
