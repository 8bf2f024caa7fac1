import { PasswordInput, type PasswordInputProps } from '@mantine/core';

type Props = Omit<PasswordInputProps, 'autoComplete'> & {
  readonly autoComplete: 'current-password' | 'new-password';
};

/** States the rule for new passwords. The API enforces it. */
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
