import { Alert, Code, Group, SegmentedControl, Stack, Tabs, Text } from '@mantine/core';
import type { TemplatePreview } from '@posthorn/contract';
import { useState } from 'react';
import { HtmlPreview } from '../../ui/html-preview';
import { ScrollBox } from './scroll-box';
import { Viewport } from './viewport';

type Device = 'desktop' | 'phone';

const widths: Readonly<Record<Device, number>> = { desktop: 640, phone: 375 };

/** In a narrower window, the desktop preview would be too small to read. */
const MIN_DESKTOP_PX = 600;

/** The email as recipients see it: subject, HTML and text. */
export function PreviewPane({ preview: { subject, html, text, missing } }: { readonly preview: TemplatePreview }) {
  const [device, setDevice] = useState<Device>(() => (window.innerWidth < MIN_DESKTOP_PX ? 'phone' : 'desktop'));
  return (
    <Stack gap="sm">
      {missing.length > 0 && <MissingValues names={missing} />}
      <div>
        <Text size="xs" c="dimmed">
          Subject
        </Text>
        <Text fw={600} className="breakable">
          {subject || '(empty)'}
        </Text>
      </div>
      <Tabs defaultValue="html" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="html">HTML</Tabs.Tab>
          <Tabs.Tab value="text">Text</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="html">
          <Group justify="flex-end" mb="xs">
            <SegmentedControl
              size="xs"
              aria-label="Preview width"
              value={device}
              onChange={setDevice}
              data={[
                { value: 'desktop', label: 'Desktop' },
                { value: 'phone', label: 'Phone' },
              ]}
            />
          </Group>
          <Viewport width={widths[device]}>
            <HtmlPreview html={html} title="HTML preview" />
          </Viewport>
        </Tabs.Panel>
        <Tabs.Panel value="text">
          <ScrollBox label="Text preview">{text || '(empty)'}</ScrollBox>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function MissingValues({ names }: { readonly names: readonly string[] }) {
  return (
    <Alert color="yellow" variant="light" role="status" title="Missing values">
      <Text size="sm" component="div" className="breakable">
        {names.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <Code>{name}</Code>
          </span>
        ))}
        . The preview leaves {names.length === 1 ? 'it' : 'them'} empty, but the API refuses emails without a value.
      </Text>
    </Alert>
  );
}
