/**
 * Directories of browsers, and of programs that are built from one: they have cookies, passwords and messages. The list of browsers
 * never ends, so they are known by the files that each has. `secrets.ts` has those of packages, and some that keep them deeper.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { entriesOf } from "./hidden-names.ts";

interface Location {
	/** Below the home directory. */
	readonly directory: string;
	/** What may be such a directory there. */
	readonly name: RegExp;
	readonly files: readonly string[];
}

/** Firefox and mail programs of Mozilla. */
const mozilla = ["profiles.ini"];
/** Chromium and Electron: settings of all profiles, or, in older ones, the only profile. */
const chromium = ["Local State", "Login Data", "Cookies"];

const locations: readonly Location[] = [
	{ directory: "", name: /^\./, files: mozilla },
	{ directory: ".config", name: /./, files: [...mozilla, ...chromium] },
	{ directory: "Library/Application Support", name: /./, files: [...mozilla, ...chromium] },
];

/** The paths of those that there are. */
export function browserData(home: string): string[] {
	return locations.flatMap((location) => {
		const directory = join(home, location.directory);
		// To list what is not there throws an error each time.
		return (existsSync(directory) ? entriesOf(directory) : [])
			.filter((entry) => !entry.isFile() && location.name.test(entry.name))
			.map(({ name }) => join(directory, name))
			.filter((path) => isData(path, location));
	});
}

/** Whether a path is such a directory, or in one. */
export function isBrowserData(path: string, home: string): boolean {
	return locations.some((location) => {
		const above = `${join(home, location.directory)}/`;
		if (!path.startsWith(above)) return false;
		const [name = ""] = path.slice(above.length).split("/", 1);
		return location.name.test(name) && isData(above + name, location);
	});
}

function isData(path: string, { files }: Location): boolean {
	return files.some((name) => existsSync(join(path, name)));
}
