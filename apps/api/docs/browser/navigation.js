/** Closes the table of contents where it would push the text off the screen. */
export function collapseContents() {
  const contents = document.querySelector('nav details');
  if (!(contents instanceof HTMLDetailsElement)) return;
  const wide = matchMedia('(min-width: 64rem)');
  const adapt = () => {
    contents.open = wide.matches;
  };
  adapt();
  wide.addEventListener('change', adapt);
}
