/** Collects the parts of a run's system prompt: flags, and the files of the user and of the project. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { dirs, expandHome, shortenHome, type Env } from "@tau/utils";

import { discoverRules } from "../resources/rules.ts";
import { Switches } from "@tau/resources/discovery";
import { loadContextFiles, projectRoot } from "@tau/resources/context-files";
import type { StylePlaces } from "./output-styles/styles.ts";
import { loadPromptFiles } from "./prompt-files.ts";
import type { SystemPromptOptions } from "./system-prompt.ts";

export interface PromptRequest {
	cwd: string;
	env: Env;
	/** The command line or an SDK program overrides the files. */
	replace?: string | undefined;
	append?: string | undefined;
	/** The name of the output style; its text comes after what is appended. */
	outputStyle?: string | undefined;
	/** Directories that the user added to the work (`additionalDirectories`); their instructions count, too. */
	directories?: readonly string[];
	/** Whose AGENTS.md and the like are read, and whose rules. */
	contextFiles: InstructionLevels;
	rules: InstructionLevels;
	/** The user's answer about the project's trust; undefined before there is one. */
	trust: boolean | undefined;
	/** What is switched off: `discovery.disabled`. */
	disabled: readonly string[];
	onNotice(message: string): void;
}

/** `user`: the project's are left out. */
export type InstructionLevels = "all" | "user" | "none";

export async function loadPrompt(
	request: PromptRequest,
): Promise<Omit<SystemPromptOptions, "cwd" | "tools">> {
	const { cwd, env, disabled, onNotice, directories = [] } = request;
	const { agent: agentDir, home } = dirs(env);
	const root = projectRoot(cwd);
	const off = new Switches(disabled);
	const isOff = (source: string): boolean => off.disables("context", source) !== undefined;
	const isTrusted = request.trust === true;
	const files = await loadPromptFiles({ cwd, root, agentDir, home, isTrusted });
	// A user who refused trust gets no notice at each start.
	if (files.untrusted.length > 0 && request.trust === undefined) onNotice(untrustedNotice(files.untrusted));
	const levels = request.contextFiles;
	const context =
		levels === "none"
			? undefined
			: await loadContextFiles({
					cwd,
					agentDir,
					home,
					isOff,
					levels,
					directories: absolute(directories, cwd),
				});
	const { rules, notices } =
		request.rules === "none"
			? { rules: [], notices: [] }
			: await discoverRules({ cwd, env, disabled, levels: request.rules, isTrusted });
	for (const notice of [...files.notices, ...(context?.notices ?? []), ...notices]) onNotice(notice);
	const replace = request.replace ?? files.replace;
	const style = await styleOf(request, { root, agentDir, home, isTrusted });
	const append = [request.append ?? files.append, style].filter(Boolean).join("\n\n") || undefined;
	return {
		isRepository: existsSync(join(root, ".git")),
		...(replace === undefined ? {} : { replace }),
		...(append === undefined ? {} : { append }),
		...(context ? { contextFiles: context.files } : {}),
		...(rules.length > 0 ? { foundRules: rules } : {}),
	};
}

async function styleOf(
	{ outputStyle, onNotice }: Pick<PromptRequest, "outputStyle" | "onNotice">,
	places: StylePlaces,
): Promise<string | undefined> {
	if (!outputStyle || outputStyle === "default") return undefined;
	const { styleText } = await import("./output-styles/styles.ts");
	const found = styleText(outputStyle, places);
	if (!found.ok) return void onNotice(`${found.reason}. Choose one with /output-style.`);
	return found.text;
}

function absolute(directories: readonly string[], cwd: string): string[] {
	return directories.map((directory) => resolve(cwd, expandHome(directory)));
}

function untrustedNotice(paths: readonly string[]): string {
	const shown = paths.map((path) => shortenHome(path)).join(", ");
	return `Not used, because the project is not trusted: ${shown}. Review it, then run /trust yes or start with --trust.`;
}
