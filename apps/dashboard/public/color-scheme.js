// Runs before anything is painted, so that a dark page never flashes white.
const chosen = localStorage.getItem('mantine-color-scheme-value');
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
