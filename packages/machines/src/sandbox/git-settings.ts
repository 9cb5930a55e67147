/** Git's settings, with those of the files that they include. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { gitSettingsIn, type GitSetting } from "@tau/sys";
import type { GitUser } from "./git-user.ts";
import { pathsMeant } from "./git-values.ts";
import { limits } from "./limits.ts";

export interface IncludedSettings {
	readonly settings: readonly GitSetting[];
	/** The files that others include, whether they exist or not. */
	readonly included: readonly string[];
}

/** Settings of the user, of these files, and of files that they include, whatever the conditions. */
export function settingsOf(own: readonly string[], user?: GitUser): IncludedSettings {
	const settings: GitSetting[] = [];
	const files = [...(user?.files ?? []), ...own];
	const queue = [...files];
	const known = new Set(queue);
	const add = (all: readonly GitSetting[], directory: string): void => {
		settings.push(...all);
		for (const { section, key, value } of all) {
			if (!/^include(?:if)?$/.test(section) || key !== "path") continue;
			for (const meant of pathsMeant(value, user)) {
				const path = resolve(directory, meant);
				if (known.has(path) || known.size > limits.includedSettings) continue;
				known.add(path);
				queue.push(path);
			}
		}
	};
	// Git refuses to include what is not a whole path here.
	add(user?.settings ?? [], "/");
	for (const file of queue) add(settingsIn(settingsText(file)), dirname(file));
	return { settings, included: queue.slice(files.length) };
}

/** Those of one file, to where git refuses it. */
export function settingsIn(text: string): readonly GitSetting[] {
	return gitSettingsIn(text).settings;
}

/** Git reads what is larger, too: a repository with thousands of branches has settings of a megabyte. */
export function settingsText(path: string): string {
	return smallText(path, limits.gitSettingsBytes) ?? "";
}

export function smallText(path: string, mostBytes: number = limits.gitFileBytes): string | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= mostBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		return undefined;
	}
}
