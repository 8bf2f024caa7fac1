export {
  type Address,
  AddressError,
  formatAddress,
  parseAddress,
  parseBareAddress,
  toAddressKey,
  toHost,
  toWireAddress,
} from './address.js';
export { findHeaderFault, parseStructured, reservedHeaders } from './custom-headers.js';
export {
  addMeasure,
  encodeBase64Lines,
  isFromLine,
  measureBase64,
  measureEncodedText,
  measureText,
  type TextMeasure,
} from './encoded-text.js';
export { findSimulatorEnding, type SimulatorEnding, simulatorEndings } from './simulator.js';
