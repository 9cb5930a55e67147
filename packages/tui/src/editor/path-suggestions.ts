/** Completes a path: the entries of the directory that was typed so far. */
import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expandHome, stripControls } from "@tau/utils";

import type { AutocompleteItem, AutocompleteSuggestions } from "./autocomplete.ts";
import { limits } from "./limits.ts";

/** `typed` is the word before the caret, perhaps with its opening quote. */
export async function pathSuggestions(
	typed: string,
	basePath: string,
	signal: AbortSignal,
): Promise<AutocompleteSuggestions | null> {
	const isQuoted = typed.startsWith('"');
	const path = isQuoted ? typed.slice(1) : typed;
	const slash = path.lastIndexOf("/") + 1;
	const [parent, start] = [path.slice(0, slash), path.slice(slash)];
	const directory = placeOf(parent, basePath);
	// An unreadable directory has no suggestions; that is not an error of the user.
	const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
	if (signal.aborted) return null;
	const prefix = start.toLowerCase();
	const matching = entries
		.filter(({ name }) => name.toLowerCase().startsWith(prefix) && (start !== "" || !name.startsWith(".")))
		// A name with control characters cannot be typed either.
		.filter(({ name }) => stripControls(name, { newline: false }) === name)
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.slice(0, limits.fileSuggestions);
	const items = await Promise.all(
		matching.map(async (entry): Promise<AutocompleteItem> => {
			const isDirectory =
				entry.isDirectory() ||
				(entry.isSymbolicLink() && (await leadsToDirectory(join(directory, entry.name))));
			const name = entry.name + (isDirectory ? "/" : "");
			const whole = parent + name;
			return { value: isQuoted || /\s/.test(whole) ? `"${whole}"` : whole, label: name };
		}),
	);
	const ordered = items.toSorted(directoriesFirst);
	return ordered.length === 0 || signal.aborted ? null : { items: ordered, prefix: typed };
}

function placeOf(parent: string, basePath: string): string {
	const place = expandHome(parent);
	return isAbsolute(place) ? place : join(basePath, place);
}

async function leadsToDirectory(path: string): Promise<boolean> {
	// A broken link is completed like a file.
	const target = await stat(path).catch(() => undefined);
	return target?.isDirectory() ?? false;
}

function directoriesFirst(a: AutocompleteItem, b: AutocompleteItem): number {
	const order = Number(b.label.endsWith("/")) - Number(a.label.endsWith("/"));
	return order || (a.label < b.label ? -1 : 1);
}
