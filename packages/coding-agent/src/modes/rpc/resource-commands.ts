/** The prompt templates and skills that a client may call, as `get_commands` tells them. */
import type { Origin } from "@tau/extensions/discovery";
import type { Resources } from "@tau/extensions/resources";

import type { RpcSlashCommand } from "./protocol.ts";

export function resourceCommands(resources: Resources | undefined): RpcSlashCommand[] {
	if (!resources) return [];
	const templates = resources.templates.map(({ name, description, origin }): RpcSlashCommand => ({
		name,
		description,
		source: "prompt",
		sourceInfo: sourceInfo(origin),
	}));
	const skills = (resources.hasSkillCommands ? resources.skills : []).map(
		({ name, description, origin }): RpcSlashCommand => ({
			name: `skill:${name}`,
			description,
			source: "skill",
			sourceInfo: sourceInfo(origin),
		}),
	);
	return [...templates, ...skills];
}

function sourceInfo({ path, source, level }: Origin): RpcSlashCommand["sourceInfo"] {
	return { path, source, scope: level === "named" ? "temporary" : level, origin: "top-level" };
}
