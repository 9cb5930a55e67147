/**
 * When the JavaScript engine compiles. JavaScriptCore compiles a function after 500 calls, and optimizes it after 1,000
 * more: in a session those are thousands of functions that are hardly called again, and compiling them takes a quarter
 * of the CPU time of a start and of a turn, and 3 MB. Here it waits ten times as long; what streams an answer or draws
 * a screen is called often enough to be compiled all the same.
 */

/** Set in the environment of a process that starts with the thresholds; `./tau` sets the same. */
const mark = "TAU_ENGINE";
const tuned = "tuned";

export const engineThresholds: Readonly<Record<string, string>> = {
	BUN_JSC_thresholdForJITAfterWarmUp: "5000",
	BUN_JSC_thresholdForJITSoon: "1000",
	BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
	BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "10000",
	BUN_JSC_thresholdForOptimizeSoon: "10000",
};

/**
 * The engine reads them from the environment alone, and before any code runs: a process that started without them
 * becomes another one, which takes 4 ms. Programs that Tau starts do not inherit them. Does nothing for a user who has
 * set options of the engine, and on systems where it was never measured.
 */
export function tuneEngine(args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
	if (env[mark] === tuned) {
		for (const name of [mark, ...Object.keys(engineThresholds)]) delete env[name];
		return;
	}
	if (process.platform !== "linux" || Object.keys(env).some((name) => name.startsWith("BUN_JSC_"))) return;
	try {
		process.execve?.(process.execPath, [process.argv0, ...args], {
			...env,
			...engineThresholds,
			[mark]: tuned,
		});
	} catch {
		// The file was replaced or may not be executed: the engine compiles sooner, and all else is the same.
	}
}
