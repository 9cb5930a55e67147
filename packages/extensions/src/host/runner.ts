/** Runs the extensions of one session: dispatches session events to them and carries out their requests. */
import type { AgentMessage } from "@tau/agent";
import type { Theme } from "@tau/tui";
import { log, oneLine, runAs } from "@tau/utils";
import type { AgentSession, Prompt } from "@tau/session";
import type { CustomMessage } from "@tau/log";
import type { ToolEnv } from "@tau/tools/tool";
import type { WebDrawing } from "@tau/wire";

import { createActions } from "../api/actions.ts";
import { CommandTable } from "../api/commands.ts";
import {
	createCommandContext,
	createContext,
	createReplacedContext,
	type ContextParts,
} from "../api/context.ts";
import {
	markdownTransform,
	thinkingRows,
	type MarkdownTransformer,
	type ThinkingRenderContext,
} from "../api/text-transforms.ts";
import { disabledEvent } from "../support/credentials.ts";
import { Dispatcher, type HandlerFailure } from "../events/dispatcher.ts";
import type { PromptDraft } from "../events/prompt-options.ts";
import type { EventOf, ExtensionEventName } from "../api/event-types.ts";
import type { Extension } from "../api/extension.ts";
import { describeFailure } from "../support/failure.ts";
import { tieFallbacks } from "../api/file-fallbacks.ts";
import { limits } from "../support/limits.ts";
import { processScope, type ExtensionScope } from "../support/scope.ts";
import type { ExtensionMode } from "../api/mode.ts";
import { drawAs, rendererFor, type BoundRenderer } from "../api/renderer-chain.ts";
import { ExtensionTurns } from "./extension-turns.ts";
import { Runtime } from "./runtime.ts";
import { ServiceTiers } from "../providers/service-tiers.ts";
import type { BoundSession } from "../api/extension-session.ts";
import { ToolTable } from "./tools.ts";
import type {
	EntryRenderer,
	ExtensionContext,
	MessageRenderer,
	ReplacedSessionContext,
	ToolSessionEvent,
} from "../api/types.ts";
import { callForWeb, messageForWeb, type WebCall } from "../api/web-renderer.ts";
import { VirtualRoutes } from "../providers/virtual-routes.ts";

export interface RunnerParts {
	extensions: readonly Extension[];
	runtime?: Runtime;
	/** Where their code runs. */
	scope?: ExtensionScope;
	mode(): ExtensionMode;
	/** The runner of the session that the program is in now. */
	current(): ExtensionRunner;
	/** Whether code of the project may run. */
	isTrusted?(): boolean;
	/** Shorter waits, for tests. */
	deadline?: { slowMs: number; limitMs: number };
}

export class ExtensionRunner {
	readonly #parts: RunnerParts;
	readonly #contexts = new Map<Extension, ExtensionContext>();
	readonly #failures = new Map<Extension, number>();
	readonly #ending = new Set<string>();
	readonly runtime: Runtime;
	/** Where code of the extensions runs. */
	readonly scope: ExtensionScope;
	/** The calls that tools have made and that run, each with the call that made it. */
	readonly nestedCalls = new Map<string, string>();
	readonly events: Dispatcher;
	readonly commands: CommandTable;
	/** The changes of extensions to requests to model servers. */
	readonly tiers = new ServiceTiers();
	readonly routes = new VirtualRoutes(() => this.bound);
	/** How many answers in a row only extensions have asked for. */
	readonly turns = new ExtensionTurns(() => this.bound.settings.get("extensionTurns"));
	/** Sent with the next prompt. */
	readonly nextTurn: CustomMessage[] = [];
	/** The context that extensions add to a tool result for the model, by call. */
	readonly asides = new Map<string, string[]>();
	/** While `before_agent_start` handlers run: what those so far have made of the system prompt. */
	pendingPrompt: PromptDraft | undefined;
	#bound: BoundSession | undefined;
	#tools: ToolTable | undefined;

