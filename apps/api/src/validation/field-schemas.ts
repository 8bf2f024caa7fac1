import { type Address, AddressError, parseAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { hasBidirectionalControls, hasControlCharacters, isId } from '@posthorn/platform/values';
import Joi from 'joi';
import type { RuleContext } from './validate.js';

/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

export const LINK_TO_IMAGES = 'Attach large images or link to them instead of embedding them';

/** A string whose length is limited in bytes, because its size in bytes is what matters to Postgres and SMTP. */
export function buildText(maxBytes: number): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    if (fitsInBytes(text, maxBytes)) return text;
    return helpers.error('text.bytes', { bytes: Buffer.byteLength(text), limit: maxBytes });
  });
}

/** Whether the text is at most this long in UTF-8. Most strings need not be counted. */
export function fitsInBytes(text: string, maxBytes: number): boolean {
  return text.length * MAX_BYTES_PER_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/** A string for a header line. A line break would end the header early. */
export function buildLine(maxCharacters: number): Joi.StringSchema {
  return Joi.string()
    .max(maxCharacters)
    .custom((text: string, helpers) => (hasControlCharacters(text) ? helpers.error('text.control') : text));
}

/** A name that is shown to other people, without leading or trailing spaces. */
export function buildName(maxCharacters: number): Joi.StringSchema {
  return buildLine(maxCharacters)
    .trim()
    .custom((text: string, helpers) => (hasBidirectionalControls(text) ? helpers.error('text.direction') : text));
}

/** A string that `parse` accepts as an address. The validated value is what `parse` returns. */
export function buildAddress<Value>(parse: (text: string) => Value): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => {
    const count = helpers.prefs.context as RuleContext;
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
export const address = buildAddress<Address>(parseAddress);

/** Accepts the same formats as `address`. The validated value is the address without the name. */
export const bareAddress = buildAddress((text) => parseAddress(text).address);

/**
 * A string that `parse` accepts. The validated value is what `parse` returns.
 * @param expected the message if it returns null
 */
export function buildParsed<Value>(parse: (text: string) => Value | null, expected: string): Joi.StringSchema {
  return Joi.string().custom((text: string, helpers) => parse(text) ?? helpers.message({ custom: expected }));
}

export function buildId(expected = 'must be an id'): Joi.StringSchema {
  return buildParsed((text) => (isId(text) ? text : null), expected);
}

export function buildIdList(max: number): Joi.ArraySchema<string[]> {
  return Joi.array().items(buildId()).min(1).max(max).unique();
}

/** RFC 3339, section 5.6. The offset is required, because a time without one is ambiguous. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const EXPECTED = 'must be an RFC 3339 time with an offset, such as 2026-12-01T09:30:00Z';

export const timestamp = Joi.string().custom((text: string, helpers) =>
  isTimestamp(text) ? text : helpers.message({ custom: describeTimestampFault(text) }),
);

/** `+0100` is what strftime and PHP's DATE_ISO8601 write. */
function describeTimestampFault(text: string): string {
  const withColon = text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return isTimestamp(withColon) ? `needs a colon in its offset: ${withColon}` : EXPECTED;
}

const PLUS_EXPECTED =
  'has a space where its offset needs a +; write + as %2B in a URL, or send a time in UTC that ends in Z';

/** A time in a query string, where a `+` that is not encoded stands for a space. */
export const queryTimestamp = Joi.string().custom((text: string, helpers) => {
  if (isTimestamp(text)) return text;
  const hasLostPlus = isTimestamp(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  return helpers.message({ custom: hasLostPlus ? PLUS_EXPECTED : describeTimestampFault(text) });
});

/** A single rule, because joi would apply the second of two rules even if the first had failed. */
export const futureTimestamp = Joi.string().custom((text: string, helpers) => {
  if (!isTimestamp(text)) return helpers.message({ custom: describeTimestampFault(text) });
  const { now } = helpers.prefs.context as RuleContext;
  return new Date(text) > now ? text : helpers.message({ custom: 'must be in the future' });
});

/** Refuses dates that Date would roll over, such as 30 February. */
function isTimestamp(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  if (!year || Number.isNaN(Date.parse(text))) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Topics appear in URLs and headers, so they have only characters that need no encoding there. */
const TOPIC = new RegExp(`^[a-z0-9_-]{1,${limits.topic.max}}$`);

export const TOPIC_EXPECTED = `1 to ${limits.topic.max} of the characters a-z, 0-9, - and _`;

export function isTopic(text: string): boolean {
  return TOPIC.test(text);
}

export const topicSchema = Joi.string().pattern(TOPIC, TOPIC_EXPECTED);
