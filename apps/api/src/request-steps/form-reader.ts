import type { IncomingMessage } from 'node:http';
import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http/http-errors.js';
import { readBytes } from './read-bytes.js';

/** The text fields of a form. */
export type FormFields = Readonly<Record<string, string>>;

const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

/** Reads a form in one of the two types that RFC 8058, section 3.2 names. @throws Refusal with 413, 415 or 422 */
export function formReader({
  bodies,
}: Pick<ApiContext, 'bodies'>): (request: IncomingMessage, response: Response) => Promise<FormFields> {
  return async (request, response) => {
    const type = request.headers['content-type'] ?? '';
    if (!FORM_TYPE.test(type)) {
      const expected = 'a form with "Content-Type: application/x-www-form-urlencoded" or multipart/form-data';
      throw new HttpRefusal('unsupported_media_type', { reason: 'The Content-Type is not that of a form', expected });
    }
    return toFields(await readBytes(request, response, { maxBytes: limits.publicBody.max, bodies }), type);
  };
}

async function toFields(bytes: Buffer, type: string): Promise<FormFields> {
  try {
    const form = await new globalThis.Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData();
    return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'));
  } catch {
    throw invalid({ field: '', message: 'is not a valid form' });
  }
}
