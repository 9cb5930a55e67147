/** A program that restricts itself with Landlock and continues as a command: see `LandlockSandbox`. */
import { readFileSync, unlinkSync, writeSync } from "node:fs";

import { execute, restrict, type LandlockLaunch } from "./kernel.ts";

const file = process.argv.at(-1) ?? "";

try {
	const launch = JSON.parse(readFileSync(file, "utf8")) as LandlockLaunch;
	unlinkSync(file);
	restrict(launch.rules);
	execute(launch);
	throw new Error(`${launch.command[0]} cannot be executed.`);
} catch (error) {
	writeSync(2, `The sandbox could not be started: ${error instanceof Error ? error.message : "?"}\n`);
	process.exit(126);
}
