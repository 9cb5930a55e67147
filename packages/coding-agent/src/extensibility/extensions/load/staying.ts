/** Keeps extensions that are being loaded from ending the program: a script that was put there by mistake ends itself. */
import { onDispose } from "@tau/utils";

import { isInTrace } from "../strays.ts";

/** Everybody else may end it as before. */
export function staying(paths: readonly string[]): Disposable {
	const { exit } = process;
	// Two loads that overlap may put back the guard of the other.
	let isLoading = true;
	process.exit = (code) => {
		const trace = new Error().stack ?? "";
		if (isLoading && paths.some((path) => isInTrace(trace, path)))
			throw new Error("It wants to end the program while it is being loaded.");
		return exit.call(process, code);
	};
	return onDispose(() => {
		isLoading = false;
		process.exit = exit;
	});
}
