/** Runs the real `tau` in a pseudo-terminal, for logins that need a user. */

import { tauProgram, type Launched } from "../support/launch.ts";

export interface AtTerminal {
	/** The whole output so far. */
	readonly screen: () => string;
	/** Waits until the output matches, and returns the match. */
	until(shown: RegExp): Promise<RegExpExecArray>;
	type(text: string): void;
	exited: Promise<number>;
}

export function atTerminal(
	tau: Launched,
	args: readonly string[],
	env: Record<string, string> = {},
): AtTerminal {
	let screen = "";
	let changed = Promise.withResolvers<void>();
	const decoder = new TextDecoder();
	const child = Bun.spawn([tauProgram, ...args], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home, LANG: "C.UTF-8", TERM: "xterm-256color", ...env },
		terminal: {
			cols: 400,
			rows: 50,
			data(_, chunk) {
				screen += decoder.decode(chunk, { stream: true });
				changed.resolve();
				changed = Promise.withResolvers<void>();
			},
		},
	});
	return {
		screen: () => screen,
		exited: child.exited,
		type: (text) => void child.terminal?.write(text),
		async until(shown) {
			for (;;) {
				const match = shown.exec(screen);
				if (match) return match;
				const over = await Promise.race([changed.promise.then(() => false), child.exited.then(() => true)]);
				if (over && !shown.test(screen)) throw new Error(`tau ended before ${shown}: ${screen}`);
			}
		},
	};
}
