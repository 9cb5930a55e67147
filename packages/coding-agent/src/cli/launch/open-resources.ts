/** Finds the skills and prompt templates of a run, according to the settings and the command line. */
import { dirs, type Env } from "@tau/utils";
import type { BundledResources } from "@tau/extensions/packages";
import { loadResources, resourceNotice, type Resources } from "@tau/extensions/resources";
import { isTrusted } from "@tau/extensions/trust";
import type { Settings } from "@tau/config/settings";

import type { Args } from "../args.ts";

export interface OpenResourcesOptions {
	args: Pick<Args, "flags" | "repeated">;
	cwd: string;
	settings: Pick<Settings, "get">;
	/** The environment of commands in templates. */
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
): Promise<Pick<BundledResources, "skills" | "prompts">> {
	if (named.length === 0) return { skills: [], prompts: [] };
	const { bundledResources } = await import("@tau/extensions/packages/install");
	return bundledResources(named, cwd, process.env);
}
