/** The parts that rules add to a session: prompt text, a URL to read them at, and the behavior that injects them. */
import type { Behavior, SessionManager } from "@tau/session";
import type { Settings } from "@tau/session/settings";
import type { ToolEnv } from "@tau/tools/tool";
import { registerUrlScheme } from "@tau/tools/urls";
import type { Rule } from "@tau/session/run";

import { builtinRules, ruleUrls, sortRules, type SortedRules } from "../rules/index.ts";
import { ttsr } from "../rules/ttsr/behavior.ts";

export function sessionRules(rules: readonly Rule[], settings: Settings): SortedRules {
	const builtin = settings.get("ttsr.builtinRules") ? builtinRules() : [];
	const own = builtin.filter(({ name }) => rules.every((rule) => rule.name !== name));
	return sortRules([...rules, ...own], {
		streamRules: settings.get("ttsr.enabled"),
		disabled: settings.get("ttsr.disabledRules"),
	});
}

/** Empty if there are no rules: no listener is needed then. */
export function ruleBehaviors(rules: SortedRules, env: ToolEnv, log: SessionManager): Behavior[] {
	const { settings, cwd } = env;
	if (rules.all.length > 0) registerUrlScheme(env, "rule", ruleUrls(rules.all));
	if (rules.stream.length + rules.byFile.length + rules.notices.length === 0) return [];
	const modes = () => ({
		interruptMode: settings.get("ttsr.interruptMode"),
		contextMode: settings.get("ttsr.contextMode"),
		repeatMode: settings.get("ttsr.repeatMode"),
		repeatGap: settings.get("ttsr.repeatGap"),
	});
	return [ttsr({ ...rules, cwd, log, modes })];
}
