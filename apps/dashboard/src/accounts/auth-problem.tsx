import { Alert } from '@mantine/core';
import { isApiError } from '../api/request';
import { IconClock } from '../ui/icons';
import { ProblemAlert } from '../ui/problem-alert';

/** Tells rate-limited users how long to wait; shows any other error as is. */
export function AuthProblem({ error }: { readonly error: Error | null }) {
  if (!isApiError(error, 'rate_limited') || error.retryAfterSeconds === null) return <ProblemAlert error={error} />;
  return (
    <Alert role="alert" color="orange" title="Too many attempts" icon={<IconClock />}>
      Try again in {formatDuration(error.retryAfterSeconds)}.
    </Alert>
  );
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return `${Math.ceil(minutes / 60)} hours`;
}
