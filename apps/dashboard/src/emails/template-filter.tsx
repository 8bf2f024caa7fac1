import { useQuery } from '@tanstack/react-query';
import { SelectFilter } from '../ui/select-filter';
import { templateNamesQuery } from './template-names-query';

type Props = {
  /** Whether the filter is visible. The names load only then. */
  readonly enabled: boolean;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
};

export function TemplateFilter({ enabled, ...props }: Props) {
  const { data = [] } = useQuery({ ...templateNamesQuery, enabled });
  return (
    <SelectFilter label="Template" options={data.map(({ id, name }) => ({ value: id, label: name }))} {...props} />
  );
}
