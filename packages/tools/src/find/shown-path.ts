/** Paths as a model can write them into its next call. */
import { isAbsolute, relative } from "node:path";

import { stripControls } from "@tau/utils";

/** Returns the path from the working directory, when it is below; `.` for the directory itself. */
export function ownPath(cwd: string, absolute: string): string {
	const below = relative(cwd, absolute);
	if (below === "") return ".";
	return below === ".." || below.startsWith("../") || isAbsolute(below) ? absolute : below;
}

/** A name with a line break or a control in it is quoted as JSON. */
export function shownName(name: string): string {
	const clean = stripControls(name, { newline: false, tab: false });
	return clean === name ? name : stripControls(JSON.stringify(name));
}
