import type { Email } from '@posthorn/contract';
import { Fact, Facts } from '../ui/facts';
import { Timestamp } from '../ui/timestamp';

/** The headers that Posthorn adds and the ones from the request. */
export function EmailHeaders({ email }: { readonly email: Email }) {
  return (
    <Facts columns={1}>
      <Fact name="Message-ID">{`<${email.message_id}>`}</Fact>
      <Fact name="Date">
        <Timestamp value={email.created_at} exact />
      </Fact>
      {Object.entries(email.headers).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  );
}
