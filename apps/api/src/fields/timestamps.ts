import Joi from 'joi';

/** RFC 3339, section 5.6. The offset is required, because a time without one is ambiguous. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const EXPECTED = 'must be an RFC 3339 time with an offset, such as 2026-12-01T09:30:00Z';

export const timestamp = Joi.string().custom((text: string, helpers) =>
  isTimestamp(text) ? text : helpers.message({ custom: EXPECTED }),
);

const PLUS_EXPECTED =
  'has a space where its offset needs a +; write + as %2B in a URL, or send a time in UTC that ends in Z';

/** A time in a query string, where a `+` that is not encoded stands for a space. */
export const queryTimestamp = Joi.string().custom((text: string, helpers) => {
  if (isTimestamp(text)) return text;
  const hasLostPlus = isTimestamp(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  return helpers.message({ custom: hasLostPlus ? PLUS_EXPECTED : EXPECTED });
});

/** A single rule, because joi would apply the second of two rules even if the first had failed. */
export const futureTimestamp = Joi.string().custom((text: string, helpers) => {
  if (!isTimestamp(text)) return helpers.message({ custom: EXPECTED });
  return new Date(text).getTime() > Date.now() ? text : helpers.message({ custom: 'must be in the future' });
});

/** Refuses dates that Date would roll over, such as 30 February. */
function isTimestamp(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  if (!year || Number.isNaN(Date.parse(text))) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
