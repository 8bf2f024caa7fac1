import { useQuery } from '@tanstack/react-query';
import { FilterChoice } from './filter-choice';
import { templateNamesQuery } from './template-names-query';

type Props = {
  /** Whether it is shown: the names are not asked for before. */
  readonly enabled: boolean;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
};

export function TemplateChoice({ enabled, ...props }: Props) {
  const { data = [] } = useQuery({ ...templateNamesQuery, enabled });
  return (
    <FilterChoice label="Template" choices={data.map(({ id, name }) => ({ value: id, label: name }))} {...props} />
  );
}
