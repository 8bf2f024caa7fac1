import { Alert, Anchor, Text } from '@mantine/core';
import type { Cap, Usage } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { IconAlertTriangle } from '../ui/icons';
import { RelativeTime } from '../ui/timestamp';
import { capLevel } from '../usage/cap-level';

/**
 * Warns before and after a cap is reached. If overage is allowed, sends beyond the monthly cap are billed, not refused.
 */
export function CapNotices({ usage: { monthly, daily, overage } }: { readonly usage: Usage }) {
  return (
    <>
      {!overage.allowed && <CapNotice name="monthly" cap={monthly} status={402} />}
      <CapNotice name="daily" cap={daily} status={429} />
    </>
  );
}

type Props = { readonly name: 'monthly' | 'daily'; readonly cap: Cap; readonly status: number };

function CapNotice({ name, cap, status }: Props) {
  const level = capLevel(cap);
  if (level === 'ok' || cap.limit === null) return null;
  const isReached = level === 'reached';
  return (
    <Alert
      color={isReached ? 'red' : 'orange'}
      icon={<IconAlertTriangle />}
      title={isReached ? `You have reached the ${name} cap` : `You have almost reached the ${name} cap`}
    >
      <Text size="sm" component="div">
        {cap.used.toLocaleString()} of {cap.limit.toLocaleString()} sends used.{' '}
        {isReached ? 'Further sends are' : 'Once you reach the cap, further sends are'} refused with HTTP {status} until
        the cap resets <RelativeTime value={cap.resets_at} />.{' '}
        <Anchor component={Link} to="/usage" inherit underline="always" c="inherit">
          See usage & plan
        </Anchor>
      </Text>
    </Alert>
  );
}
