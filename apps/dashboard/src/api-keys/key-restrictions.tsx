import { MultiSelect, TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { domainsQuery } from '../domains/queries';
import type { KeyValues } from './create-key-form';

/** The optional fields that say from which domains a key can send, and from which networks it works. */
export function KeyRestrictions({ form }: { readonly form: UseFormReturnType<KeyValues> }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { domain_ids: domainIds, networks } = form.values;
  return (
    <>
      {domains.length > 0 && (
        <MultiSelect
          label="Only send from these domains"
          description="With domains, the key cannot use the platform sender."
          placeholder={domainIds.length === 0 ? 'All domains' : ''}
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          nothingFoundMessage="You have no such domain."
          searchable
          hidePickedOptions
          {...form.getInputProps('domain_ids')}
        />
      )}
      <TagsInput
        label="Only work from these networks"
        description="IP addresses, or networks such as 192.0.2.0/24. Press Enter after each one."
        placeholder={networks.length === 0 ? 'Anywhere' : ''}
        acceptValueOnBlur
        {...form.getInputProps('networks')}
      />
    </>
  );
}
