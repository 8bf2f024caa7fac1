import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, read } from './files.js';
import { writeConfigurationPage, writeEnvExample } from './settings-docs.js';

const PAGE = 'docs/configuration.md';

writeFileSync(join(ROOT, PAGE), writeConfigurationPage(read(PAGE)));
writeFileSync(join(ROOT, '.env.example'), writeEnvExample());
