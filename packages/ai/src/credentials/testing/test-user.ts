/** A played user who logs in: opens addresses, pastes answers, records messages. */
import type { LoginInteraction, LoginStep } from "../oauth/index.ts";

export interface TestUser extends LoginInteraction {
	readonly seen: LoginStep[];
	readonly notices: string[];
	/** Resolves with the address once one is shown. */
	readonly shown: Promise<string>;
	/** Enters a line; undefined means that no more will come. */
	type(line: string | undefined): void;
}

/** `open` is what the user does with the address. */
export function testUser(open: (address: string) => unknown = () => undefined): TestUser {
	const seen: LoginStep[] = [];
	const notices: string[] = [];
	const shown = Promise.withResolvers<string>();
	const lines: (string | undefined)[] = [];
	let waiting: ((line: string | undefined) => void) | undefined;
	return {
		seen,
		notices,
		shown: shown.promise,
		show(step) {
			seen.push(step);
			shown.resolve(step.url);
			void open(step.url);
		},
		notice: (message) => void notices.push(message),
		type(line) {
			if (waiting) waiting(line);
			else lines.push(line);
			waiting = undefined;
		},
		paste(signal) {
			if (lines.length > 0) return Promise.resolve(lines.shift());
			const { promise, resolve } = Promise.withResolvers<string | undefined>();
			waiting = resolve;
			signal.addEventListener("abort", () => resolve(undefined));
			return promise;
		},
	};
}
