/** Looks for a new version of Tau once a week, where the user has asked for it (`update.check`). */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs, envFlag, log, privateDirectory, version } from "@tau/utils";

import { releasesAddress } from "./command.ts";
import { installationHere, type Installation } from "./installation.ts";
import { updateSelf } from "./self.ts";

const weekMs = 7 * 86_400_000;

/** What to tell the user; undefined if there is nothing new, or it was looked for less than a week ago. */
export async function weeklyNotice(
	signal: AbortSignal,
	installation: Installation = installationHere(),
): Promise<string | undefined> {
	const file = join(privateDirectory(dirs().state), "update-check");
	const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	if (envFlag("TAU_OFFLINE") || Date.now() - last < weekMs) return undefined;
	// A server that does not answer is not asked at every start.
	writeFileSync(file, "");
	try {
		const found = await updateSelf({ installation, url: releasesAddress(), version, isCheck: true, signal });
		if (found.kind !== "available") return undefined;
		return `Tau ${found.version} is available (this is ${version}). tau update --self installs it.`;
	} catch (error) {
		log.info("the weekly look for a new version failed", { reason: String(error) });
		return undefined;
	}
}
