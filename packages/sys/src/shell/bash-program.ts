/** The program that the bash of a session runs, made for one bash. */
import loop from "./loop.sh" with { type: "text" };
import { shellQuote } from "./quote.ts";

export interface ProgramPaths {
	/** Where it finds its next order. */
	order: string;
	/** What it reads before the first one. */
	init: string | undefined;
	/** The directory that it is started in. */
	cwd: string;
}

/** One line: see there. */
export function bashProgram({ order, init, cwd }: ProgramPaths): string {
	const lines = loop.split("\n").map((line) => line.trim());
	const words = { "@INIT@": shellQuote(init ?? ""), "@ORDER@": shellQuote(order), "@CWD@": shellQuote(cwd) };
	const program = lines.filter((line) => line !== "" && !line.startsWith("#")).join(" ");
	return Object.entries(words).reduce((text, [name, word]) => text.replaceAll(name, () => word), program);
}

export interface Frame {
	/** Variables of this command alone. */
	env: Record<string, string>;
	/** Where it runs; the shell goes back afterwards. */
	cwd?: string;
	/** The pipe that it prints to. */
	pipe: string;
	/** Where the state is kept afterwards. */
	keep: string;
}

/** What an order says around the text of the command: two texts, each closed by a NUL. */
export function bashOrder(text: string, { env, cwd, pipe, keep }: Frame): string {
	const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)} `);
	// Not `builtin eval`: programs would not get the variables.
	const run = `${variables.join("")}command eval "$__tau_text" 3>&- </dev/null`;
	const there =
		cwd === undefined ? "" : `__tau_back=$PWD __tau_old=\${OLDPWD-}; builtin cd -- ${shellQuote(cwd)} && `;
	// Not for the command alone: bash takes back what holds for one command before it obeys an EXIT trap.
	const output = `command exec >${shellQuote(pipe)} 2>&1`;
	return `__tau_keep=${shellQuote(keep)}; ${output}; ${there}${run}\0${text}\0`;
}
