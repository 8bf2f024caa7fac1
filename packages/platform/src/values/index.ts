export { encodeJson, isLargeJson, LARGE_JSON_CHARACTERS } from './encode-json.js';
export { bytesToId, firstIdAt, ID_BYTES, idToBytes, isId, newId, timeOfId } from './ids.js';
export { addJitter } from './jitter.js';
export { DAY_MS, formatCount, formatCountOf, HOUR_MS, MINUTE_MS } from './units.js';
export {
  hasBidirectionalControls,
  hasControlCharacters,
  hasHiddenCharacters,
  withoutHiddenCharacters,
} from './unsafe-characters.js';
