/** `local://<path>`: files in the session's own directory, beside its artifacts. */
import { join, sep } from "node:path";

import { localMachine } from "@tau/sys";
import { oneLine } from "@tau/utils";

import { artifactDirectory } from "./artifact.ts";
import { limits } from "./limits.ts";
import type { Resource, UrlHandler } from "./router.ts";

export const localUrls: UrlHandler = {
	form: "<path>",
	about: "files of this session",
	async resolve(rest, env) {
		const directory = artifactDirectory(env);
		if (directory === undefined) return { ok: false, reason: "The session has no files of its own yet." };
		return inside(directory, rest);
	},
};

/** Links are followed before it is judged: none leads out. */
async function inside(directory: string, rest: string): Promise<Resource> {
	const { files } = localMachine();
	const shown = oneLine(rest, limits.shownChars);
	try {
		const root = await files.realpath(directory);
		const path = await files.realpath(join(root, rest));
		if (path === root || path.startsWith(root + sep)) return { ok: true, path };
		return { ok: false, reason: `local://${shown} points outside the session's directory.` };
	} catch {
		// A path that cannot be resolved does not exist or is not accessible.
		return { ok: false, reason: `local://${shown} does not exist. Read local:// for a list.` };
	}
}
