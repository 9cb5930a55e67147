/** Finds the skills and prompt templates of a run, as the settings and the command line say. */
import { dirs, type Env } from "@tau/utils";

import type { Settings } from "../config/settings/index.ts";
import { loadResources, resourceNotice, type Resources } from "../discovery/resources.ts";
import { isTrusted } from "../extensibility/extensions/load/trust.ts";
import type { BroughtAlong } from "../extensibility/packages/brought-along.ts";
import type { Args } from "./args.ts";

export interface OpenResourcesOptions {
	args: Pick<Args, "flags" | "repeated">;
	cwd: string;
	settings: Pick<Settings, "get">;
	/** What commands in templates are run with. */
	commandEnv: Env;
	onNotice(message: string): void;
}

export async function openResources(options: OpenResourcesOptions): Promise<Resources> {
	const { args, cwd, settings, commandEnv, onNotice } = options;
	const { flags, repeated } = args;
	const brought = await broughtBy(
		(["extension", "hook"] as const).flatMap((flag) => repeated?.get(flag) ?? []),
		cwd,
	);
	const resources = await loadResources({
		cwd,
		env: process.env,
		commandEnv,
		disabled: settings.get("discovery.disabled"),
		skillPaths: [...(repeated?.get("skill") ?? []), ...brought.skills, ...settings.get("skills")],
		templatePaths: [
			...(repeated?.get("prompt-template") ?? []),
			...brought.prompts,
			...settings.get("prompts"),
		],
		withSkills: !flags.has("no-skills"),
		withTemplates: !flags.has("no-prompt-templates"),
		hasSkillCommands: settings.get("enableSkillCommands"),
		isTrusted: () => flags.has("trust") || isTrusted(cwd, dirs().agent),
	});
	const notice = resourceNotice(resources);
	if (notice !== undefined) onNotice(notice);
	return resources;
}

/** Loaded only where `-e` names something. */
async function broughtBy(
	named: readonly string[],
	cwd: string,
): Promise<Pick<BroughtAlong, "skills" | "prompts">> {
	if (named.length === 0) return { skills: [], prompts: [] };
	const { broughtAlong } = await import("../extensibility/packages/brought-along.ts");
	return broughtAlong(named, cwd, process.env);
}
