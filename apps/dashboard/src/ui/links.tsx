import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { IconDownload } from './icons';

type AnchorElement = Omit<ComponentProps<'a'>, keyof AnchorProps | 'href'>;

export const TextLink = createLink((props: Omit<AnchorProps, 'href'> & AnchorElement) => <Anchor {...props} />);

export const ButtonLink = createLink((props: ButtonProps & AnchorElement) => <Button component="a" {...props} />);

/** A link in a sentence, which looks like the text around it. */
export const InlineLink = createLink((props: Omit<AnchorProps, 'href'> & AnchorElement) => (
  <Anchor inherit underline="always" {...props} />
));

type DownloadButtonProps = Pick<ButtonProps, 'size'> & {
  readonly href: string;
  /** The name of the file. */
  readonly download: string;
  readonly label: string;
};

export function DownloadButton({ label, ...props }: DownloadButtonProps) {
  return (
    <Button component="a" variant="default" size="xs" leftSection={<IconDownload size={14} />} {...props}>
      {label}
    </Button>
  );
}
