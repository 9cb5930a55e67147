/** Compiles Tau into one executable: `dist/tau` for people (or `--outdir DIR`), with `--cache` for `./tau` to start from. */
import { mkdirSync, realpathSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

import { version } from "@tau/utils";

import { buildExecutable, recordedOrders } from "./release/executable.ts";
import { platformHere } from "./release/platforms.ts";

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { cache: { type: "boolean" }, outdir: { type: "string" } } });
const forCache = values.cache === true;
const directory = forCache ? join(root, "node_modules/.cache/tau") : (values.outdir ?? join(root, "dist"));
const target = join(directory, process.platform === "win32" ? "tau.exe" : "tau");
// Written elsewhere and moved: two builds at once, or a Tau that is running, never see half a file.
const draft = `${target}.${process.pid}.tmp`;

/**
 * The time of the file system's own clock, which is coarser than ours: a file that changes from now on has a change
 * time that is not older.
 */
function fileSystemTime(): number {
	const probe = `${target}.${process.pid}.time`;
	writeFileSync(probe, "");
	const { mtimeMs } = statSync(probe);
	rmSync(probe);
	return Math.floor(mtimeMs);
}

/**
 * The command by which `./tau`, in `packages`, finds out whether the executable is stale. A new file need not be in it: it is compiled only
 * when one that is there imports it, and a deleted one is an error, which counts as a change.
 */
async function changedCommand(): Promise<string> {
	const isCompiled = (path: string): boolean =>
		!/(?:^|\/)(?:node_modules|testing|fixtures|examples|__snapshots__)\/|\.test\.ts$/.test(path);
	const packages = await Array.fromAsync(new Bun.Glob("packages/**").scan({ cwd: root, dot: true }));
	const files = [
		"package.json",
		"bun.lock",
		"CHANGELOG.md",
		"scripts/compile.ts",
		"scripts/release/executable.ts",
		...recordedOrders.map((path) => relative(root, path)),
		...packages.filter(isCompiled),
	];
	// Short names are found faster, and two searches are done sooner than one.
	const names = files.map((path) => quoted(relative("packages", path)));
	const half = Math.ceil(names.length / 2);
	const newer = `-maxdepth 0 -cnewer ${relative(join(root, "packages"), target)}`;
	return [names.slice(0, half), names.slice(half)]
		.map((part) => `find ${part.join(" ")} ${newer}`)
		.join(" &\n")
		.concat("\nwait\n");
}

/** Of a version in development; undefined without git, or where the sources are a part of another repository. */
function commitHere(): string | undefined {
	if (!version.endsWith("-dev")) return undefined;
	try {
		const command = ["git", "-C", root, "rev-parse", "--show-toplevel", "--short=7", "HEAD"];
		const { stdout, success } = Bun.spawnSync(command, { stderr: "ignore" });
		const [top = "", commit] = stdout.toString().split("\n");
		return success && realpathSync(top) === realpathSync(root) ? commit : undefined;
	} catch {
		return undefined;
	}
}

/** As a word for the shell. */
function quoted(path: string): string {
	return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

async function writeChangedCommand(started: number): Promise<void> {
	const script = `${draft}.sh`;
	writeFileSync(script, await changedCommand());
	utimesSync(script, started / 1000, started / 1000);
	renameSync(script, `${target}-changed.sh`);
}

try {
	mkdirSync(directory, { recursive: true });
	const started = fileSystemTime();
	const done = await buildExecutable({ platform: platformHere(), outfile: draft, commit: commitHere() });
	if (done) {
		// `./tau` takes the executable for stale when a source has changed after this time (see there).
		if (forCache) {
			utimesSync(draft, started / 1000, started / 1000);
			await writeChangedCommand(started);
		}
		renameSync(draft, target);
		if (!forCache) process.stdout.write(`${target}\n`);
	} else rmSync(draft, { force: true });
	process.exitCode = done ? 0 : 1;
} catch (error) {
	process.stderr.write(`tau: cannot compile: ${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
