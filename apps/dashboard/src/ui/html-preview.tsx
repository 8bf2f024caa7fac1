type Props = {
  readonly html: string;
  /** What it shows, for those who hear the page. */
  readonly title: string;
  /** Whether its pictures may be fetched, which tells their servers that somebody looks. */
  readonly allowRemote?: boolean;
};

/** HTML that somebody else wrote: it runs no script, follows no link and by itself loads nothing. */
export function HtmlPreview({ html, title, allowRemote = false }: Props) {
  const images = allowRemote ? 'data: https:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}`;
  return (
    <iframe
      title={title}
      sandbox=""
      srcDoc={`<meta http-equiv="Content-Security-Policy" content="${policy}">${html}`}
      style={{ display: 'block', width: '100%', height: '34rem', border: 0, background: 'white', colorScheme: 'light' }}
    />
  );
}
