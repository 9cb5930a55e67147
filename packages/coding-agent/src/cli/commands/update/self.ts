/** Replaces the executable by that of the newest release, or leaves it exactly as it is. */
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { limits } from "../../limits.ts";
import type { Installation } from "./installation.ts";
import { compareVersions, fetchRelease, fetchReleaseFile } from "./release.ts";

export interface SelfUpdate {
	installation: Installation;
	url: string;
	/** The version that runs. */
	version: string;
	/** Look only. */
	isCheck: boolean;
	signal: AbortSignal;
}

export type SelfUpdateOutcome =
	| { kind: "managed"; by: string; command: string }
	| { kind: "current"; version: string }
	| { kind: "available" | "updated"; version: string };

export async function updateSelf({
	installation,
	url,
	version,
	isCheck,
	signal,
}: SelfUpdate): Promise<SelfUpdateOutcome> {
	if (installation.kind === "managed") return installation;
	const { key, path, platform } = installation;
	const release = await fetchRelease({ url, key }, signal);
	// Never back: an old release with a known flaw is signed, too.
	if (compareVersions(release.version, version) <= 0) return { kind: "current", version };
	const file = release.files.find((candidate) => candidate.platform === platform);
	if (!file) throw new Error(`Tau ${release.version} has no executable for ${platform}.`);
	if (isCheck) return { kind: "available", version: release.version };
	await replaceExecutable(path, await fetchReleaseFile(url, file, signal), release.version);
	return { kind: "updated", version: release.version };
}

/** The old file stays until the new one has run. */
async function replaceExecutable(path: string, archive: Buffer, version: string): Promise<void> {
	const name = process.platform === "win32" ? "tau.exe" : "tau";
	const program = (await new Bun.Archive(archive).files(name)).get(name);
	if (!program) throw new Error(`The archive of Tau ${version} has no ${name}. Nothing was changed.`);
	// In the same directory: a rename within a file system is atomic.
	const folder = await mkdtemp(join(dirname(path), ".tau-update-")).catch((error: Error) => {
		throw new Error(`Cannot write to ${dirname(path)}: ${error.message}. Run tau update as its owner.`);
	});
	try {
		const draft = join(folder, basename(path));
		await writeFile(draft, await program.bytes());
		await chmod(draft, 0o755);
		await tryOut(draft, version);
		// Windows does not overwrite a program that runs, but moves it.
		if (process.platform === "win32") await rename(path, `${path}.old`);
		await rename(draft, path);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function tryOut(program: string, version: string): Promise<void> {
	const child = Bun.spawn([program, "--version"], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
		timeout: limits.tryOutMs,
	});
	const [printed, code] = await Promise.all([child.stdout.text(), child.exited]);
	if (code !== 0)
		throw new Error(`The new executable does not run here (exit code ${code}). Nothing was changed.`);
	if (printed.trim() !== version)
		throw new Error(
			`The release says version ${version}, but its executable ${JSON.stringify(printed.trim().slice(0, limits.shownVersion))}. Nothing was changed.`,
		);
}
