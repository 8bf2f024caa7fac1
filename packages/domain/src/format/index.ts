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
export { encodeBase64Lines, encodeBody } from './body-encoding.js';
export { findHeaderFault, parseStructured, reservedHeaders } from './custom-headers.js';
export {
  addMeasure,
  measureBase64,
  measureEncodedText,
  measureText,
  type TextMeasure,
} from './encoded-size.js';
export { findSimulatorEnding, type SimulatorEnding, simulatorEndings } from './simulator.js';
