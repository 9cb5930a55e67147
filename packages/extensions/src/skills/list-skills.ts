/** Says which skills there are, to the model: a line each, within bounds. */
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Skill } from "./skill.ts";

/** Lines for the system prompt. Where all descriptions do not fit, the first do, and the others are told by name. */
export function listSkills(skills: readonly Skill[]): string[] {
	let left: number = limits.listedChars;
	return skills
		.filter(({ isHidden }) => !isHidden)
		.slice(0, limits.listed)
		.map(({ name, description, path }) => {
			const line = `- ${name} (${shortenHome(path)}): ${description}`;
			left -= line.length;
			return left >= 0 ? line : `- ${name} (${shortenHome(path)})`;
		});
}
