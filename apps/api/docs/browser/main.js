import { addCopyButtons } from './copy.js';
import { syncLanguages } from './languages.js';
import { collapseContents } from './navigation.js';
import { startSearch } from './search.js';
import { startTryIt } from './try-it.js';

// The pages can be read without these scripts.
addCopyButtons();
collapseContents();
startSearch();
startTryIt();
// Last, because the browser may not allow the storage that it uses.
syncLanguages();
