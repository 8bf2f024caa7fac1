import classes from './html-preview.module.css';

type Props = {
  readonly html: string;
  /** For those who hear the page: `The email as HTML`. */
  readonly title: string;
  /** Loads pictures from elsewhere, which tells their owner that somebody looks. */
  readonly allowRemote?: boolean;
};

/** Foreign HTML as a mail program would show it: no script runs, and nothing is loaded unasked. */
export function HtmlPreview({ html, title, allowRemote = false }: Props) {
  return <iframe className={classes.frame} sandbox="" srcDoc={documentHead(allowRemote) + html} title={title} />;
}

/**
 * Comes first, so that it holds for all that follows. Links aim at a new window, which the sandbox
 * forbids: they do nothing, where they would otherwise replace what is previewed.
 */
function documentHead(allowRemote: boolean): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:${allowRemote ? ' https:' : ''}`;
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><base target="_blank">`;
}
