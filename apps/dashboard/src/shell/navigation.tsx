import { NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useIsOwner } from '../accounts/workspaces';
import { IconBook, IconCode } from '../ui/icons';
import { apiItems, itemsAfterApi, itemsBeforeApi, type NavItem } from './nav-items';

export function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const { pathname } = useLocation();
  const isOwner = useIsOwner();
  const renderItem = ({ to, label, icon: Icon }: NavItem) => {
    const active = to === '/' ? pathname === '/' : pathname.startsWith(to);
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        label={label}
        leftSection={<Icon size={18} stroke={1.6} />}
        active={active}
        {...(active && { 'aria-current': 'page' as const })}
        onClick={onNavigate}
      />
    );
  };
  return (
    <>
      {itemsBeforeApi.map(renderItem)}
      <NavLink label="API" leftSection={<IconCode size={18} stroke={1.6} />} defaultOpened childrenOffset={24}>
        {apiItems.map(renderItem)}
        <NavLink href="/docs" label="Reference" target="_blank" leftSection={<IconBook size={18} stroke={1.6} />} />
      </NavLink>
      {itemsAfterApi.filter(({ ownersOnly }) => isOwner || !ownersOnly).map(renderItem)}
    </>
  );
}
