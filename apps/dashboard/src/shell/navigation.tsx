import { NavLink } from '@mantine/core';
import {
  IconBook,
  IconChartBar,
  IconCode,
  IconGauge,
  IconKey,
  IconMail,
  IconSettings,
  IconTemplate,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';

type NavItem = { readonly to: string; readonly label: string; readonly icon: TablerIcon };

const itemsBeforeApi: readonly NavItem[] = [
  { to: '/', label: 'Overview', icon: IconGauge },
  { to: '/emails', label: 'Emails', icon: IconMail },
  { to: '/templates', label: 'Templates', icon: IconTemplate },
  { to: '/domains', label: 'Domains', icon: IconWorld },
];

const apiItems: readonly NavItem[] = [{ to: '/api-keys', label: 'Keys', icon: IconKey }];

const itemsAfterApi: readonly NavItem[] = [
  { to: '/usage', label: 'Usage & plan', icon: IconChartBar },
  { to: '/settings', label: 'Settings', icon: IconSettings },
];

export function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const { pathname } = useLocation();
  const renderItem = ({ to, label, icon: Icon }: NavItem) => {
    const active = to === '/' ? pathname === '/' : pathname.startsWith(to);
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        label={label}
        leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
        active={active}
        {...(active && { 'aria-current': 'page' as const })}
        onClick={onNavigate}
      />
    );
  };
  return (
    <>
      {itemsBeforeApi.map(renderItem)}
      <NavLink
        label="API"
        leftSection={<IconCode size={18} stroke={1.6} aria-hidden />}
        defaultOpened
        childrenOffset={24}
      >
        {apiItems.map(renderItem)}
        <NavLink
          href="/docs"
          label="Reference"
          target="_blank"
          leftSection={<IconBook size={18} stroke={1.6} aria-hidden />}
        />
      </NavLink>
      {itemsAfterApi.map(renderItem)}
    </>
  );
}
