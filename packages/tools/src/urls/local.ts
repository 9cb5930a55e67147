/** `local://<path>`: files in the session's own directory, beside its artifacts. */
import { realpathSync } from "node:fs";
import { join, sep } from "node:path";

import { oneLine } from "@tau/utils";

import { artifactDirectory } from "./artifact.ts";
import { limits } from "./limits.ts";
import type { Resource, UrlHandler } from "./router.ts";

export const localUrls: UrlHandler = {
	form: "<path>",
	about: "files of this session",
	resolve(rest, place) {
		const directory = artifactDirectory(place);
		if (directory === undefined) return { ok: false, reason: "The session has no files of its own yet." };
		return inside(directory, rest);
	},
};

/** Links are followed before it is judged: none leads out. */
function inside(directory: string, rest: string): Resource {
	const shown = oneLine(rest, limits.shownChars);
	try {
		const root = realpathSync(directory);
		const path = realpathSync(join(root, rest));
		if (path === root || path.startsWith(root + sep)) return { ok: true, path };
		return { ok: false, reason: `local://${shown} points outside the session's directory.` };
	} catch {
		// What cannot be resolved is not there, or nobody may go there.
		return { ok: false, reason: `local://${shown} does not exist. Read local:// for a list.` };
	}
}
