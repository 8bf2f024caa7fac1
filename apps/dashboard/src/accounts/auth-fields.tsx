import {
  Alert,
  Button,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, isApiError } from '../api/request';
import { ApiForm, type FormProps } from '../ui/api-form';
import { IconClock, IconUnlink } from '../ui/icons';
import { ProblemAlert } from '../ui/loaded';

/** A form of a page for visitors: its button is as wide as its fields. */
export function AuthForm({ onSubmit, problem, children, pending, action }: FormProps) {
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <AuthProblem error={problem} />
        {children}
        <Button type="submit" loading={pending} fullWidth>
          {action}
        </Button>
      </Stack>
    </ApiForm>
  );
}

/** `username` lets password managers recognize the field. */
export function EmailField(input: TextInputProps) {
  return (
    <TextInput label="Email" type="email" autoComplete="username" required withAsterisk={false} autoFocus {...input} />
  );
}

type PasswordFieldProps = Omit<PasswordInputProps, 'autoComplete'> & {
  readonly autoComplete: 'current-password' | 'new-password';
};

/** States the rule for new passwords. The API enforces it. */
export function PasswordField({ autoComplete, ...input }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...(autoComplete === 'new-password' && { description: 'At least 10 characters. A few random words work well.' })}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide password', tabIndex: 0 }}
      {...input}
    />
  );
}

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

/** For an incomplete, expired or used link from an email. `children` explain what to do. */
export function InvalidLink({ children }: { readonly children: ReactNode }) {
  return (
    <Alert role="alert" color="orange" title="This link does not work" icon={<IconUnlink />}>
      {children}
    </Alert>
  );
}

export function isInvalidLink(error: Error | null): boolean {
  return error instanceof ApiError && (error.problem.errors ?? []).some(({ field }) => field === 'token');
}

/**
 * Removes an emailed link's token from the address bar and the browser history, because the token is a secret.
 * @param token from the URL that opened the page
 */
export function useLinkToken(token: string | undefined): string | undefined {
  const [initialToken] = useState(token);
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return initialToken;
}
