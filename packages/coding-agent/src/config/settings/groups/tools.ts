/** Settings about how tools work. */
import { choice } from "../setting.ts";

export const tools = {
	"edit.mode": choice(["auto", "hashline", "replace", "apply_patch"], {
		description:
			"How models edit files: hashline (by line numbers that are checked against what was read), replace (text for text), apply_patch (patches over several files). auto takes what suits the model.",
		default: "auto",
	}),
};
