export {
  type Address,
  AddressError,
  formatAddress,
  parseAddress,
  parseBareAddress,
  toAddressKey,
  toHost,
  toMailboxKey,
  toWireAddress,
} from './address.js';
export { encodeBase64Lines, encodeBody } from './body-encoding.js';
export { findHeaderFault, type HeaderPart, parseStructured, unfoldHeader } from './custom-headers.js';
export {
  addMeasure,
  measureBase64,
  measureEncodedText,
  measureText,
  type TextMeasure,
} from './encoded-size.js';
export { findMixedScriptWord } from './mixed-scripts.js';
export { reservedHeaders } from './reserved-headers.js';
export { findSimulatorEnding, type SimulatorEnding, simulatorEndings } from './simulator.js';
