/** A project in which another process exchanges links all the time, and what must never be touched or shown. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** In the files of the directory outside, and the name of one of them. */
export const secret = "OUTSIDE-SECRET-5f1c";

export interface SwappedProject extends AsyncDisposable {
	/** What was changed where nothing may change; empty if all is well. */
	damage(): string[];
}

/**
 * In the project, `link` leads to `real` and, by turns, to the forbidden directories. `moved` is a directory itself, and
 * by turns a link to the first of them. Starts the process that does it.
 */
export async function swapLinks(project: string, outside: string): Promise<SwappedProject> {
	const real = join(project, "real");
	const forbidden = [outside, join(project, ".git"), join(project, ".git/hooks"), join(project, ".tau")];
	for (const directory of [real, join(project, "moved"), ...forbidden])
		mkdirSync(directory, { recursive: true });
	for (const directory of forbidden) {
		// Inside of the project, reading is allowed.
		const text = directory === outside ? secret : "untouched";
		writeFileSync(join(directory, "config"), `[${text}]\n`);
		writeFileSync(join(directory, "code.ts"), `export const a = old("${text}");\n`);
		writeFileSync(join(directory, "book.ipynb"), notebookWith(text));
		if (directory === outside) writeFileSync(join(directory, secret), "");
	}
	for (const name of ["real", "moved"]) {
		writeFileSync(join(project, name, "config"), "[mine]\n");
		writeFileSync(join(project, name, "code.ts"), 'export const a = old("mine");\n');
		writeFileSync(join(project, name, "book.ipynb"), notebookWith("mine"));
	}
	symlinkSync("real", join(project, "link"));
	const before = snapshot(forbidden);
	const swapper = Bun.spawn(
		[process.execPath, join(import.meta.dir, "swap-links.ts"), project, ...forbidden],
		{
			env: { ...process.env, BUN_BE_BUN: "1" },
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
		},
	);
	// It has begun when it has written something.
	await swapper.stdout.getReader().read();
	return {
		damage: () => difference(before, snapshot(forbidden)),
		async [Symbol.asyncDispose]() {
			swapper.kill("SIGKILL");
			await swapper.exited;
			rmSync(join(project, "link"), { force: true });
		},
	};
}

export function notebookWith(text: string): string {
	const cell = { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: [text] };
	return JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
}

function snapshot(directories: readonly string[]): Map<string, string> {
	const files = directories.flatMap((directory) =>
		readdirSync(directory, { withFileTypes: true }).map((entry): [string, string] => {
			const path = join(directory, entry.name);
			return [path, entry.isFile() ? readFileSync(path, "utf8") : "directory"];
		}),
	);
	return new Map(files);
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
	const paths = new Set([...before.keys(), ...after.keys()]);
	return [...paths].filter((path) => before.get(path) !== after.get(path));
}
