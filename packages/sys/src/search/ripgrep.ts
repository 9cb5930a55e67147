/** Finds the ripgrep to run: a newer one on PATH, else the one that comes with Tau. */
import { chmod, mkdir, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import { dirs, log } from "@tau/utils";

import { limits } from "./limits.ts";

/** There is no ripgrep, and the message says what to do. */
export class RipgrepMissing extends Error {}

/** What `@vscode/ripgrep` brings in the version that package.json names. */
export const bundledVersion = "15.0.0";

export interface RipgrepSources {
	/** The executable that comes with Tau, if there is one for this platform. */
	bundled(): Promise<string | undefined>;
	onPath(): string | undefined;
	/** Where an executable that lies inside Tau's own is put. */
	cacheDirectory: string;
}

let found: Promise<string> | undefined;

export async function ripgrepPath(): Promise<string> {
	found ??= findRipgrep({
		bundled: bundledPath,
		onPath: () => Bun.which("rg") ?? undefined,
		cacheDirectory: join(dirs().cache, "bin"),
	});
	try {
		return await found;
	} catch (error) {
		// The next search looks again: it may have been installed meanwhile.
		found = undefined;
		throw error;
	}
}

export async function findRipgrep(sources: RipgrepSources): Promise<string> {
	const named = sources.onPath();
	// A relative entry of PATH would run what the repository brings.
	const other = named !== undefined && isAbsolute(named) ? named : undefined;
	const version = other === undefined ? undefined : await versionOf(other);
	if (other !== undefined && version !== undefined && Bun.semver.order(version, bundledVersion) > 0) {
		return other;
	}
	const bundled = await sources.bundled();
	const own = bundled === undefined ? undefined : await onDisk(bundled, sources.cacheDirectory);
	const path = own ?? (version === undefined ? undefined : other);
	if (path === undefined) {
		throw new RipgrepMissing("ripgrep not found. Install it (package ripgrep) so that rg is on PATH.");
	}
	return path;
}

async function bundledPath(): Promise<string | undefined> {
	try {
		return (await import("@vscode/ripgrep")).rgPath;
	} catch {
		// It throws where there is no executable for this platform.
		return undefined;
	}
}

async function versionOf(path: string): Promise<string | undefined> {
	try {
		const child = Bun.spawn([path, "--version"], {
			stdin: "ignore",
			stdout: "pipe",
			stderr: "ignore",
			timeout: limits.versionMs,
		});
		return /^ripgrep (\d+\.\d+\.\d+)/.exec(await child.stdout.text())?.[1];
	} catch {
		// Not a program that can be run here: then it is none.
		return undefined;
	}
}

/** What is inside a compiled Tau can be read by it and run by nobody. */
const embedded = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

async function onDisk(path: string, directory: string): Promise<string | undefined> {
	if (!embedded.test(path)) return path;
	const target = join(directory, `rg-${bundledVersion}${process.platform === "win32" ? ".exe" : ""}`);
	const source = Bun.file(path);
	const there = await stat(target).catch(() => undefined);
	if (there?.isFile() && there.size === source.size) return target;
	// Written elsewhere and moved: two that start at once never run half a file.
	const draft = `${target}.${process.pid}.tmp`;
	try {
		await mkdir(directory, { recursive: true, mode: 0o700 });
		await Bun.write(draft, source);
		await chmod(draft, 0o700);
		await rename(draft, target);
		return target;
	} catch (error) {
		await rm(draft, { force: true }).catch(() => {});
		log.warn("ripgrep cannot be unpacked", { target, reason: String(error) });
		return undefined;
	}
}
