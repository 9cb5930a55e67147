/** Commands in one sandbox, before and after file systems are mounted by whoever calls this. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { sandboxFixture } from "./sandbox-fixture.ts";

export interface MountPoints {
	/** Beside the project, and open to everybody: only the sandbox keeps commands out. */
	readonly outside: string;
	readonly inProject: string;
}

export interface Attempts {
	readonly before: string;
	readonly sameShell: string;
	readonly nextShell: string;
	/** By a process that was in the background while the file system was mounted. */
	readonly leftover: string;
	readonly inProject: string;
}

/** `untilMounted` ends when file systems are at both places; `look` is called while they still are. */
export interface MountingCaller {
	untilMounted(points: MountPoints): Promise<unknown>;
	look(attempts: Attempts): Promise<unknown>;
}

export async function writeLater(caller: MountingCaller, landlock: boolean): Promise<void> {
	await using box = await sandboxFixture({
		landlock,
		files: { "outside/canary": "", "project/mounted/file": "" },
	});
	const points: MountPoints = { outside: join(box.root, "outside"), inProject: join(box.cwd, "mounted") };
	for (const path of Object.values(points)) chmodSync(path, 0o777);
	const write = async (name: string, beside = false): Promise<string> =>
		(await box.run(`touch ${points.outside}/${name} 2>&1 && echo written`, { beside })).text;
	const before = await write("before");
	await box.run(
		`{ until [ -e go ]; do sleep 0.02; done; touch ${points.outside}/leftover >leftover 2>&1 && echo written >>leftover; : >done; } &`,
	);
	await caller.untilMounted(points);
	const sameShell = await write("same");
	const nextShell = await write("next", true);
	const { text: inProject } = await box.run("touch mounted/new 2>&1 && echo written");
	const { text: leftover } = await box.run(": >go; until [ -e done ]; do sleep 0.02; done; cat leftover");
	await caller.look({ before, sameShell, nextShell, leftover, inProject });
}

/** The file `signal` asks the program that is used as bubblewrap to mount something at `path`. */
export async function writeAtStart(signal: string, path: string): Promise<string> {
	await using box = await sandboxFixture();
	writeFileSync(signal, "");
	return (await box.run(`touch ${path}/new 2>&1 && echo written`)).text;
}
