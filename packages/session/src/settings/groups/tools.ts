/** Settings about how tools work. */
import { choice, list } from "../setting.ts";

const power = "it decides what the model may do";

export const tools = {
	"tools.enabled": list({
		description: "The tools that the model gets, by name; an empty list means all. --tools comes first.",
		notForProjects: power,
	}),
	"tools.disabled": list({
		description: "The tools that the model does not get, by name. --tools comes first.",
		notForProjects: power,
	}),
	"edit.mode": choice(["auto", "hashline", "replace", "apply_patch"], {
		description:
			"How models edit files: hashline (by line numbers that are checked against what was read), replace (text for text), apply_patch (patches over several files). auto takes what suits the model.",
		default: "auto",
	}),
};
