import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type AnchorElement = Omit<ComponentProps<'a'>, keyof AnchorProps | 'href'>;

export const TextLink = createLink((props: Omit<AnchorProps, 'href'> & AnchorElement) => <Anchor {...props} />);

export const ButtonLink = createLink((props: ButtonProps & AnchorElement) => <Button component="a" {...props} />);

/** A link in a sentence, which looks like the text around it. */
export const InlineLink = createLink((props: Omit<AnchorProps, 'href'> & AnchorElement) => (
  <Anchor inherit underline="always" {...props} />
));
