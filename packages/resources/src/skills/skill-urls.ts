/** Resolves `skill://<name>` and `skill://<name>/<file>`: the text of a skill, and the files in its folder. */
import { realpathSync } from "node:fs";
import { join, sep } from "node:path";

import { nearest, oneLine } from "@tau/utils";
import type { Resource, UrlHandler } from "@tau/tools/urls";

import { limits } from "./limits.ts";
import type { Skill } from "./skill.ts";

export function skillUrls(skills: readonly Skill[]): UrlHandler {
	return {
		form: "<name>[/<file>]",
		about: "a skill and its files",
		resolve(rest) {
			const slash = rest.indexOf("/");
			const name = slash < 0 ? rest : rest.slice(0, slash);
			const skill = skills.find((one) => one.name === name);
			if (!skill) return { ok: false, reason: unknownSkill(name, skills) };
			if (slash < 0) return { ok: true, path: skill.path };
			return fileOf(skill, rest.slice(slash + 1));
		},
	};
}

export function unknownSkill(name: string, skills: readonly Skill[]): string {
	const names = skills.map((skill) => skill.name);
	const near = nearest(name, names, 3);
	const shown = near.length > 0 ? near : names.slice(0, 3);
	const hint =
		shown.length === 0
			? "No skills found; run tau doctor to see where Tau looks for them."
			: `Did you mean ${shown.join(", ")}?`;
	return `There is no skill "${oneLine(name, limits.shownChars)}". ${hint}`;
}

/** Links are followed before it is judged: none leads out. */
function fileOf({ name, directory }: Skill, rest: string): Resource {
	const shown = `skill://${name}/${oneLine(rest, limits.shownChars)}`;
	if (directory === undefined)
		return { ok: false, reason: `${name} is a single file: skill://${name} reads all of it.` };
	try {
		const root = realpathSync(directory);
		const path = realpathSync(join(root, rest));
		if (path === root || path.startsWith(root + sep)) return { ok: true, path };
		return { ok: false, reason: `${shown} points outside the skill's folder.` };
	} catch {
		// A path that cannot be resolved is missing or unreadable.
		return { ok: false, reason: `${shown} does not exist. Read skill://${name}/ for a list.` };
	}
}
