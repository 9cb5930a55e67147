/** What Cline leaves: rules, workflows and skills. */
import { commandsIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const cline: Source = {
	id: "cline",
	label: "Cline",
	project: [
		skillsIn(".cline/skills"),
		commandsIn(".clinerules/workflows"),
		rulesIn(".clinerules", { endings: [".md", ".txt"] }),
	],
	user: [
		skillsIn(".cline/skills"),
		commandsIn("Documents/Cline/Workflows"),
		rulesIn("Documents/Cline/Rules", { endings: [".md", ".txt"] }),
	],
};
