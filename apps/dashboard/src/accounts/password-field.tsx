import { PasswordInput, type PasswordInputProps } from '@mantine/core';

type Props = Omit<PasswordInputProps, 'autoComplete'> & {
  readonly autoComplete: 'current-password' | 'new-password';
};

/** A new password is told its rule before it is typed; whether it holds, the API says. */
export function PasswordField({ autoComplete, ...input }: Props) {
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
