/** pi's ExtensionRunner, for programs that load extensions and call their handlers themselves. */
import type {
	AnyHandler,
	Extension,
	EventOf,
	ExtensionEventName,
	CommandOptions,
	ExtensionContext,
	FlagOptions,
	MessageRenderer,
	ShortcutOptions,
	SourceInfo,
	ToolDefinition,
} from "@tau/extensions/api";
import type { ExtensionActions, Runtime } from "@tau/extensions/host";
import { headlessUI, type ExtensionUI } from "@tau/extensions/ui";

interface ExtensionFailure {
	extensionPath: string;
	event: string;
	error: string;
}

/** As pi hands a tool on: what it is, and whose. */
export interface RegisteredTool {
	definition: ToolDefinition;
	sourceInfo: SourceInfo;
}

export class ExtensionRunner {
	readonly #extensions: readonly Extension[];
	readonly #listeners = new Set<(failure: ExtensionFailure) => void>();
	readonly #context: Pick<ExtensionContext, "cwd" | "sessionManager" | "modelRegistry">;
	readonly runtime: Runtime;
	#ui: ExtensionUI | undefined;
	#more: Partial<ExtensionContext> = {};

	constructor(
		extensions: readonly Extension[],
		runtime: Runtime,
		cwd: string,
		sessionManager: ExtensionContext["sessionManager"],
		modelRegistry: ExtensionContext["modelRegistry"],
	) {
		this.#extensions = extensions;
		this.runtime = runtime;
		this.#context = { cwd, sessionManager, modelRegistry };
	}

	/** What extensions do, and what they may ask, from now on. */
	bindCore(actions: ExtensionActions, contextActions: Partial<ExtensionContext> = {}): void {
		this.runtime.bind(actions);
		this.#more = contextActions;
	}

	setUIContext(ui?: ExtensionUI): void {
		this.#ui = ui;
	}

	getUIContext(): ExtensionUI {
		return this.#ui ?? headlessUI(() => {});
	}

	hasUI(): boolean {
		return this.#ui !== undefined;
	}

	getExtensionPaths(): string[] {
		return this.#extensions.map(({ path }) => path);
	}

