/** Isolates the clients in the test's process from the home and the keys of the user who runs the tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cleanEnv } from "../support/launch.ts";

export type Isolation = Disposable;

/** Until it is disposed of, the process has an empty home and the environment that the program is started with. */
export function isolated(): Isolation {
	const before = { ...process.env };
	const home = mkdtempSync(join(tmpdir(), "tau-matrix-"));
	replaceEnv(cleanEnv(home));
	return {
		[Symbol.dispose]() {
			replaceEnv(before);
			rmSync(home, { recursive: true, force: true });
		},
	};
}

function replaceEnv(env: NodeJS.ProcessEnv): void {
	for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
	Object.assign(process.env, env);
}
