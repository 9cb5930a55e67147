/** Settings about the browser that models use. */
import { list, text, toggle } from "../setting.ts";

const program = "it controls which program runs, and how";

export const browserSettings = {
	"browser.enabled": toggle({
		description: "Let the model use a browser.",
		default: true,
		notForProjects: "it controls what the model may do",
	}),
	"browser.path": text({
		description:
			"The browser: a path, or a name on PATH. Unset: TAU_BROWSER, or an installed Chrome, Chromium or Edge.",
		default: undefined,
		notForProjects: program,
	}),
	"browser.visible": toggle({
		description: "Show the browser's window. /browser switches it while a session runs.",
		default: false,
		notForProjects: program,
	}),
	"browser.args": list({
		description: "Further arguments of the browser.",
		notForProjects: program,
	}),
	"browser.keepCookies": toggle({
		description:
			"Keep the cookies of the browser and the local storage of its pages for the next session in the same project.",
		default: true,
		notForProjects: "it controls what is stored",
	}),
};
