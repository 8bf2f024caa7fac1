import { Code, List } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Section } from '../ui/section';

/** Names the API's error codes, for developers whose programs run into a limit. */
export function LimitsSection({ usage }: { readonly usage: Usage }) {
  const { monthly, daily, overage, rate_limit: rateLimit } = usage;
  return (
    <Section
      title="When you reach a limit"
      description="A request is accepted or refused as a whole. Refused emails are not sent later."
    >
      <List spacing="sm" size="sm">
        <List.Item>
          <b>Monthly cap:</b> {monthly.limit === null && 'none.'}
          {monthly.limit !== null && overage.allowed && (
            <>
              sends beyond {monthly.limit.toLocaleString()} are accepted and billed as overage. If your operator limits
              overage, the API returns <Code>402 monthly_cap_exceeded</Code> at that limit.
            </>
          )}
          {monthly.limit !== null && !overage.allowed && (
            <>
              once you reach it, the API returns <Code>402 monthly_cap_exceeded</Code> until the next month begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>Daily cap:</b>{' '}
          {daily.limit === null ? (
            'none.'
          ) : (
            <>
              once you reach it, the API returns <Code>429 daily_cap_exhausted</Code> without <Code>Retry-After</Code>.
              The <Code>resets_at</Code> field says when the next day begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>Rate limit:</b> above {rateLimit.per_minute.toLocaleString()} emails per minute, the API returns{' '}
          <Code>429 rate_limited</Code>. The <Code>Retry-After</Code> header says how many seconds to wait.
        </List.Item>
      </List>
    </Section>
  );
}
