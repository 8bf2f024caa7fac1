export {
  type Address,
  AddressError,
  addressKey,
  formatAddress,
  hostOf,
  parseAddress,
  parseBareAddress,
  type SimulatorEnding,
  simulatorEndingOf,
  simulatorEndings,
} from './address.js';
export { headerFault, reservedHeaders } from './custom-headers.js';
export {
  addMeasure,
  base64Lines,
  encodedSize,
  encodedTextSize,
  measureText,
  type TextMeasure,
} from './encoded-text.js';
