/** A client of the session in this process: it reads the live objects, and nothing is serialized on the way. */
import type { Extensions } from "@tau/extensions/host";
import type { McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import { eventFrame, liveFacts, type Attached, type SessionHost } from "@tau/session/host";
import { abortable, onDispose } from "@tau/utils";
import type {
	ClientInfo,
	Command,
	CommandFields,
	CommandName,
	CommandResult,
	EventFrame,
	RequestKind,
	SessionClient,
	SessionView,
} from "@tau/wire";

import type { SlashCommandRuns } from "../rpc/serve.ts";
import type { CommandParts } from "@tau/session-commands";
import { LocalTail } from "./local-view.ts";

export interface LocalClientParts {
	readonly me: ClientInfo;
	readonly host: SessionHost;
	readonly extensions?: Extensions | undefined;
	/** Skills and templates, as they were found last. */
	readonly resources?: { readonly current: Resources | undefined } | undefined;
	readonly mcp?: { readonly prompts: readonly McpPrompt[] } | undefined;
	/** What slash commands work with; absent where there are none. */
	readonly commands?: CommandParts | undefined;
}

type EventListener = (event: EventFrame) => void | Promise<void>;

export class LocalClient implements SessionClient {
	readonly #parts: LocalClientParts;
	readonly #subscriptions = new Map<Disposable, EventListener>();
	readonly #resetListeners = new Set<() => void>();
	readonly #owned = new DisposableStack();
	readonly #tail: LocalTail;
	#attached: Attached;
	readonly view: SessionView;
	#slash: SlashCommandRuns | undefined;

	constructor(parts: LocalClientParts) {
		const { host, me } = parts;
		this.#parts = parts;
		this.#tail = new LocalTail(host);
		const { live } = host.clients;
		if (!live) throw new Error("A session that nobody can join has nothing to draw.");
		this.view = {
			facts: liveFacts(host),
			tail: this.#tail,
			live,
			get clients() {
				return host.clients.all;
			},
		};
		this.#attached = this.#attach(me.kinds);
		this.#owned.defer(() => this.#attached[Symbol.dispose]());
		this.#owned.use(host.onReplaced(() => this.#onReplaced()));
	}

	get me(): ClientInfo {
		return this.#parts.me;
	}

	/** The session calls it without a way through this client. */
	subscribe(listener: EventListener): Disposable {
		const subscription = this.#parts.host.clients.subscribe(listener);
		this.#subscriptions.set(subscription, listener);
		return onDispose(() => {
			this.#subscriptions.delete(subscription);
			subscription[Symbol.dispose]();
		});
	}

	onReset(listener: () => void): Disposable {
		this.#resetListeners.add(listener);
		return onDispose(() => this.#resetListeners.delete(listener));
	}

	async request<T extends CommandName>(
		type: T,
		fields: CommandFields<T>,
		signal?: AbortSignal,
	): Promise<CommandResult<T>> {
		signal?.throwIfAborted();
		// A command is its type with its fields, which the compiler cannot follow through the union.
		const command = { type, ...(fields as object) } as unknown as Command;
		const work = this.#handle(command);
		return (await (signal ? abortable(work, signal) : work)) as CommandResult<T>;
	}

	[Symbol.dispose](): void {
		for (const subscription of this.#subscriptions.keys()) subscription[Symbol.dispose]();
		this.#subscriptions.clear();
		this.#owned.dispose();
	}

	/** With the handlers that serve every other client. */
	async #handle(command: Command): Promise<unknown> {
		const { host, extensions, resources, mcp } = this.#parts;
		// Loaded with the first command.
		const {
			handle,
			handleRequest,
			isRequestCommand,
			SlashCommandRuns: Runs,
		} = await import("../rpc/serve.ts");
		if (isRequestCommand(command)) return handleRequest(command, host.requests);
		this.#slash ??= new Runs(this.#parts.commands, {
			by: () => this.me,
			// How its own commands come on concerns nobody else.
			emit: (event) => {
				for (const listener of this.#subscriptions.values()) void listener(eventFrame(event));
			},
		});
		const responded = Promise.withResolvers<void>();
		try {
			return await handle(command, {
				host,
				extensions,
				resources: resources?.current,
				mcp,
				slashCommands: this.#slash,
				responded: responded.promise,
				release: () => {},
				ui: { setKinds: (kinds) => this.#setKinds(kinds) },
			});
		} finally {
			responded.resolve();
		}
	}

	#attach(kinds: readonly RequestKind[]): Attached {
		const { host, me } = this.#parts;
		return host.attach({ id: me.id, name: me.name, kinds });
	}

	/** The new place comes first: a question that nobody could answer would be declined. */
	#setKinds(kinds: readonly RequestKind[]): void {
		const before = this.#attached;
		this.#attached = this.#attach(kinds);
		before[Symbol.dispose]();
	}

	#onReplaced(): void {
		this.#tail.reset();
		for (const listener of this.#resetListeners) listener();
	}
}
