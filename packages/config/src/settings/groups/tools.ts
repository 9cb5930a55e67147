/** Settings about how tools work. */
import { choice, group, list, toggle } from "../setting.ts";

const power = "it controls what the model may do";

export const tools = {
	"tools.enabled": list({
		description:
			"The tools available to the model, by name; an empty list means all. --tools takes precedence.",
		notForProjects: power,
	}),
	"tools.disabled": list({
		description: "The tools not available to the model, by name. --tools takes precedence.",
		notForProjects: power,
	}),
	"edit.mode": choice(["auto", "hashline", "replace", "apply_patch"], {
		description:
			"How the model edits files: hashline (by line numbers, checked against what was read), replace (text replacement), apply_patch (patches across files). auto picks what suits the model.",
		default: "auto",
		// omp's older form of a patch.
		alsoReads: { patch: "apply_patch" },
	}),
	"debug.enabled": toggle({
		description: "Let the model use a debugger: breakpoints, steps and variables of a running program.",
		default: true,
		notForProjects: power,
	}),
	"debug.adapters": group({
		description:
			"Debug adapters by name: command, args, files (extensions), native, tcp, type, configuration, or disabled: true. A known name changes that adapter.",
		notForProjects: "it names programs to run",
	}),
	"todo.enabled": toggle({
		description: "Enable the todo list.",
		default: true,
		notForProjects: power,
	}),
};