	constructor(parts: RunnerParts) {
		this.#parts = parts;
		this.runtime = parts.runtime ?? new Runtime();
		this.commands = new CommandTable(parts.extensions);
		this.scope = parts.scope ?? processScope;
		this.events = new Dispatcher({
			scope: this.scope,
			extensions: parts.extensions,
			contextOf: (extension) => this.contextOf(extension),
			signal: () => this.#bound?.session.signal,
			onFailure: (failure) => this.report(failure),
			onSlow: (extension, event) =>
				void this.notify(`The extension ${extension.label} is blocking on the ${event} event. Esc skips it.`),
			...(parts.deadline ? { deadline: parts.deadline } : {}),
		});
	}

	get extensions(): readonly Extension[] {
		return this.#parts.extensions;
	}

	get mode(): ExtensionMode {
		return this.#parts.mode();
	}

	get bound(): BoundSession {
		if (!this.#bound) throw new Error("The extensions have no session yet.");
		return this.#bound;
	}

	/** Where the tools of the session work; nothing before there is one. */
	get env(): ToolEnv | undefined {
		return this.#bound?.env;
	}

	get tools(): ToolTable {
		if (!this.#tools) throw new Error("The extensions have no session yet.");
		return this.#tools;
	}

	/** From now on extensions can act. */
	link(bound: BoundSession): void {
		this.#bound = bound;
		this.#tools = new ToolTable({
			registry: bound.tools,
			extensions: this.extensions,
			scope: this.scope,
			contextOf: (extension) => this.contextOf(extension),
			isNamed: (name) => bound.toolSelection?.names?.(name) ?? false,
			onTerminate: (toolCallId) => this.endAfter(toolCallId),
			onAside: (toolCallId, text) => this.addAside(toolCallId, text),
			artifacts: bound.env?.artifacts,
			nested: {
				gates: () => bound.session.toolGates(),
				emit: (event) => bound.session.emit(event),
				parents: this.nestedCalls,
			},
		});
		this.runtime.bind(createActions(this));
		this.runtime.owned.use(tieFallbacks(this));
		this.runtime.owned.use(bound.onRefused((credential) => void this.emit(disabledEvent(credential))));
	}

	/** The session is left: what extensions still hold of it is of no use. */
	end(why: string): void {
		this.runtime.end(why);
	}

