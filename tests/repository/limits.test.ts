import { sendLimits } from '@posthorn/contract';
import { limits } from '@posthorn/domain';

test('the dashboard names the limits that the API enforces', () => {
  expect(sendLimits).toEqual({ attachments: limits.attachments.max, messageBytes: limits.messageBytes.max });
});
