/** Builds a session from its parts: keys, prompt, tools and the behaviors that every session has. */
import { resolve } from "node:path";

import type { CredentialStore, Model, ThinkingLevel } from "@tau/ai";
import { expandHome, uuidv7, type Env } from "@tau/utils";

import type { ModelRegistry } from "../config/model-registry.ts";
import type { Settings } from "../config/settings/index.ts";
import { systemPrompt, type SystemPromptOptions } from "../prompts/system-prompt.ts";
import {
	AgentSession,
	budgetGuard,
	credentialFeedback,
	persistence,
	type AgentSessionOptions,
	type Budget,
	type SessionManager,
} from "../session/index.ts";
import type { BuiltinTool } from "../tools/define-tool.ts";
import { KeySource } from "./key-source.ts";

export interface SessionParts {
	cwd: string;
	/** What commands of the model are run with, before the keys are taken out. */
	env: Env;
	settings: Settings;
	store: CredentialStore;
	registry: ModelRegistry;
	model: Model;
	thinking?: ThinkingLevel | undefined;
	/** Absent where nothing is kept. */
	sessionLog: SessionManager | undefined;
	/** Whether the key for the model's provider was given for this run. */
	hasOwnKey: boolean;
	prompt: Omit<SystemPromptOptions, "cwd">;
	tools: readonly BuiltinTool[];
	budget: Budget;
	onNotice(message: string): void;
}

/** `more` stands above the parts. */
export function createSession(parts: SessionParts, more: Partial<AgentSessionOptions> = {}): AgentSession {
	const { cwd, settings, registry, model, sessionLog } = parts;
	const keys = new KeySource({
		store: parts.store,
		registry,
		sessionId: sessionLog?.getSessionId() ?? uuidv7(),
		...(parts.hasOwnKey ? { overridden: model.provider } : {}),
		onNotice: parts.onNotice,
	});
	const place = {
		cwd,
		env: registry.withoutKeys(parts.env),
		resolve: (path: string) => resolve(cwd, expandHome(path)),
		commandSeconds: settings.get("bash.timeoutSeconds"),
	};
	return new AgentSession({
		model,
		systemPrompt: systemPrompt({ cwd, ...parts.prompt }),
		tools: parts.tools.map((tool) => tool.bind(place)),
		steeringMode: settings.get("steeringMode"),
		followUpMode: settings.get("followUpMode"),
		...(parts.thinking ? { thinking: parts.thinking } : {}),
		credentials: (asked) => keys.for(asked),
		...more,
		behaviors: [
			...(sessionLog ? [persistence(sessionLog)] : []),
			credentialFeedback((provider, outcome) => keys.report(provider, outcome)),
			budgetGuard(parts.budget),
			...(more.behaviors ?? []),
		],
	});
}
