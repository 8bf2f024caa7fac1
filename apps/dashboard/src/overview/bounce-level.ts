/** At these rates, mailbox providers start to distrust a sender, and then to refuse its email. */
const NOTABLE_BOUNCE_RATE = 0.02;
const HIGH_BOUNCE_RATE = 0.05;

/** The text says what the color says, for those who cannot see it. */
export function bounceLevel(rate: number): { readonly color?: string; readonly text: string } {
  const rejected = 'Rejected for every recipient';
  if (rate >= HIGH_BOUNCE_RATE) return { color: 'var(--mantine-color-error)', text: `Too high. ${rejected}` };
  if (rate >= NOTABLE_BOUNCE_RATE)
    return { color: 'light-dark(#7d4600, var(--mantine-color-yellow-4))', text: `Higher than usual. ${rejected}` };
  return { text: rejected };
}
