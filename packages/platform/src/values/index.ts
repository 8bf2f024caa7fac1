export { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.js';
export { encodeJson, isLargeJson, LARGE_JSON_CHARACTERS } from './encode-json.js';
export { formatCount, formatCountOf } from './format-count.js';
export { bytesToId, firstIdAt, ID_BYTES, idToBytes, isId, newId, timeOfId } from './ids.js';
export { addJitter } from './jitter.js';
export {
  hasBidirectionalControls,
  hasControlCharacters,
  hasHiddenCharacters,
  withoutHiddenCharacters,
} from './unsafe-characters.js';
