import { type Address, AddressError, parseAddress } from '@posthorn/domain';
import Joi from 'joi';

/** Text that `read` understands as an address; what comes out is what `read` made of it. */
export function addressReadBy<Value>(read: (text: string) => Value): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    try {
      return read(text);
    } catch (error) {
      // joi would read a `{` in a message as a template; a value it puts in as it is.
      if (error instanceof AddressError) return helpers.error('address.invalid', { reason: error.message });
      throw error;
    }
  });
}

/** `jane@example.com` or `Jane Doe <jane@example.com>`; what comes out is an Address. */
export const address = addressReadBy<Address>(parseAddress);

/** The same; what comes out is the address without the name. */
export const bareAddress = addressReadBy((text) => parseAddress(text).address);
