/** What can be seen of a session without doing anything to it, by pi's names. */
import type { AgentMessage } from "@tau/agent";
import { levelsOf, type Model, type ThinkingLevel } from "@tau/ai";
import type { SessionHost } from "@tau/session/host";
import type { ToolDefinition, ToolInfo } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import type { AgentSession } from "@tau/session";
import type { SessionManager } from "@tau/log";

import type { ModelRegistry } from "./model-registry.ts";
import type { ResourceLoader } from "./resource-loader.ts";
import * as facts from "./session-facts.ts";
import type { SettingsManager } from "./settings-manager.ts";

export interface SessionViewParts {
	host: SessionHost;
	extensions: Extensions;
	settingsManager: SettingsManager;
	modelRegistry: ModelRegistry;
	resourceLoader: ResourceLoader;
}

export class SessionView {
	readonly #from: SessionViewParts;

	constructor(from: SessionViewParts) {
		this.#from = from;
	}

	get sessionManager(): SessionManager {
		return this.#from.host.log;
	}

	get settingsManager(): SettingsManager {
		return this.#from.settingsManager;
	}

	get modelRegistry(): ModelRegistry {
		return this.#from.modelRegistry;
	}

	get resourceLoader(): ResourceLoader {
		return this.#from.resourceLoader;
	}

	get extensionRunner(): Extensions["runner"] {
		return this.#from.extensions.runner;
	}

	get state(): AgentSession["state"] {
		return this.#session.state;
	}

	get messages(): readonly AgentMessage[] {
		return this.#session.state.messages;
	}

	get model(): Model {
		return this.#session.model;
	}

	get thinkingLevel(): ThinkingLevel {
		return this.#session.state.thinkingLevel;
	}

	get systemPrompt(): string {
		return this.#session.state.systemPrompt;
	}

	get isCompacting(): boolean {
		return this.#session.isCompacting;
	}

	get sessionFile(): string | undefined {
		return this.sessionManager.getSessionFile();
	}

	get sessionId(): string {
		return this.sessionManager.getSessionId();
	}

	get sessionName(): string | undefined {
		return this.sessionManager.getSessionName();
	}

	get steeringMode(): "all" | "one-at-a-time" {
		return this.#session.state.steeringMode;
	}

	get followUpMode(): "all" | "one-at-a-time" {
		return this.#session.state.followUpMode;
	}

	get promptTemplates(): readonly { name: string; description?: string }[] {
		return this.resourceLoader.getPrompts().prompts;
	}

	get pendingMessageCount(): number {
		return this.state.steering.length + this.state.followUps.length;
	}

	getSteeringMessages(): readonly string[] {
		return this.state.steering.map(facts.textOf);
	}

	getFollowUpMessages(): readonly string[] {
		return this.state.followUps.map(facts.textOf);
	}

	getAvailableThinkingLevels(): ThinkingLevel[] {
		return levelsOf(this.model);
	}

	supportsThinking(): boolean {
		return this.model.reasoning;
	}

	getActiveToolNames(): string[] {
		return this.state.tools.map(({ name }) => name);
	}

	getAllTools(): ToolInfo[] {
		return this.extensionRunner.tools.info();
	}

	getToolDefinition(name: string): ToolDefinition | undefined {
		return this.extensionRunner.tools.definition(name);
	}

	getUserMessagesForForking(): { entryId: string; text: string }[] {
		return facts.userMessages(this.sessionManager);
	}

	getSessionStats(): facts.SessionStats {
		return facts.sessionStats(this.#from.host);
	}

	getContextUsage(): ReturnType<AgentSession["contextUsage"]> {
		return this.#session.contextUsage();
	}

	getLastAssistantText(): string | undefined {
		return facts.lastText(this.messages);
	}

	async exportToHtml(outputPath?: string): Promise<string> {
		const { exportHtml } = await import("@tau/session/export");
		return exportHtml(this.sessionManager, outputPath);
	}

	/** A copy of the session's file; gives its path. */
	exportToJsonl(outputPath?: string): string {
		return facts.copyLines(this.sessionManager, outputPath);
	}

	hasExtensionHandlers(eventType: string): boolean {
		return this.extensionRunner.extensions.some(({ handlers }) => handlers.has(eventType));
	}

	get #session(): AgentSession {
		return this.#from.host.session;
	}
}
