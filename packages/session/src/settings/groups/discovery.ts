/** Settings about skills, prompt templates and what other programs left. */
import { list, toggle } from "../setting.ts";

const chosen = "it decides what of yours the model is told";

export const discovery = {
	skills: list({
		description:
			"Skills to have besides those that are found: files, or directories with skills. ~ is the home directory, and a relative path counts from the current one.",
		fixed: true,
		notForProjects: chosen,
	}),
	prompts: list({
		description:
			"Prompt templates to have besides those that are found: files, or directories with templates.",
		fixed: true,
		notForProjects: chosen,
	}),
	enableSkillCommands: toggle({
		description: "Whether /skill:name calls a skill.",
		default: true,
		fixed: true,
	}),
	"discovery.disabled": list({
		description:
			"What is not used of all that is found: a program (claude), one kind of it (claude/skills), or one thing (skills:pdf-tools). tau doctor shows the names.",
		fixed: true,
		notForProjects: chosen,
	}),
};
