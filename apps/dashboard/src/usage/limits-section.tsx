import { Code, List } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Section } from '../ui/section';

/** In the words of the API, for those who write the programs that meet them. */
export function LimitsSection({ usage }: { readonly usage: Usage }) {
  const { monthly, daily, overage, rate_limit: rateLimit } = usage;
  return (
    <Section
      title="At a limit"
      description="A request is accepted whole or refused whole. What is refused is not sent later."
    >
      <List spacing="sm" size="sm">
        <List.Item>
          <b>The month:</b> {monthly.limit === null && 'there is no cap.'}
          {monthly.limit !== null && overage.allowed && (
            <>
              beyond {monthly.limit.toLocaleString()} sends emails are still accepted, and billed as overage. Where the
              operator has set a bound to that, the API answers <Code>402 monthly_cap_exceeded</Code> at the bound.
            </>
          )}
          {monthly.limit !== null && !overage.allowed && (
            <>
              the API answers <Code>402 monthly_cap_exceeded</Code> until the next month begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>The day:</b>{' '}
          {daily.limit === null ? (
            'there is no cap.'
          ) : (
            <>
              the API answers <Code>429 daily_cap_exhausted</Code> without <Code>Retry-After</Code>; its{' '}
              <Code>resets_at</Code> says when the next day begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>The rate:</b> beyond {rateLimit.per_minute.toLocaleString()} emails a minute the API answers{' '}
          <Code>429 rate_limited</Code> with <Code>Retry-After</Code>, the seconds to wait.
        </List.Item>
      </List>
    </Section>
  );
}
