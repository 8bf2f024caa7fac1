import { MAX_AGE_HOURS, MAX_DOMAIN_CHARACTERS, MAX_SCHEDULE_DAYS } from '@posthorn/platform/config';
import { limits } from '../../src/limits/limits.js';

test('settings are checked against the limits that the API has', () => {
  expect([MAX_DOMAIN_CHARACTERS, MAX_SCHEDULE_DAYS, MAX_AGE_HOURS]).toEqual([
    limits.domainName.max,
    limits.scheduleDays.max,
    limits.maxAgeHours.max,
  ]);
});
