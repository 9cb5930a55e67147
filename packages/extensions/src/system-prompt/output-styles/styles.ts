/** Output styles: how the model writes to the user, by files of the user and the project or built in. */
import { join } from "node:path";

import { contextFileLimits as limits } from "@tau/resources/context-files";
import { listFiles, parseDocument, readText, textField } from "@tau/resources/discovery";
import { nearest } from "@tau/utils";

import concise from "./concise.md" with { type: "text" };
import explanatory from "./explanatory.md" with { type: "text" };
import learning from "./learning.md" with { type: "text" };

export interface OutputStyle {
	readonly name: string;
	readonly description: string;
	readonly text: string;
	/** Absent for one that is built in. */
	readonly path?: string;
}

export interface StylePlaces {
	/** The root of the project. */
	root: string;
	agentDir: string;
	home: string;
	/** Whether the user trusts the project: only then its styles count. */
	isTrusted: boolean;
}

const builtin: readonly OutputStyle[] = [
	{ name: "concise", description: "As few words as possible", text: concise },
	{ name: "explanatory", description: "Explains why the code is as it is, while working", text: explanatory },
	{ name: "learning", description: "Leaves small parts for you to write, and reviews them", text: learning },
];

/** By name. The user's win, then those of other programs, then the project's, then built-in ones. */
export function outputStyles({ root, agentDir, home, isTrusted }: StylePlaces): Map<string, OutputStyle> {
	const project = isTrusted ? [join(root, ".tau"), join(root, ".claude")] : [];
	const directories = [agentDir, join(home, ".claude"), ...project];
	const styles = new Map<string, OutputStyle>();
	for (const directory of directories)
		for (const style of stylesIn(join(directory, "output-styles")))
			if (!styles.has(style.name)) styles.set(style.name, style);
	for (const style of builtin) if (!styles.has(style.name)) styles.set(style.name, style);
	return styles;
}

/** The text of a style, or why there is none. */
export function styleText(
	name: string,
	places: StylePlaces,
): { ok: true; text: string } | { ok: false; reason: string } {
	const styles = outputStyles(places);
	const style = styles.get(name.toLowerCase());
	if (style) return { ok: true, text: style.text };
	const [closest] = nearest(name, styles.keys());
	const known = closest === undefined ? [...styles.keys()].join(", ") : `did you mean ${closest}?`;
	return { ok: false, reason: `There is no output style "${name}" (${known})` };
}

function stylesIn(directory: string): OutputStyle[] {
	return listFiles(directory, { endings: [".md"], deep: false }).flatMap(({ path, parts }) => {
		const read = readText(path, limits.fileBytes);
		if (!read?.ok) return [];
		const { fields, body } = parseDocument(read.text);
		const name = (textField(fields, "name") ?? parts.join("-")).trim().toLowerCase().replaceAll(/\s+/g, "-");
		return [{ name, description: textField(fields, "description") ?? "", text: body.trim(), path }];
	});
}
