/**
 * Where the mailed link leads as long as no dashboard serves that path: it says how to use the token,
 * which is in the page's own address and is not repeated in it.
 */
export function resetPage(publicUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reset your password</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
<h1>Reset your password</h1>
<p>The token is what stands behind <code>token=</code> in the address of this page. It works once, for an hour:</p>
<pre><code>curl ${publicUrl}/auth/reset -H 'Content-Type: application/json' -d '{"token":"TOKEN","password":"YOUR NEW PASSWORD"}'</code></pre>
<p>Afterwards log in with the new password; all earlier sessions are ended.</p>
</main>
</body>
</html>
`;
}
