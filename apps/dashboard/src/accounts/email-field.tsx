import { TextInput, type TextInputProps } from '@mantine/core';

/** The address of an account, as password managers know it. */
export function EmailField(input: TextInputProps) {
  return (
    <TextInput label="Email" type="email" autoComplete="username" required withAsterisk={false} autoFocus {...input} />
  );
}
