import { limits } from '@posthorn/domain/limits';
import { createResponseBudget } from '../../src/webhooks/response-budget.js';

const PER_DAY = limits.webhookResponsesPerDay.max;
const body = 'x'.repeat(limits.webhookResponse.max);

test('responses are stored until their bytes reach the limit of the workspace, and then without their body', () => {
  const cut = createResponseBudget();
  const stored = Array.from({ length: PER_DAY / body.length }, () => cut('one', { body, bodyTruncated: false }));
  expect(stored.every((each) => each.body === body && !each.bodyTruncated)).toBe(true);
  expect(cut('one', { body, bodyTruncated: false })).toEqual({ body: '', bodyTruncated: true });
  expect(cut('one', { body: '', bodyTruncated: false })).toEqual({ body: '', bodyTruncated: false });
  expect(cut('two', { body, bodyTruncated: false })).toEqual({ body, bodyTruncated: false });
});
