import { type Address, AddressError, parseAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';
import type { FaultCount } from '../validation/validate.js';

/** A string that `parse` accepts as an address. The validated value is what `parse` returns. */
export function addressSchema<Value>(parse: (text: string) => Value): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const count = helpers.prefs.context as FaultCount;
    // A list can contain thousands of addresses, but the response lists only the first few faults.
    if (count.faults >= limits.faults.max) return text;
    try {
      return parse(text);
    } catch (error) {
      count.faults += 1;
      // Passed as a value, not as a message, because joi would treat a `{` in a message as a template.
      if (error instanceof AddressError) return helpers.error('address.invalid', { reason: error.message });
      throw error;
    }
  });
}

/** `jane@example.com` or `Jane Doe <jane@example.com>`. The validated value is an Address. */
export const address = addressSchema<Address>(parseAddress);

/** Accepts the same formats as `address`. The validated value is the address without the name. */
export const bareAddress = addressSchema((text) => parseAddress(text).address);
