/** Settings about skills, prompt templates and the files of other programs. */
import { list, toggle } from "../setting.ts";

const chosen = "it controls which of your files reach the model";

export const discovery = {
	skills: list({
		description:
			"Additional skills: files, or directories with skills. ~ is the home directory; relative paths start at the current directory.",
		fixed: true,
		notForProjects: chosen,
	}),
	prompts: list({
		description: "Additional prompt templates: files, or directories with templates.",
		fixed: true,
		notForProjects: chosen,
	}),
	additionalDirectories: list({
		description:
			"Directories besides the current one that belong to the work: the model knows about them, and prompts can attach their files. --add-dir and /add-dir add one.",
		notForProjects: chosen,
	}),
	enableSkillCommands: toggle({
		description: "Enable /skill:name commands.",
		default: true,
		fixed: true,
	}),
	"discovery.disabled": list({
		description:
			"What discovery leaves out: a program (claude), one kind of it (claude/skills, omp/settings), or a single item (skills:pdf-tools). tau doctor shows the names.",
		fixed: true,
		notForProjects: chosen,
	}),
};
