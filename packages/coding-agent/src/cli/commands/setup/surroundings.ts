/** What the terminal and the shell offer, as far as their variables say. */
import type { Env } from "@tau/utils";

export interface Surrounding {
	id: string;
	state: string;
	/** How it gets better. */
	fix?: string;
}

export function surroundings(env: Env, isTerminal: boolean): Surrounding[] {
	return [colors(env), terminalOf(env, isTerminal), locale(env), completion(env)];
}

function colors({ COLORTERM = "", NO_COLOR, TERM = "" }: Env): Surrounding {
	if (NO_COLOR !== undefined && NO_COLOR !== "") return { id: "colors", state: "off (NO_COLOR)" };
	if (/truecolor|24bit/i.test(COLORTERM) || /direct/.test(TERM)) return { id: "colors", state: "16 million" };
	const state = TERM.includes("256color") ? "256" : "few";
	return { id: "colors", state, fix: "a terminal that sets COLORTERM=truecolor shows themes as they are" };
}

const imageTerminals = /kitty|ghostty|wezterm|iterm|konsole/i;

function terminalOf(env: Env, isTerminal: boolean): Surrounding {
	const name = env.TERM_PROGRAM ?? env.TERM ?? "unknown";
	if (!isTerminal) return { id: "terminal", state: "none (the output is not a terminal)" };
	const hasImages = imageTerminals.test(`${name} ${env.TERM ?? ""}`) || env.KITTY_WINDOW_ID !== undefined;
	if (env.TMUX !== undefined)
		return {
			id: "terminal",
			state: `${name} in tmux`,
			fix: "set -g allow-passthrough on, and set -s extended-keys on, in ~/.tmux.conf",
		};
	return hasImages
		? { id: "terminal", state: `${name}, with images` }
		: {
				id: "terminal",
				state: `${name}, without images`,
				fix: "kitty, Ghostty, WezTerm and iTerm2 show images",
			};
}

function locale({ LC_ALL, LC_CTYPE, LANG }: Env): Surrounding {
	const name = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "") ?? "";
	return /utf-?8/i.test(name)
		? { id: "characters", state: name }
		: {
				id: "characters",
				state: name || "no locale",
				fix: "LANG=C.UTF-8 lets programs print all characters",
			};
}

function completion({ SHELL = "" }: Env): Surrounding {
	const shell = ["bash", "zsh", "fish"].find((name) => SHELL.endsWith(`/${name}`));
	if (shell === undefined)
		return { id: "completion", state: SHELL === "" ? "no shell known" : `not for ${SHELL}` };
	const load = shell === "fish" ? "tau completion fish | source" : `eval "$(tau completion ${shell})"`;
	return { id: "completion", state: `for ${shell}`, fix: `in its start-up file: ${load}` };
}
