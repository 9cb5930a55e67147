/** Settings about cells of code that models run. */
import { text, toggle } from "../setting.ts";

const power = "it controls what the model may do";

export const evalSettings = {
	"eval.enabled": toggle({
		description: "Let the model run cells of code that keep their variables.",
		default: true,
		notForProjects: power,
	}),
	"eval.py": toggle({
		description: "Let the model run cells of Python. The variable TAU_PY takes precedence.",
		default: true,
		notForProjects: power,
	}),
	"eval.js": toggle({
		description: "Let the model run cells of JavaScript. The variable TAU_JS takes precedence.",
		default: true,
		notForProjects: power,
	}),
	"eval.pythonPath": text({
		description:
			"The Python that runs cells. Unset: the active virtual environment, .venv or venv of the project, or python3 on PATH.",
		default: undefined,
		notForProjects: "it controls what runs",
	}),
};
