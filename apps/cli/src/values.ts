import {
  AddressError,
  hasControlCharacters,
  limits,
  MIN_PASSWORD_CHARACTERS,
  readAccountEmail,
  type Scope,
  scopes,
} from '@posthorn/domain';
import { InvalidArgumentError } from 'commander';

/** Readers of option values; what they refuse is wrong usage (exit code 2). */

const MOST_SENDS = 1_000_000_000;

export function emailValue(text: string): string {
  try {
    return readAccountEmail(text);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new InvalidArgumentError(`It ${error.message}.`);
  }
}

export function passwordValue(text: string): string {
  const { max } = limits.password;
  if (text.length >= MIN_PASSWORD_CHARACTERS && text.length <= max) return text;
  throw new InvalidArgumentError(`It must be ${MIN_PASSWORD_CHARACTERS} to ${max} characters long.`);
}

/** A name of 1 to `max` characters in one line, without space around it. */
export function nameValue(max: number): (text: string) => string {
  return (text) => {
    const name = text.trim();
    if (name !== '' && name.length <= max && !hasControlCharacters(name)) return name;
    throw new InvalidArgumentError(`It must be 1 to ${max} characters in one line.`);
  };
}

export function scopesValue(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !scopes.some((scope) => scope === name));
  if (unknown === undefined) return [...new Set(names)] as Scope[];
  throw new InvalidArgumentError(`"${unknown}" is not a scope; they are ${scopes.join(', ')}, separated by commas.`);
}

/** A number of sends, `none` for no limit, `default` for the plan's own; commander knows no null. */
export function capValue(text: string): number | 'none' | 'default' {
  return text === 'none' || text === 'default' ? text : wholeNumber(text, { min: 0, others: 'none or default' });
}

/** Emails per minute, or `default`. */
export function rateValue(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(text, { min: 1, others: 'default' });
}

function wholeNumber(text: string, { min, others }: { min: number; others: string }): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= MOST_SENDS) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${MOST_SENDS}, or ${others}.`);
}
