/** Compiles Tau into one executable: into `dist/` for people, or with `--cache` for `./tau` to start from. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const forCache = process.argv.includes("--cache");
const directory = forCache ? join(root, "node_modules/.cache/tau") : join(root, "dist");
const target = join(directory, process.platform === "win32" ? "tau.exe" : "tau");
// Written elsewhere and moved: two builds at once, or a Tau that is running, never see half a file.
const draft = `${target}.${process.pid}.tmp`;

async function compile(): Promise<boolean> {
	const result = await Bun.build({
		entrypoints: [join(root, "packages/coding-agent/src/cli/main.ts")],
		target: "bun",
		format: "esm",
		splitting: true,
		bytecode: true,
		minify: { syntax: true, whitespace: true, identifiers: false },
		sourcemap: forCache ? "none" : "linked",
		compile: {
			outfile: draft,
			// A repository that Tau is started in must not configure our runtime.
			autoloadDotenv: false,
			autoloadBunfig: false,
		},
		throw: false,
	});
	for (const message of result.logs) process.stderr.write(`${message}\n`);
	return result.success;
}

try {
	mkdirSync(directory, { recursive: true });
	// The stamp is older than every read of the build: what changes from here on makes the result stale.
	const stamp = join(directory, `stamp.${process.pid}.tmp`);
	if (forCache) writeFileSync(stamp, "");
	const done = await compile();
	if (done) {
		renameSync(draft, target);
		if (forCache) renameSync(stamp, join(directory, "stamp"));
		else process.stdout.write(`${target}\n`);
	} else {
		rmSync(stamp, { force: true });
		rmSync(draft, { force: true });
	}
	process.exitCode = done ? 0 : 1;
} catch (error) {
	process.stderr.write(`tau: cannot compile: ${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
