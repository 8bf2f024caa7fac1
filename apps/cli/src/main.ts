import { runCommand } from './program.js';

process.exitCode = await runCommand(process.argv.slice(2));
