import { invalid } from '@posthorn/domain/errors';
import { headerFault } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';

/** Header fields that a request adds to its message. */
export const customHeaders = Joi.object()
  .pattern(Joi.string().allow(''), Joi.string().allow(''))
  .max(limits.headers.max)
  .custom((given: Record<string, string>) => {
    const faults = headerFaults(given);
    if (faults.length > 0) throw invalid(...faults);
    return given;
  });

function headerFaults(given: Record<string, string>): Array<{ field: string; message: string }> {
  const seen = new Set<string>();
  return Object.entries(given).flatMap(([name, value]) => {
    const repeated = seen.has(name.toLowerCase()) ? 'appears more than once; header names are case-insensitive' : null;
    seen.add(name.toLowerCase());
    const message = repeated ?? headerFault(name, value);
    return message === null ? [] : [{ field: `headers.${name}`, message }];
  });
}
