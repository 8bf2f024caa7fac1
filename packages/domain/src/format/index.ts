export {
  type Address,
  AddressError,
  addressKey,
  formatAddress,
  hostOf,
  parseAddress,
  parseBareAddress,
} from './address.js';
export { base64Lines, encodedSize } from './base64-lines.js';
export { headerFault } from './custom-headers.js';
export { addMeasure, encodedTextSize, measureText, type TextMeasure } from './encoded-text.js';
export { reservedHeaders } from './reserved-headers.js';
export { type SimulatorEnding, simulatorEndingOf, simulatorEndings } from './simulator-address.js';
