/** Adds the skills, prompts and themes that a team keeps beside its projects. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

export default function teamSkills(pi: ExtensionAPI) {
	pi.on("resources_discover", ({ cwd }, ctx) => {
		// Files of the project are used only if the project is trusted.
		if (!ctx.isProjectTrusted()) return undefined;
		const team = resolve(cwd, "../team");
		const there = (name: string): string[] => {
			const path = join(team, name);
			return existsSync(path) ? [path] : [];
		};
		return { skillPaths: there("skills"), promptPaths: there("prompts"), themePaths: there("themes") };
	});
}
