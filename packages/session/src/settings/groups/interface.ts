/** Settings about the screen: colours, motion, what is shown, and when somebody is called back to it. */
import { choice, count, list, text, toggle } from "../setting.ts";

export const footerSegments = [
	"cwd",
	"git",
	"session",
	"context",
	"tokens",
	"cost",
	"model",
	"thinking",
	"status",
] as const;

export const screen = {
	theme: text({
		description:
			"The colours: auto (as the terminal is), dark, light, dusk, dawn, forest, meadow, a file of the themes directory, or one for light and one for dark: dawn/forest.",
		default: "auto",
	}),
	"ui.motion": choice(["on", "off"], {
		description: "Signs that move while something runs. Off, they stand still; a dumb terminal has none.",
		default: "on",
	}),
	transcript: choice(["condensed", "full"], {
		description:
			"How tool calls are shown: condensed to a line each, or with their results. A key switches at any time.",
		default: "condensed",
	}),
	"thinking.show": toggle({
		description: "Show what the model thinks instead of a line that says that it does.",
		default: false,
	}),
	"footer.segments": list({
		description: `What the footer shows, in this order; an empty list for the usual: ${footerSegments.join(", ")}.`,
	}),
	doubleEscape: choice(["tree", "branch", "rewind", "none"], {
		description:
			"What Escape twice does while nothing runs and nothing is written: /tree, /branch, /rewind or nothing.",
		default: "tree",
	}),
	"notify.method": choice(["auto", "osc9", "osc777", "bell", "off"], {
		description:
			"How you are called when a long turn ends while you are elsewhere; auto takes what the terminal knows.",
		default: "auto",
	}),
	"notify.afterSeconds": count(
		{ least: 0, most: 3600, unit: "s" },
		{ description: "How long a turn must have taken for that.", default: 10 },
	),
	"editor.vim": toggle({ description: "Keys of vim in the editor.", default: false }),
};
