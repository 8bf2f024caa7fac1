// Runs before the first paint. The dashboard stores the choice under this name; without one, the system's applies.
const chosen = localStorage.getItem('mantine-color-scheme-value');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.colorScheme = chosen;
