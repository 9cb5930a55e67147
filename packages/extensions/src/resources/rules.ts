/** Finds the rules of a session: each name once, in the order of the programs they were written for. */
import { shortenHome, type Env } from "@tau/utils";
import { loadRules, type LoadedRules } from "@tau/resources/rules";
import { rules, type RuleFile } from "./capabilities.ts";
import { discoveryPaths } from "@tau/resources/sources";
import { standardRegistry } from "./standard-registry.ts";
import { Switches, describeWarning, type Loaded } from "@tau/resources/discovery";

export interface RulesRequest {
	cwd: string;
	/** The environment that determines Tau's directories. */
	env: Env;
	/** What is switched off: `discovery.disabled`. */
	disabled: readonly string[];
	/** The sources of the rules; all by default. */
	levels?: "all" | "user";
	/** Whether the user trusts the project: only then its rule replaces the user's with the same name. */
	isTrusted?: boolean;
}

export async function discoverRules(request: RulesRequest): Promise<LoadedRules> {
	const { cwd, env, disabled, isTrusted } = request;
	const paths = discoveryPaths(cwd, env, isTrusted === undefined ? {} : { isTrusted });
	const discovered = await standardRegistry().load(rules, paths, new Switches(disabled));
	const loaded = await loadRules(
		wantedRules(discovered, request).map(({ name, path, isAlwaysByDefault, origin }) => ({
			name,
			path,
			isAlwaysByDefault,
			level: origin.level === "project" ? "project" : "user",
		})),
	);
	const passedOver = discovered.warnings.map((warning) =>
		describeWarning({ ...warning, path: shortenHome(warning.path) }),
	);
	return { rules: loaded.rules, notices: [...passedOver, ...loaded.notices] };
}

/** A project that is not trusted cannot silence the user by a rule with the name of one of theirs. */
function wantedRules(
	{ items, shadowed }: Loaded<RuleFile>,
	{ levels = "all", isTrusted = false }: RulesRequest,
): RuleFile[] {
	return items.flatMap((item) => {
		if (item.origin.level !== "project") return [item];
		const own = shadowed.find((pair) => pair.by === item && pair.item.origin.level !== "project")?.item;
		if (own && (!isTrusted || levels === "user")) return [own];
		return levels === "user" ? [] : [item];
	});
}
