import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Removes an emailed link's token from the address bar and the browser history, because the token is a secret.
 * @param token from the URL that opened the page
 */
export function useLinkToken(token: string | undefined): string | undefined {
  const [initialToken] = useState(token);
  const navigate = useNavigate();
  useEffect(() => {
    if (token !== undefined) void navigate({ to: '.', search: {}, replace: true });
  }, [token, navigate]);
  return initialToken;
}
