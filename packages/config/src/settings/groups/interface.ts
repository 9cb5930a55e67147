/** Settings about the screen: colors, motion, what is shown, and when the user is notified. */
import { choice, count, list, text, toggle } from "../setting.ts";

export const footerSegments = [
	"cwd",
	"git",
	"session",
	"approvals",
	"status",
	"model",
	"thinking",
	"context",
	"tokens",
	"cost",
] as const;

export const screen = {
	theme: text({
		description:
			"The color theme: auto (matches the terminal), dark, light, dusk, dawn, forest, meadow, a file in the themes directory, or one for light and one for dark: dawn/forest.",
		default: "auto",
	}),
	"ui.motion": choice(["on", "off"], {
		description:
			"Animate spinners while something runs. When off, they stand still; a dumb terminal has none.",
		default: "on",
	}),
	"ui.screenReader": toggle({
		description:
			"Screen reader mode, like --screen-reader: nothing moves or counts, no lines and boxes are drawn, and the terminal's cursor is shown.",
		default: false,
	}),
	"ui.colorBlind": toggle({
		description: "Show additions in blue and removals in orange instead of green and red, in every theme.",
		default: false,
	}),
	"tui.maxInlineImages": count(
		{ least: 0, most: 100 },
		{
			description:
				"How many images the transcript shows at once; older ones become a line of text, because terminals keep the pixels in memory.",
			default: 12,
		},
	),
	"terminal.showImages": toggle({
		description: "Show the images of tool results, where the terminal can.",
		default: true,
	}),
	"terminal.imageWidthCells": count(
		{ least: 4, most: 400 },
		{ description: "How many columns an image has at most.", default: 60 },
	),
	showHardwareCursor: toggle({
		description:
			"Show the terminal's own cursor in the editor instead of a drawn one. It blinks as the terminal is configured, and input methods follow it.",
		default: false,
	}),
	transcript: choice(["condensed", "full"], {
		description:
			"How tool calls are shown: condensed to one line each, or with their output. A key toggles this at any time.",
		default: "condensed",
	}),
	"thinking.show": toggle({
		description: "Show thinking instead of a collapsed line.",
		default: false,
	}),
	"footer.segments": list({
		description: `What the footer shows: directory, branch, session name, approval mode and statuses at the left, everything else at the right, each in this order. An empty list means the default: ${footerSegments.join(", ")}.`,
	}),
	"footer.command": text({
		description:
			"A shell command whose first output line is shown in the footer. It runs after each turn and change, and reads the session's facts as JSON on standard input.",
		default: undefined,
		notForProjects: "it runs a command",
	}),
	"usage.footer": choice(["off", "today", "window"], {
		description:
			"What the footer shows of your usage: what all sessions cost today, or what is left of the windows of your subscriptions.",
		default: "off",
		notForProjects: "it is about all of your sessions",
	}),
	"update.check": choice(["never", "weekly"], {
		description:
			"Whether Tau looks for a new version of itself when it is started in a terminal, at most once a week, and says so. It is the only request; nothing is installed. tau update --check looks at any time.",
		default: "never",
		notForProjects: "it contacts a server",
	}),
	"ide.connect": choice(["terminal", "auto", "off"], {
		description:
			"When Tau connects to an editor by itself (docs/ide.md): in the editor's own terminal, also in any other terminal if the editor has the directory open (auto), or never. /ide connects at any time.",
		default: "terminal",
		notForProjects: "a connected editor can answer questions",
	}),
	doubleEscape: choice(["tree", "branch", "rewind", "none"], {
		description:
			"What a double Escape does when the editor is empty and nothing runs: /tree, /branch, /rewind or nothing.",
		default: "rewind",
	}),
	"notify.method": choice(["auto", "osc9", "osc777", "bell", "off"], {
		description: "How to notify you when a long turn ends. auto uses what the terminal supports.",
		default: "auto",
	}),
	"notify.afterSeconds": count(
		{ least: 0, most: 3600, unit: "s" },
		{ description: "How long a turn must take before you are notified.", default: 10 },
	),
	autocompleteMaxVisible: count(
		{ least: 3, most: 20 },
		{ description: "How many rows a list of completions has at most.", default: 5 },
	),
	"editor.vim": toggle({ description: "Use vim keys in the editor.", default: false }),
};
