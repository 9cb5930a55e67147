/** Examines the machine, the settings and the project, for `tau doctor` and `/doctor`. */
import { dirs, loadDotenv } from "@tau/utils";
import { isTrusted } from "@tau/extensions/trust";

import { discovered, type DoctorReport } from "@tau/session-commands/work";
import type { Args } from "../../args.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { runChecks } from "./checks.ts";
import { findProblems } from "./problems.ts";

/** Errors come first. */
export async function examine(
	args: Args,
	cwd: string,
	onNotice: (message: string) => void,
): Promise<DoctorReport> {
	loadDotenv();
	const settings = await loadSettings(args);
	const trusted = args.flags.has("trust") || isTrusted(cwd, dirs().agent);
	const found = await discovered(cwd, process.env, settings, trusted);
	const examined = { args, settings, found, onNotice };
	const [{ checks, problems }, others] = await Promise.all([runChecks(examined), findProblems(examined)]);
	const all = [...problems, ...others];
	return {
		...found,
		checks,
		problems: [
			...all.filter(({ severity }) => severity === "error"),
			...all.filter(({ severity }) => severity === "warning"),
		],
	};
}
