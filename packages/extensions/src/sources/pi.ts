/** What pi leaves: skills and prompt templates. */
import { commandsIn, skillsIn, type Source } from "./source.ts";

export const pi: Source = {
	id: "pi",
	label: "pi",
	project: [skillsIn(".pi/skills", { rootFiles: true }), commandsIn(".pi/prompts")],
	user: [skillsIn(".pi/agent/skills", { rootFiles: true }), commandsIn(".pi/agent/prompts")],
};
