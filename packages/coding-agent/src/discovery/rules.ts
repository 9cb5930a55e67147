/** Finds the rules of a session: each name once, in the order of the programs they were written for. */
import { shortenHome, type Env } from "@tau/utils";

import { loadRules, type FoundRules } from "../extensibility/rules/index.ts";
import { rules } from "./capabilities.ts";
import { placesOf } from "./places.ts";
import { standardRegistry } from "./standard-registry.ts";
import { Switches } from "./switches.ts";
import { describeWarning } from "./types.ts";

export interface RulesRequest {
	cwd: string;
	/** Says where Tau's directories lie. */
	env: Env;
	/** What is switched off: `discovery.disabled`. */
	disabled: readonly string[];
}

export async function discoverRules({ cwd, env, disabled }: RulesRequest): Promise<FoundRules> {
	const found = await standardRegistry().load(rules, placesOf(cwd, env), new Switches(disabled));
	const loaded = await loadRules(
		found.items.map(({ name, path, isAlwaysByDefault, origin }) => ({
			name,
			path,
			isAlwaysByDefault,
			level: origin.level === "project" ? "project" : "user",
		})),
	);
	const passedOver = found.warnings.map((warning) =>
		describeWarning({ ...warning, path: shortenHome(warning.path) }),
	);
	return { rules: loaded.rules, notices: [...passedOver, ...loaded.notices] };
}
