import {
  ActionIcon,
  type MantineBreakpoint,
  Paper,
  Table,
  type TableProps,
  type TableTdProps,
  type TableThProps,
  VisuallyHidden,
} from '@mantine/core';
import { Fragment, type ReactNode, useId } from 'react';
import classes from './data-table.module.css';
import { IconChevronRight } from './icons';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row, index: number) => ReactNode;
  /** Narrower screens do not show the column. */
  readonly from?: MantineBreakpoint;
  readonly w?: number | string;
  readonly ta?: 'right' | 'end';
  /** Whether a long word in a cell may be broken. */
  readonly isBreakable?: true;
  /** Whether only screen readers get the column's name. */
  readonly isNameHidden?: true;
  readonly isRowName?: true;
  readonly className?: string | undefined;
  readonly td?: Pick<TableTdProps & TableThProps, 'fw' | 'miw' | 'style'>;
};

/** A second row below each row, which a button in the first column opens. */
type Details<Row> = {
  readonly label: (row: Row) => string;
  readonly content: (row: Row) => ReactNode;
  readonly isOpen: (row: Row) => boolean;
  readonly onToggle: (row: Row) => void;
  readonly td: TableTdProps;
};

type Props<Row> = Omit<TableProps, 'data' | 'children'> & {
  readonly rows: readonly Row[];
  /** What distinguishes a row from the others. By default, its id. */
  readonly rowKey?: (row: Row, index: number) => string | number;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly details?: Details<Row>;
  readonly isFramed?: true;
  /** Whether a link in the first column covers its row. */
  readonly isLinked?: true;
  readonly isTopAligned?: true;
  readonly scrollBelow?: number;
};

/** A table whose columns are data. What a hidden column says must also be in a cell that is visible. */
export function DataTable<Row>({ isFramed, scrollBelow, ...props }: Props<Row>) {
  const table = <Rows {...(isFramed && { verticalSpacing: 'sm', horizontalSpacing: 'md' })} {...props} />;
  if (isFramed)
    return (
      <Paper withBorder {...(props.isLinked && { style: { overflow: 'hidden' } })}>
        {table}
      </Paper>
    );
  if (scrollBelow === undefined) return table;
  return (
    <Table.ScrollContainer minWidth={scrollBelow} scrollAreaProps={{ type: 'auto' }}>
      {table}
    </Table.ScrollContainer>
  );
}

function Rows<Row>({
  rows,
  rowKey = (row) => (row as { readonly id: string }).id,
  columns,
  details,
  isLinked,
  isTopAligned,
  ...table
}: Omit<Props<Row>, 'isFramed'>) {
  const id = useId();
  const row = {
    ...(isLinked && { className: classes.linked }),
    ...(isTopAligned && { style: { verticalAlign: 'top' } }),
  };
  return (
    <Table {...table} {...(isLinked && { highlightOnHover: true })}>
      <Table.Thead>
        <Table.Tr>
          {details && (
            <Table.Th scope="col" w={1} pe={0}>
              <VisuallyHidden>Details</VisuallyHidden>
            </Table.Th>
          )}
          {columns.map(({ name, from, w, ta, isNameHidden, className }) => (
            <Table.Th key={name} scope="col" {...visibleFrom(from)} {...{ w, ta, className }}>
              {isNameHidden ? <VisuallyHidden>{name}</VisuallyHidden> : name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((data, index) => {
          const key = rowKey(data, index);
          const cells = columns.map((column) => <Cell key={column.name} {...{ column, data, index }} />);
          if (!details)
            return (
              <Table.Tr key={key} {...row}>
                {cells}
              </Table.Tr>
            );
          const isOpen = details.isOpen(data);
          return (
            <Fragment key={key}>
              <Table.Tr {...row}>
                <Table.Td w={1} pe={0}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Details: ${details.label(data)}`}
                    aria-expanded={isOpen}
                    aria-controls={`${id}-${key}`}
                    onClick={() => details.onToggle(data)}
                  >
                    <IconChevronRight size={16} className={classes.chevron} />
                  </ActionIcon>
                </Table.Td>
                {cells}
              </Table.Tr>
              <Table.Tr id={`${id}-${key}`} hidden={!isOpen}>
                <Table.Td colSpan={columns.length + 1} {...details.td}>
                  {isOpen && details.content(data)}
                </Table.Td>
              </Table.Tr>
            </Fragment>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

type CellProps<Row> = { readonly column: Column<Row>; readonly data: Row; readonly index: number };

function Cell<Row>({ column: { cell, from, ta, isBreakable, isRowName, td }, data, index }: CellProps<Row>) {
  const props = { ...visibleFrom(from), ta, ...(isBreakable && { className: 'breakable' }), ...td };
  if (isRowName)
    return (
      <Table.Th scope="row" {...props}>
        {cell(data, index)}
      </Table.Th>
    );
  return <Table.Td {...props}>{cell(data, index)}</Table.Td>;
}

function visibleFrom(from: MantineBreakpoint | undefined) {
  return from === undefined ? {} : { visibleFrom: from };
}
