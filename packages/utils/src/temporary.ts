/**
 * Private directories for temporary files. Their names say which process they belong to, so that those of a process that
 * was killed can be deleted later.
 */
import { lstatSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isRunning, thisProcess } from "./lock-owner.ts";
import { log } from "./log.ts";
import { temporaryLimits as limits } from "./limits.ts";

const nameSyntax = /^tau-[a-z]+-(\d+)-([0-9a-z]+)-\w{6}$/;

let system: string | undefined;
const swept = new Set<string>();

/**
 * Creates a directory that only this user can access; the caller deletes it. The first call also deletes, in the
 * background, what killed processes have left beside it.
 */
export function temporaryDirectory(purpose: string, parent: string = tmpdir()): string {
	const path = mkdtempSync(join(parent, `tau-${purpose}-${temporaryTag()}-`));
	if (!swept.has(parent)) {
		swept.add(parent);
		void sweepTemporary(parent);
	}
	return path;
}

/** The part of the names that identifies this process. */
export function temporaryTag(): string {
	return `${process.pid}-${systemTag()}`;
}

/** After a clean-up another user may have created a directory with this name, which is no longer secret. */
export function isOwnDirectory(path: string): boolean {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid());
}

/** Deletes the directories of processes of this user that no longer run. Never rejects. */
export async function sweepTemporary(parent: string): Promise<void> {
	try {
		// Loaded by a tenth of all programs that import this package, for 1 ms.
		const { readdir, rm } = await import("node:fs/promises");
		const names = (await readdir(parent)).filter(isLeftOver).slice(0, limits.sweptDirectories);
		for (const name of names) {
			const path = join(parent, name);
			if (isOwnDirectory(path)) await rm(path, { recursive: true, force: true });
		}
	} catch (error) {
		// Another process sweeps at the same time, or the directory cannot be read. The next process tries again.
		log.debug("cannot remove temporary directories", { parent, reason: String(error) });
	}
}

function isLeftOver(name: string): boolean {
	const [, pid, tag] = nameSyntax.exec(name) ?? [];
	return pid !== undefined && tag === systemTag() && !isRunning(Number(pid));
}

/** A pid means something only on the same machine, since its last boot, and in the same container. */
function systemTag(): string {
	if (system !== undefined) return system;
	const { host, boot, space } = thisProcess();
	return (system = Bun.hash(`${host} ${boot} ${space}`).toString(36));
}