	/** The first of a name is used. */
	getAllRegisteredTools(): RegisteredTool[] {
		const tools = new Map<string, RegisteredTool>();
		for (const { tools: own, sourceInfo } of this.#extensions)
			for (const [name, definition] of own) if (!tools.has(name)) tools.set(name, { definition, sourceInfo });
		return [...tools.values()];
	}

	getToolDefinition(name: string): ToolDefinition | undefined {
		return this.getAllRegisteredTools().find(({ definition }) => definition.name === name)?.definition;
	}

	getFlags(): Map<string, FlagOptions> {
		return new Map(this.#extensions.flatMap(({ flags }) => [...flags]));
	}

	getFlagValues(): Map<string, boolean | string> {
		return new Map(this.runtime.flags);
	}

	setFlagValue(name: string, value: boolean | string): void {
		this.runtime.flags.set(name, value);
	}

	getMessageRenderer(customType: string): MessageRenderer | undefined {
		return this.#extensions.flatMap(({ renderers }) => renderers.get(customType) ?? [])[0];
	}

	getRegisteredCommands(): (CommandOptions & { name: string })[] {
		return this.#extensions.flatMap(({ commands }) =>
			[...commands].map(([name, options]) => ({ ...options, name })),
		);
	}

	getCommand(name: string): (CommandOptions & { name: string }) | undefined {
		return this.getRegisteredCommands().find((command) => command.name === name);
	}

	hasHandlers(eventType: string): boolean {
		return this.#extensions.some(({ handlers }) => (handlers.get(eventType)?.length ?? 0) > 0);
	}

	/** Gives the way to stop listening. */
	onError(listener: (failure: ExtensionFailure) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	emitError(failure: ExtensionFailure): void {
		for (const listener of this.#listeners) listener(failure);
	}

	/** What belongs to the session is of no use from now on. */
	invalidate(why: string = "the session was left"): void {
		this.runtime.end(why);
	}

	createContext(): ExtensionContext {
		const stop = new AbortController();
		return {
			...this.#context,
			ui: this.getUIContext(),
			hasUI: this.hasUI(),
			model: undefined,
			signal: undefined,
			isIdle: () => true,
			abort: () => stop.abort(),
			hasPendingMessages: () => false,
			hasQueuedMessages: () => false,
			shutdown: () => {},
			getContextUsage: () => undefined,
			compact: () => {},
			getSystemPrompt: () => "",
			...this.#more,
		} as ExtensionContext;
	}

	createCommandContext(): ExtensionContext {
		return this.createContext();
	}

	shutdown(): void {
		this.createContext().shutdown();
	}

	getShortcuts(): Map<string, ShortcutOptions> {
		return new Map(this.#extensions.flatMap(({ shortcuts }) => [...shortcuts]));
	}

	/** The first that blocks decides. */
	emitToolCall(event: { type: string }): Promise<unknown> {
		return this.emit(event);
	}

	emitUserBash(event: { type: string }): Promise<unknown> {
		return this.emit(event);
	}

	/** Each sees what the ones before it have made of the result. */
	emitToolResult<T extends { type: string }>(event: T): Promise<T> {
		return this.#chained(event, (so, answer) => ({ ...so, ...answer }));
	}

	async emitMessageEnd<M>(event: { type: string; message: M }): Promise<M> {
		const { message } = await this.#chained(event, (so, answer) => ({ ...so, ...answer }));
		return message;
	}

	async emitContext<M>(messages: readonly M[]): Promise<M[]> {
		const event = { type: "context", messages: [...messages] };
		return (await this.#chained(event, (so, answer) => ({ ...so, ...answer }))).messages;
	}

	async emitBeforeProviderRequest(payload: unknown): Promise<unknown> {
		const event = { type: "before_provider_request", payload };
		return (await this.#chained(event, (so, answer) => ({ ...so, payload: answer }))).payload;
	}

	/** `handled` ends it; otherwise the text and the pictures as they were left. */
	async emitInput(text: string, images: unknown, source: string): Promise<Record<string, unknown>> {
		const event: Record<string, unknown> & { type: string } = { type: "input", text, images, source };
		const last = await this.#chained(event, (so, answer) => ({ ...so, ...answer }));
		const { action = "continue" } = last;
		return { action, text: last.text, images: last.images };
	}

	/** Calls all handlers, in order; the last result is used, unless one cancels before. */
	async emit(event: { type: string }): Promise<unknown> {
		const context = this.createContext();
		let result: unknown;
		for (const { handlers, path } of this.#extensions) {
			for (const handler of handlers.get(event.type) ?? []) {
				const answer = await this.#callHandler(handler, event, context, path);
				if (answer !== undefined) result = answer;
				if (isRefusal(answer)) return answer;
			}
		}
		return result;
	}

	/** Hands an event from one handler to the next, with what the last made of it. */
	async #chained<T extends { type: string }>(event: T, fold: (so: T, answer: object) => T): Promise<T> {
		const context = this.createContext();
		let so = event;
		for (const { handlers, path } of this.#extensions) {
			for (const handler of handlers.get(event.type) ?? []) {
				const answer = await this.#callHandler(handler, so, context, path);
				if (typeof answer === "object" && answer !== null) so = fold(so, answer);
				if (Object(answer).action === "handled") return so;
			}
		}
		return so;
	}

	async #callHandler(
		handler: AnyHandler,
		event: { type: string },
		context: ExtensionContext,
		extensionPath: string,
	): Promise<unknown> {
		try {
			// The type of the event says what its handlers take.
			return await handler(event as unknown as EventOf<ExtensionEventName>, context);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.emitError({ extensionPath, event: event.type, error: message });
			return undefined;
		}
	}
}

function isRefusal(answer: unknown): boolean {
	const { cancel, block } = Object(answer) as { cancel?: unknown; block?: unknown };
	return cancel === true || block === true;
}
