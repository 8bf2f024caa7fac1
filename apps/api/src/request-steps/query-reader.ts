import { invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Request } from 'express';
import Joi from 'joi';
import { checkValues } from '../json/check-values.js';
import { JsonError } from '../json/json-error.js';
import { jsonRefusal } from '../json/json-refusal.js';
import type { Route } from '../route.js';
import { validate } from '../validation/validate.js';

const noParameters = Joi.object({});

/** Validates the query string. An unknown parameter is refused with 422, not ignored. */
export function queryReader({ query, ignoresQuery }: Route): (request: Request) => unknown {
  if (ignoresQuery) return () => undefined;
  const schema = query ?? noParameters;
  return (request) => {
    if (query === undefined && !request.url.includes('?')) return undefined;
    assertNoNulInNames(request.query);
    assertStorable(request.query);
    assertGivenOnce(request.query);
    return validate(schema, { ...request.query }, 'query parameter');
  };
}

function assertNoNulInNames(query: Request['query']): void {
  if (!Object.keys(query).some((name) => name.includes('\0'))) return;
  const message = 'has a parameter whose name contains a NUL character; remove it';
  throw new Refusal('validation_failed', { faults: [{ field: '', message }], input: 'The query string' });
}

function assertStorable(query: Request['query']): void {
  try {
    checkValues(query, { maxValues: limits.jsonValues.max, maxFields: limits.jsonFields.max });
  } catch (error) {
    throw error instanceof JsonError ? jsonRefusal(error.fault) : error;
  }
}

function assertGivenOnce(query: Request['query']): void {
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
  if (repeated.length > 0)
    throw invalid(...repeated.map((field) => ({ field, message: 'appears more than once; send it once' })));
}
