/** Keeps extensions that are being loaded from ending the program: a script that was put there by mistake ends itself. */
import { onDispose } from "@tau/utils";
import { isInTrace } from "../support/attribute-uncaught.ts";

/** The loads that are under way; they may overlap. */
const loading = new Set<readonly string[]>();
let original: typeof process.exit | undefined;

/** All other code may end it as before. */
export function blockExitWhileLoading(paths: readonly string[]): Disposable {
	if (loading.size === 0) {
		original = process.exit;
		process.exit = guardedExit;
	}
	// The same list may be loaded twice.
	const load = [...paths];
	loading.add(load);
	return onDispose(() => {
		if (!loading.delete(load) || loading.size > 0 || !original) return;
		// Other code may have replaced it meanwhile.
		if (process.exit === guardedExit) process.exit = original;
		original = undefined;
	});
}

const guardedExit: typeof process.exit = (code) => {
	const error = new Error("It tried to exit the program while loading.");
	const { stack = "" } = error;
	for (const paths of loading) if (paths.some((path) => isInTrace(stack, path))) throw error;
	return (original ?? process.exit).call(process, code);
};
