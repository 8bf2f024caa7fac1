export {
  type Address,
  AddressError,
  addressKey,
  findSimulatorEnding,
  formatAddress,
  parseAddress,
  parseBareAddress,
  type SimulatorEnding,
  simulatorEndings,
  toHost,
} from './address.js';
export { headerFault, reservedHeaders } from './custom-headers.js';
export {
  addMeasure,
  base64Lines,
  encodedSize,
  measureEncodedText,
  measureText,
  type TextMeasure,
} from './encoded-text.js';