	contextOf(extension: Extension): ExtensionContext {
		const known = this.#contexts.get(extension);
		if (known) return known;
		const context = createContext(this.#contextParts(extension));
		this.#contexts.set(extension, context);
		return context;
	}

	/** Returns true if the command exists. It has then run, and its errors have been reported. */
	async runCommand({ text }: Prompt): Promise<boolean> {
		const match = this.commands.find(text);
		if (!match) return false;
		const { extension, command, args } = match;
		try {
			const context = createCommandContext(this.#contextParts(extension));
			await runAs(extension.label, `/${match.name}`, () =>
				this.scope.run(() => command.handler(args, context), extension),
			);
		} catch (error) {
			await this.report({
				extension,
				event: `/${match.name}`,
				error: describeFailure(error, extension.path),
			});
		}
		return true;
	}

	addAside(toolCallId: string, text: string): void {
		this.asides.set(toolCallId, [...(this.asides.get(toolCallId) ?? []), text]);
	}

	/** The run is to end behind the answer with this call. */
	endAfter(toolCallId: string): void {
		this.#ending.add(toolCallId);
	}

	/** What draws the entries that an extension keeps under this name. */
	entryRenderer(customType: string): EntryRenderer | undefined {
		for (const { entryRenderers, label } of this.extensions) {
			const renderer = entryRenderers.get(customType);
			if (renderer) return (...about) => drawAs(label, () => renderer(...about));
		}
		return undefined;
	}

	/** What draws the messages that an extension adds under this name. */
	messageRenderer(customType: string): MessageRenderer | undefined {
		for (const { renderers, label } of this.extensions) {
			const renderer = renderers.get(customType);
			if (renderer) return (...about) => drawAs(label, () => renderer(...about));
		}
		return undefined;
	}

	/** What extensions draw of it for pages; undefined if none does. */
	messageForWeb(message: CustomMessage): Promise<WebDrawing | undefined> {
		return messageForWeb(this.extensions, message);
	}

	callForWeb(call: WebCall): Promise<WebDrawing | undefined> {
		return callForWeb(this.extensions, call);
	}

	/** The transform for displayed Markdown; undefined if no extension registered one. */
	get markdownTransform(): MarkdownTransformer | undefined {
		return markdownTransform(this.extensions);
	}

	/** What extensions draw below thinking. */
	thinkingRows(context: ThinkingRenderContext, theme: Theme, width: number): string[] {
		return thinkingRows(this.extensions, context, theme, width);
	}

	/** What extensions draw calls of this tool with. */
	toolRenderer(name: string): BoundRenderer | undefined {
		return rendererFor(name, this.tools.definition(name), this.extensions, (each) => this.contextOf(each));
	}

	/** Every result of the answer asked for the end of the run. */
	wantsEnd(toolCallIds: readonly string[]): boolean {
		const all = toolCallIds.length > 0 && toolCallIds.every((id) => this.#ending.has(id));
		this.#ending.clear();
		return all;
	}

	async emit<K extends ExtensionEventName>(event: EventOf<K> & { type: K }, limitMs?: number): Promise<void> {
		if (!this.events.has(event.type)) return;
		await this.events.emit<K>(event.type, event, limitMs === undefined ? {} : { limitMs });
	}

	/** Calls `onSession` of the tools that have it, with the event's data. */
	async emitToToolSessions(event: ToolSessionEvent): Promise<void> {
		for (const extension of this.extensions) {
			for (const { name, onSession } of extension.tools.values()) {
				try {
					await runAs(extension.label, `tool ${name}`, () =>
						onSession?.({ ...event }, this.contextOf(extension)),
					);
				} catch (error) {
					log.warn("a tool failed on a session event", { tool: name, reason: String(error) });
				}
			}
		}
	}

	/** The errors of an extension are reported a limited number of times; the log has all of them. */
	async report({ extension, event, error }: HandlerFailure): Promise<void> {
		log.error("an extension failed", { extension: extension.path, event, reason: error });
		const count = (this.#failures.get(extension) ?? 0) + 1;
		this.#failures.set(extension, count);
		if (count > limits.reportedErrors) return;
		await this.#bound?.handle.emit({
			type: "extension_error",
			extensionPath: extension.path,
			event,
			error: oneLine(error, limits.errorChars),
		});
	}

	async notify(message: string): Promise<void> {
		await this.#bound?.handle.emit({ type: "notice", level: "warning", message });
	}

	get session(): AgentSession {
		return this.bound.session;
	}

	/** The context of the extension with this path, in this session. */
	replacedContext(path: string): ReplacedSessionContext {
		const [first] = this.extensions;
		const extension = this.extensions.find((each) => each.path === path) ?? first;
		if (!extension) throw new Error("This session has no extensions.");
		return createReplacedContext(this.#contextParts(extension));
	}

	#contextParts(extension: Extension): ContextParts {
		return {
			extension,
			runtime: this.runtime,
			bound: () => this.bound,
			mode: () => this.mode,
			replaced: () => this.#parts.current().replacedContext(extension.path),
			pendingPrompt: () => this.pendingPrompt?.text,
			isTrusted: () => this.#parts.isTrusted?.() ?? false,
			onDialog: (type, kind, title) => {
				// Without a UI no user can answer, so no dialog is pending.
				if (!this.mode.hasUI) return;
				const about = { reason: "ui_prompt" as const, kind, ...(title === undefined ? {} : { title }) };
				void (type === "ui_prompt_start"
					? this.emit({ type, ...about })
					: this.emit({ type: "ui_prompt_end", ...about }));
			},
			onError: (event, error) =>
				void this.report({ extension, event, error: describeFailure(error, extension.path) }),
		};
	}

	/** What waits for the next prompt. */
	takeNextTurn(): AgentMessage[] {
		return this.nextTurn.splice(0);
	}
}
