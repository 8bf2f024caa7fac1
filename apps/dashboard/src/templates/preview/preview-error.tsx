import { Alert, Text } from '@mantine/core';
import { ApiError } from '../../api/request';
import { ProblemAlert } from '../../ui/problem-alert';

type Props = {
  readonly error: Error;
  /** Whether an older preview is shown below. */
  readonly stale: boolean;
};

const labels: Readonly<Record<string, string>> = { subject: 'Subject', html_body: 'HTML', text_body: 'Text' };

/** Errors in the content. They are yellow, because the user may still be typing. */
export function PreviewError({ error, stale }: Props) {
  const errors = error instanceof ApiError ? error.problem.errors : undefined;
  if (errors === undefined) return <ProblemAlert error={error} />;
  return (
    <Alert role="status" color="yellow" variant="light" className="breakable">
      {errors.map(({ field, message }) => (
        <Text key={field} size="sm">
          <b>{labels[field] ?? field}</b>: {message}
        </Text>
      ))}
      {stale && <Text size="sm">The preview below is the last one without errors.</Text>}
    </Alert>
  );
}
