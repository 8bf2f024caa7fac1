import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { HtmlPreview } from '../ui/html-preview';
import { hasInlineImages, inlineImages } from './inline-images';
import { messageQuery } from './queries';

type Props = {
  readonly html: string;
  /** Where the API serves the whole message, with the images that the HTML refers to by `cid:`. */
  readonly path: string;
};

/** The HTML as a mail program shows it. */
export function HtmlView({ html, path }: Props) {
  const [allowRemote, setAllowRemote] = useState(false);
  const { data: message, isLoading } = useQuery({ ...messageQuery(path), enabled: hasInlineImages(html) });
  if (isLoading) return <Skeleton height={560} />;
  const shown = inlineImages(html, message?.files ?? []);
  return (
    <Stack gap="sm">
      <Switch
        label="Load remote images"
        description="The servers that host the images will see your IP address and that you opened this email."
        checked={allowRemote}
        onChange={({ currentTarget }) => setAllowRemote(currentTarget.checked)}
      />
      <HtmlPreview html={shown} title="HTML preview" allowRemote={allowRemote} />
      <Text size="xs" c="dimmed">
        Links do not work in this preview. The Links tab lists them.
      </Text>
    </Stack>
  );
}
