/** Gathers what the system prompt of a run is made of: flags, files of the person and of the project. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { discoverRules } from "../discovery/rules.ts";
import { Switches } from "../discovery/switches.ts";
import { loadContextFiles, projectRoot } from "./context-files/index.ts";
import { loadPromptFiles } from "./prompt-files.ts";
import type { SystemPromptOptions } from "./system-prompt.ts";

export interface PromptRequest {
	cwd: string;
	env: Env;
	/** What the command line or a program says stands above the files. */
	replace?: string | undefined;
	append?: string | undefined;
	/** Whether AGENTS.md and its like are read. */
	withContextFiles: boolean;
	withRules: boolean;
	/** What is switched off: `discovery.disabled`. */
	disabled: readonly string[];
	onNotice(message: string): void;
}

export async function loadPrompt(
	request: PromptRequest,
): Promise<Omit<SystemPromptOptions, "cwd" | "tools">> {
	const { cwd, env, disabled, onNotice } = request;
	const { agent: agentDir, home } = dirs(env);
	const root = projectRoot(cwd);
	const off = new Switches(disabled);
	const isOff = (source: string): boolean => off.disables("context", source) !== undefined;
	const files = await loadPromptFiles({ cwd, root, agentDir, home });
	const context = request.withContextFiles
		? await loadContextFiles({ cwd, agentDir, home, isOff })
		: undefined;
	const { rules, notices } = request.withRules
		? await discoverRules({ cwd, env, disabled })
		: { rules: [], notices: [] };
	for (const notice of [...files.notices, ...(context?.notices ?? []), ...notices]) onNotice(notice);
	const replace = request.replace ?? files.replace;
	const append = request.append ?? files.append;
	return {
		isRepository: existsSync(join(root, ".git")),
		...(replace === undefined ? {} : { replace }),
		...(append === undefined ? {} : { append }),
		...(context ? { contextFiles: context.files } : {}),
		...(rules.length > 0 ? { foundRules: rules } : {}),
	};
}
