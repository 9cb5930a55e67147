/** What the extensions of one session share: flags, the bus, and the actions that work once the session exists. */
import type { Model, ThinkingLevel } from "@tau/ai";

import type { OwnMessage } from "../api/event-types.ts";
import { createEventBus, type EventBusController } from "../api/event-bus.ts";
import type { ServiceTiers } from "../providers/service-tiers.ts";
import { RegisteredServers } from "@tau/resources/mcp/definitions";
import { Timers } from "../support/timers.ts";
import type { Extension } from "../api/extension.ts";
import type { ExtensionContext, SendOptions, SlashCommandInfo, ToolInfo, UserContent } from "../api/types.ts";
import type { ExtensionProvider } from "../api/provider-types.ts";
import type { VirtualModelDefinition } from "../providers/virtual-models.ts";

/** The extension that sends a message. */
export type Sender = Pick<Extension, "label">;

/** What `pi.…` does with a session. */
export interface ExtensionActions {
	/** Without a sender it is a program's. */
	sendMessage(message: OwnMessage, options?: SendOptions, sender?: Sender): Promise<void>;
	sendUserMessage(
		content: UserContent,
		options?: { deliverAs?: "steer" | "followUp" },
		sender?: Sender,
	): Promise<void>;
	appendEntry(customType: string, data?: unknown): void;
	setSessionName(name: string): Promise<void>;
	getSessionName(): string | undefined;
	setLabel(entryId: string, label: string | undefined): void;
	getActiveTools(): string[];
	getAllTools(): ToolInfo[];
	setActiveTools(names: readonly string[]): void;
	/** A tool was registered after the start. */
	toolsChanged(): void;
	getCommands(): SlashCommandInfo[];
	getSettings(): Record<string, unknown>;
	setModel(model: Model): Promise<boolean>;
	getThinkingLevel(): ThinkingLevel;
	setThinkingLevel(level: ThinkingLevel): void;
	serviceTiers(): ServiceTiers;
	registerProvider(name: string, config: ExtensionProvider): void;
	unregisterProvider(name: string): void;
	registerVirtualModel(definition: VirtualModelDefinition): void;
	unregisterVirtualModel(provider: string, id: string): void;
	contextOf(extension: Extension): ExtensionContext;
	cwd(): string;
}

/** Thrown by actions while extensions are being loaded. */
class ExtensionRuntimeNotInitializedError extends Error {
	constructor() {
		super(
			"Extension runtime not initialized: an extension can only register things while it loads. Act in a handler, a command or a tool.",
		);
		this.name = "ExtensionRuntimeNotInitializedError";
	}
}

/** Thrown by what belongs to a session that is gone. */
class StaleExtensionError extends Error {
	constructor(why: string) {
		super(
			`This extension belongs to a session that was closed (${why}). Use the context of the new session.`,
		);
		this.name = "StaleExtensionError";
	}
}

export class Runtime {
	readonly flags = new Map<string, boolean | string>();
	readonly bus: EventBusController = createEventBus();
	/** Those of `ctx.setTimeout` and `ctx.setInterval`. */
	readonly timers = new Timers();
	/** What listens for the extensions; ends with the session. */
	readonly owned = new DisposableStack();
	/** Registered while loading, in order; the last of a name is used. */
	readonly providers = new Map<string, ExtensionProvider>();
	/** The same of virtual models, by `provider/id`. */
	readonly virtualModels = new Map<string, VirtualModelDefinition>();
	/** Started with the session's other servers. */
	readonly mcpServers = new RegisteredServers();
	#actions: ExtensionActions | undefined;
	#ended: string | undefined;

	bind(actions: ExtensionActions): void {
		this.#actions = actions;
	}

	/** From now on everything that needs the session throws. */
	end(why: string): void {
		this.#ended ??= why;
		this.bus.clear();
		this.timers.dispose();
		this.owned.dispose();
	}

	get isBound(): boolean {
		return this.#actions !== undefined && this.#ended === undefined;
	}

	/** Throws the reason why acting is not possible now. */
	get actions(): ExtensionActions {
		this.assertActive();
		if (!this.#actions) throw new ExtensionRuntimeNotInitializedError();
		return this.#actions;
	}

	assertActive(): void {
		if (this.#ended !== undefined) throw new StaleExtensionError(this.#ended);
	}
}
