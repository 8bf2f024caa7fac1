// Runs before the first paint. The dashboard stores the choice under this name; if none is stored, the system's color scheme applies.
const chosen = localStorage.getItem('mantine-color-scheme-value');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.colorScheme = chosen;
