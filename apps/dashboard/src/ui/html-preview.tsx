import classes from './html-preview.module.css';

type Props = {
  readonly html: string;
  readonly title: string;
  /** Loads remote images, which tells the image host that someone opened the email. */
  readonly allowRemote?: boolean;
};

/** Shows untrusted HTML as an email client would: no scripts, and no remote content unless allowed. */
export function HtmlPreview({ html, title, allowRemote = false }: Props) {
  return <iframe className={classes.frame} sandbox="" srcDoc={writeDocumentHead(allowRemote) + html} title={title} />;
}

/**
 * Must come first, so that the policy covers the whole document. Links target a new window, which the
 * sandbox blocks; otherwise they would replace the preview.
 */
function writeDocumentHead(allowRemote: boolean): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:${allowRemote ? ' https:' : ''}`;
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><base target="_blank">`;
}
