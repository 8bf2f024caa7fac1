import shapes from 'virtual:icon-shapes';
import type { SVGProps } from 'react';

type IconProps = Omit<SVGProps<SVGSVGElement>, 'stroke'> & {
  readonly size?: number;
  /** The width of the lines, of 24 units across the icon. */
  readonly stroke?: number;
};

export type Icon = (props: IconProps) => React.ReactNode;

/** @param name what Tabler calls the icon. The build reads these names here and adds the shapes (icon-shapes.ts) */
const icon =
  (name: string): Icon =>
  ({ size = 24, stroke = 2, ...others }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      {...others}
    >
      {shapes[name]?.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );

export const IconAdjustmentsHorizontal = icon('adjustments-horizontal');
export const IconAlertTriangle = icon('alert-triangle');
export const IconArrowLeft = icon('arrow-left');
export const IconArrowRight = icon('arrow-right');
export const IconBook = icon('book');
export const IconChartBar = icon('chart-bar');
export const IconCheck = icon('check');
export const IconChevronDown = icon('chevron-down');
export const IconChevronRight = icon('chevron-right');
export const IconCircleCheck = icon('circle-check');
export const IconClock = icon('clock');
export const IconCode = icon('code');
export const IconCopy = icon('copy');
export const IconCopyPlus = icon('copy-plus');
export const IconDeviceDesktop = icon('device-desktop');
export const IconDots = icon('dots');
export const IconDownload = icon('download');
export const IconGauge = icon('gauge');
export const IconHeartbeat = icon('heartbeat');
export const IconHistory = icon('history');
export const IconHourglass = icon('hourglass');
export const IconKey = icon('key');
export const IconLogout = icon('logout');
export const IconMail = icon('mail');
export const IconMailOff = icon('mail-off');
export const IconMailPlus = icon('mail-plus');
export const IconMoon = icon('moon');
export const IconPencil = icon('pencil');
export const IconPlayerPause = icon('player-pause');
export const IconPlus = icon('plus');
export const IconSearch = icon('search');
export const IconSend = icon('send');
export const IconSettings = icon('settings');
export const IconSun = icon('sun');
export const IconTemplate = icon('template');
export const IconTrash = icon('trash');
export const IconUnlink = icon('unlink');
export const IconUpload = icon('upload');
export const IconWebhook = icon('webhook');
export const IconWorld = icon('world');
export const IconX = icon('x');
