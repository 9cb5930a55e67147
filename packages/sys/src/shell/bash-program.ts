/** Builds the program that the bash of a session runs. */
import loop from "./loop.sh" with { type: "text" };
import { shellQuote } from "./quote.ts";
import wait from "./wait.sh" with { type: "text" };

export interface ProgramPaths {
	/** The path of its next order. */
	order: string;
	/** A script that it reads before the first order. */
	init: string | undefined;
	/** The directory that it starts in. */
	cwd: string;
	/** How many processes there may be; a lower limit of the user's stays. */
	processes: number | undefined;
}

/** The program as one line; loop.sh has its comments. */
export function bashProgram({ order, init, cwd, processes }: ProgramPaths): string {
	const replacements = {
		"@PROCESSES@": shellQuote(`${processes ?? ""}`),
		"@WAIT@": shellQuote(oneLine(wait)),
		"@INIT@": shellQuote(init ?? ""),
		"@ORDER@": shellQuote(order),
		"@CWD@": shellQuote(cwd),
	};
	return Object.entries(replacements).reduce(
		(text, [name, word]) => text.replaceAll(name, () => word),
		oneLine(loop),
	);
}

function oneLine(script: string): string {
	const lines = script.split("\n").map((line) => line.trim());
	return lines.filter((line) => line !== "" && !line.startsWith("#")).join(" ");
}

export interface Frame {
	/** Variables for this command only. */
	env: Record<string, string>;
	/** Where the command runs; the shell returns afterwards. */
	cwd?: string;
	/** Where the shell is to be: without `cwd`, the command runs there or not at all. */
	home?: string;
	/** The pipe that the command prints to. */
	pipe: string;
	/** Where the state is written afterwards. */
	keep: string;
}

/** The script around the text of a command: two texts, each ended by a NUL. */
export function bashOrder(text: string, { env, cwd, home, pipe, keep }: Frame): string {
	const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)} `);
	// `builtin eval` would not pass the variables to programs.
	const run = `${variables.join("")}command eval "$__tau_text" 3>&- </dev/null`;
	// Where the command was judged is where it runs, also if the shell's directory was moved meanwhile.
	const here =
		home === undefined ? "" : `{ [[ . -ef ${shellQuote(home)} ]] || builtin cd -- ${shellQuote(home)}; } && `;
	const there =
		cwd === undefined ? here : `__tau_back=$PWD __tau_old=\${OLDPWD-}; builtin cd -- ${shellQuote(cwd)} && `;
	// The redirection holds for the shell, not for the command alone: bash reverts the latter before it runs an EXIT
	// trap.
	const lost = "{ builtin printf 'lost\\0' >&3; __tau_due=; builtin exit 1; }";
	const output = `command exec >${shellQuote(pipe)} 2>&1 || ${lost}`;
	return `__tau_keep=${shellQuote(keep)}; ${output}; ${there}${run}\0${text}\0`;
}
