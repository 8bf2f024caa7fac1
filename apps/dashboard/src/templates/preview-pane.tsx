import { Alert, Box, Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useResizeObserver } from '@mantine/hooks';
import type { TemplatePreview } from '@posthorn/contract';
import { type ReactNode, useState } from 'react';
import { Caption } from '../ui/facts';
import { HtmlPreview } from '../ui/html-preview';
import { TabView } from '../ui/tab-view';
import classes from './preview-pane.module.css';

type Device = 'desktop' | 'phone';

const widths: Readonly<Record<Device, number>> = { desktop: 640, phone: 375 };

/** In a narrower window, the desktop preview would be too small to read. */
const MIN_DESKTOP_PX = 600;

export function PreviewPane({ preview: { subject, html, text, missing } }: { readonly preview: TemplatePreview }) {
  return (
    <Stack gap="sm">
      {missing.length > 0 && <MissingValues names={missing} />}
      <div>
        <Caption>Subject</Caption>
        <Text size="md" fw={600} className="breakable">
          {subject || '(empty)'}
        </Text>
      </div>
      <TabView
        gap="sm"
        tabs={[
          { name: 'html', label: 'HTML', content: <SizedPreview html={html} /> },
          { name: 'text', label: 'Text', content: <ScrollBox label="Text preview">{text || '(empty)'}</ScrollBox> },
        ]}
      />
    </Stack>
  );
}

/** The HTML as wide as on a desktop or a phone. */
function SizedPreview({ html }: { readonly html: string }) {
  const [device, setDevice] = useState<Device>(() => (window.innerWidth < MIN_DESKTOP_PX ? 'phone' : 'desktop'));
  return (
    <>
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
    </>
  );
}

function MissingValues({ names }: { readonly names: readonly string[] }) {
  return (
    <Alert color="yellow" role="status" title="Missing values" className="breakable">
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Code>{name}</Code>
        </span>
      ))}
      . The preview leaves {names.length === 1 ? 'it' : 'them'} empty, but the API refuses emails without a value.
    </Alert>
  );
}

export function ScrollBox({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classes.box} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Lays out its content at a fixed width and scales it down to fit. */
function Viewport({ width, children }: { readonly width: number; readonly children: ReactNode }) {
  const [container, { width: available }] = useResizeObserver<HTMLDivElement>();
  const [content, { height }] = useResizeObserver<HTMLDivElement>();
  const scale = available > 0 ? Math.min(1, available / width) : 1;
  return (
    <div ref={container} style={{ height: height > 0 ? height * scale : undefined, overflow: 'hidden' }}>
      <Box ref={content} className={classes.content} __vars={{ '--scale': String(scale) }} style={{ width }}>
        {children}
      </Box>
    </div>
  );
}
