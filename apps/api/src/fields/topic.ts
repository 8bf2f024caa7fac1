import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';

/** Topics appear in URLs and headers, so they have only characters that need no encoding there. */
const TOPIC = new RegExp(`^[a-z0-9_-]{1,${limits.topic.max}}$`);

export const TOPIC_EXPECTED = `1 to ${limits.topic.max} of the characters a-z, 0-9, - and _`;

export function isTopic(text: string): boolean {
  return TOPIC.test(text);
}

export const topicSchema = Joi.string().pattern(TOPIC, TOPIC_EXPECTED);
