/** The program. What needs no work is answered before anything else is loaded. */
import { version } from "./version.ts";

const argv = process.argv.slice(2);
const [first] = argv;

if (argv.length === 1 && (first === "--version" || first === "-v")) {
	process.stdout.write(`${version}\n`);
} else {
	const { run } = await import("./run.ts");
	process.exitCode = await run(argv);
}
