/** Finds the ripgrep to run: a newer one on PATH, else the bundled one. */
import { isAbsolute, join } from "node:path";

import { dirs, hostProgram, withoutProviderKeys } from "@tau/utils";

import { unpack } from "../system/unpack.ts";
import { limits } from "./limits.ts";

/** Thrown when there is no ripgrep; the message says what to do. */
export class RipgrepMissing extends Error {}

/** The version that `@vscode/ripgrep` bundles, as package.json pins it. */
export const bundledVersion = "15.0.0";

export interface RipgrepSources {
	/** The bundled executable, if there is one for this platform. */
	bundled(): Promise<string | undefined>;
	onPath(): string | undefined;
	/** Where an executable that is embedded in Tau's own is extracted to. */
	cacheDirectory: string;
}

let cachedPath: Promise<string> | undefined;

export async function ripgrepPath(): Promise<string> {
	cachedPath ??= findRipgrep({
		bundled: bundledPath,
		onPath: () => hostProgram("rg"),
		cacheDirectory: join(dirs().cache, "bin"),
	});
	try {
		return await cachedPath;
	} catch (error) {
		// The next search looks again: ripgrep may have been installed meanwhile.
		cachedPath = undefined;
		throw error;
	}
}

export async function findRipgrep(sources: RipgrepSources): Promise<string> {
	const named = sources.onPath();
	// A relative entry of PATH would run a program of the repository.
	const other = named !== undefined && isAbsolute(named) ? named : undefined;
	const version = other === undefined ? undefined : await versionOf(other);
	if (other !== undefined && version !== undefined && Bun.semver.order(version, bundledVersion) > 0) {
		return other;
	}
	const bundled = await sources.bundled();
	const older = version === undefined ? undefined : other;
	if (bundled === undefined) return older ?? missing("ripgrep not found.");
	try {
		return onDisk(bundled, sources.cacheDirectory);
	} catch (error) {
		return older ?? missing(reasonOf(error));
	}
}

function missing(why: string): never {
	throw new RipgrepMissing(`${why} Install it (package ripgrep) so that rg is on PATH.`);
}

async function bundledPath(): Promise<string | undefined> {
	try {
		return (await import("@vscode/ripgrep")).rgPath;
	} catch {
		// The package throws if it has no executable for this platform.
		return undefined;
	}
}

async function versionOf(path: string): Promise<string | undefined> {
	try {
		const child = Bun.spawn([path, "--version"], {
			env: withoutProviderKeys(process.env),
			stdin: "ignore",
			stdout: "pipe",
			stderr: "ignore",
			timeout: limits.versionMs,
		});
		return /^ripgrep (\d+\.\d+\.\d+)/.exec(await child.stdout.text())?.[1];
	} catch {
		// A program that cannot be run here does not count.
		return undefined;
	}
}

/** Files embedded in a compiled Tau can be read but not executed. */
const embedded = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

function onDisk(path: string, directory: string): string {
	if (!embedded.test(path)) return path;
	const name = `rg-${bundledVersion}${process.platform === "win32" ? ".exe" : ""}`;
	return unpack({ source: path, name, directory });
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
