import { replayLimits, sendLimits, suppressionLimits } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';

test('the dashboard names the limits that the API enforces', () => {
  expect(sendLimits).toEqual({ attachments: limits.attachments.max, messageBytes: limits.messageBytes.max });
  expect(suppressionLimits).toEqual({
    importedRows: limits.importedRows.max,
    importedBytes: limits.importedBytes.max,
    removalReason: limits.removalReason.max,
  });
  expect(replayLimits).toEqual({ events: limits.replayedEvents.max, days: limits.webhookEventDays.max });
});
