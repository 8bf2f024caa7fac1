export {
  type Address,
  AddressError,
  addressKey,
  formatAddress,
  parseAddress,
  parseBareAddress,
  toHost,
  toWireAddress,
} from './address.js';
export { headerFault, parseStructured, reservedHeaders } from './custom-headers.js';
export {
  addMeasure,
  base64Lines,
  encodedSize,
  measureEncodedText,
  measureText,
  type TextMeasure,
} from './encoded-text.js';
export { findSimulatorEnding, type SimulatorEnding, simulatorEndings } from './simulator.js';
