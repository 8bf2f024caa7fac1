import { Alert, List, Text } from '@mantine/core';
import type { AuthenticationResult, CheckedRecipient, EmailCheck, SenderReason } from '@posthorn/contract';
import { reasons } from '../../suppressions/reasons';
import { Fact, Facts } from '../../ui/facts';
import { formatBytes } from '../../ui/format';
import { HtmlPreview } from '../../ui/html-preview';
import { Section } from '../../ui/page';

export function CheckResult({ check }: { readonly check: EmailCheck }) {
  const problems = [...check.warnings.map(({ message }) => message), ...describeMissing(check.missing_variables)];
  const suppressed = check.recipients.filter(({ status }) => status === 'suppressed');
  return (
    <Section title="Check" gap="md">
      <Alert
        role="status"
        color={check.would_send ? 'green' : 'red'}
        title={check.would_send ? 'This email would be sent' : 'This email would not be sent'}
      >
        {problems.length > 0 && (
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem} className="breakable">
                {problem}
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      <Facts>
        <Fact name="From">
          {check.from_}
          <Text c="dimmed">{senderReasons[check.sender_reason]}</Text>
        </Fact>
        <Fact name="Subject">{check.subject}</Fact>
        {suppressed.length > 0 && <Fact name="Suppressed">{suppressed.map(describeSuppressed).join(', ')}</Fact>}
        <Fact name="DNS">
          <Authentication results={check.authentication} />
        </Fact>
        <Fact name="Size">{formatBytes(check.size_bytes)}</Fact>
        <Fact name="Counts as">{check.sends === 1 ? '1 send' : `${check.sends.toLocaleString()} sends`}</Fact>
        <Fact name="Sends left">{describeRemaining(check.remaining)}</Fact>
      </Facts>
      {check.html !== null && <HtmlPreview html={check.html} title="HTML preview" />}
      {check.text !== null && (
        <Text component="pre" className="breakable" style={{ whiteSpace: 'pre-wrap' }} aria-label="Text">
          {check.text}
        </Text>
      )}
    </Section>
  );
}

const senderReasons: Readonly<Record<SenderReason, string>> = {
  verified_domain: 'An address at one of your verified domains.',
  no_sender_requested: 'The platform sender, because From is empty.',
  no_verified_domain: 'The platform sender, because this workspace has no verified domain.',
};

const methods = { dkim: 'DKIM', spf: 'SPF', dmarc: 'DMARC' } as const;

const results: Readonly<Record<AuthenticationResult, string>> = {
  pass: 'passes',
  fail: 'fails',
  unknown: 'unknown',
};

/** What recipients' mail servers would find out about the sender. */
function Authentication({ results: found }: { readonly results: EmailCheck['authentication'] }) {
  const values = Object.entries(methods).map(([key, name]) => ({ name, result: found[key as keyof typeof methods] }));
  const isKnown = values.some(({ result }) => result !== 'unknown');
  return (
    <>
      {values.map(({ name, result }) => `${name} ${results[result]}`).join(', ')}
      <Text c="dimmed">
        {isKnown
          ? 'According to the last check of the domain’s DNS records.'
          : 'The operator of this server looks after the DNS records of the platform sender.'}
      </Text>
    </>
  );
}

function describeSuppressed({ address, reason }: CheckedRecipient): string {
  if (reason === null) return address;
  return `${address} (${reason === 'simulated' ? 'simulator' : reasons[reason].label.toLowerCase()})`;
}

function describeMissing(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`These variables have no value: ${names.join(', ')}.`];
}

function describeRemaining({ daily, monthly }: EmailCheck['remaining']): string {
  const limits = [
    ...(daily === null ? [] : [`${daily.toLocaleString()} today`]),
    ...(monthly === null ? [] : [`${monthly.toLocaleString()} this month`]),
  ];
  return limits.length === 0 ? 'No cap' : limits.join(', ');
}
