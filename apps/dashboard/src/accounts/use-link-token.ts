import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The token of a mailed link, which is a secret: it is taken out of the address and of the browser's history.
 * @param token of the address that the page was opened with
 */
export function useLinkToken(token: string | undefined): string | undefined {
  const [initialToken] = useState(token);
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return initialToken;
}
