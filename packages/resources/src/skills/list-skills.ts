/** Lists the available skills for the model: one line each, within limits. */
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Skill } from "./skill.ts";

type ListedSkill = Pick<Skill, "name" | "description" | "path" | "isHidden">;

/** Lines for the system prompt. If not all descriptions fit, the first do, and the others are listed by name. */
export function listSkills(skills: readonly ListedSkill[]): string[] {
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
