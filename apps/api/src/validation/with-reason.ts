import Joi from 'joi';

/** A field that must not be sent. @param reason a phrase that follows the field */
export function forbidden(reason: string): Joi.Schema {
  return withReason(Joi.forbidden(), reason);
}

/** Avoids `messages`: if a schema has its own messages, joi copies all error messages on every validation. */
export function withReason(schema: Joi.Schema, reason: string): Joi.Schema {
  return schema.error((reports) => {
    for (const report of reports) report.local.reason = reason;
    return reports;
  });
}
