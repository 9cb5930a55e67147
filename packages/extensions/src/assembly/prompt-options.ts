/** The parts of the system prompt by pi's names, for extensions that read or change them, and the prompt made of these. */
import type { BuildSystemPromptOptions } from "../api/event-types.ts";
import type { PromptAdditions } from "../api/extension-session.ts";
import { listSkills, type Skill } from "../skills/index.ts";
import { systemPrompt, type SystemPromptOptions } from "../system-prompt/system-prompt.ts";

type PromptParts = Omit<SystemPromptOptions, "cwd" | "tools" | "skills">;

export function promptOptions(
	cwd: string,
	{ replace, append, contextFiles }: PromptParts,
	skills: readonly Skill[],
	tools: readonly string[],
	{ snippets, guidelines }: PromptAdditions,
): BuildSystemPromptOptions {
	return {
		cwd,
		...(replace === undefined ? {} : { customPrompt: replace }),
		...(append === undefined ? {} : { appendSystemPrompt: append }),
		...(contextFiles ? { contextFiles: contextFiles.map(({ path, content }) => ({ path, content })) } : {}),
		selectedTools: [...tools],
		hiddenTools: [],
		toolSnippets: { ...snippets },
		toolGuidelines: {},
		promptGuidelines: [...guidelines],
		skills: skills.map(({ name, description, path, directory, isHidden }) => ({
			name,
			description,
			filePath: path,
			...(directory === undefined ? {} : { baseDir: directory }),
			disableModelInvocation: isHidden,
		})),
		sections: {},
	};
}

/** Extensions are not always typed: what has another form than it should is left out. */
export function promptFrom(options: BuildSystemPromptOptions, prompt: PromptParts): string {
	const { cwd, customPrompt, appendSystemPrompt, contextFiles = [], skills = [] } = options;
	const { replace: _, append: __, ...rest } = prompt;
	const hidden = new Set(texts(options.hiddenTools));
	const isShown = (name: string): boolean => !hidden.has(name);
	return systemPrompt({
		...rest,
		cwd,
		tools: texts(options.selectedTools).filter(isShown),
		...(typeof customPrompt === "string" ? { replace: customPrompt } : {}),
		...(typeof appendSystemPrompt === "string" ? { append: appendSystemPrompt } : {}),
		contextFiles: contextFiles.map(({ path, content }) => ({ path, content, level: "project" })),
		skills: listSkills(
			skills.map(({ name, description, filePath, disableModelInvocation = false }) => ({
				name,
				description,
				path: filePath,
				isHidden: disableModelInvocation,
			})),
		),
		snippets: Object.fromEntries(
			Object.entries(options.toolSnippets ?? {}).filter(
				([name, text]) => isShown(name) && typeof text === "string",
			),
		),
		guidelines: [
			...texts(options.promptGuidelines),
			...Object.entries(options.toolGuidelines ?? {}).flatMap(([name, rules]) =>
				isShown(name) ? texts(rules) : [],
			),
		],
	});
}

function texts(list: unknown): string[] {
	return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}
