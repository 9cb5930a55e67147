/** Keeps extensions that are being loaded from ending the program: a script that was put there by mistake ends itself. */
import { onDispose } from "@tau/utils";

import { isInTrace } from "../support/strays.ts";

/** Everybody else may end it as before. */
export function staying(paths: readonly string[]): Disposable {
	const { exit } = process;
	// Two loads that overlap may put back the guard of the other.
	let isLoading = true;
	process.exit = (code) => {
		const refusal = new Error("It tried to exit the program while loading.");
		const { stack = "" } = refusal;
		if (isLoading && paths.some((path) => isInTrace(stack, path))) throw refusal;
		return exit.call(process, code);
	};
	return onDispose(() => {
		isLoading = false;
		process.exit = exit;
	});
}
