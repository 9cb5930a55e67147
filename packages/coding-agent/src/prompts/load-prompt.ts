/** Gathers what the system prompt of a run is made of: flags, files of the person and of the project. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { loadRules } from "../extensibility/rules/index.ts";
import { loadContextFiles, projectRoot } from "./context-files/index.ts";
import { loadPromptFiles } from "./prompt-files.ts";
import type { SystemPromptOptions } from "./system-prompt.ts";

export interface PromptRequest {
	cwd: string;
	env: Env;
	/** What the command line or a program says stands above the files. */
	replace?: string | undefined;
	append?: string | undefined;
	/** Whether AGENTS.md and its like are read, and rules. */
	withContextFiles: boolean;
	/** Whether files that are written for a program, as CLAUDE.md is, are left out. */
	isOff?: ((source: string) => boolean) | undefined;
	onNotice(message: string): void;
}

export async function loadPrompt(
	request: PromptRequest,
): Promise<Omit<SystemPromptOptions, "cwd" | "tools">> {
	const { cwd, env, onNotice } = request;
	const { agent: agentDir, home } = dirs(env);
	const root = projectRoot(cwd);
	const isOff = request.isOff ? { isOff: request.isOff } : {};
	const files = await loadPromptFiles({ cwd, root, agentDir, home });
	const context = request.withContextFiles
		? await loadContextFiles({ cwd, agentDir, home, ...isOff })
		: undefined;
	const { rules, notices } = request.withContextFiles
		? await loadRules({ cwd, root, agentDir, home })
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
