/** A client of the session in this process: it reads the live objects, and nothing is serialised on the way. */
import type { Extensions } from "@tau/extensions/host";
import type { McpPrompt } from "@tau/extensions/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { SessionEvent } from "@tau/session";
import type { RequestClient, SessionHost } from "@tau/session/host";
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

import { eventFrame } from "../modes/frames.ts";
import { LocalLive } from "./local-live.ts";
import { LocalFacts, LocalTail } from "./local-view.ts";

export interface LocalClientParts {
	readonly me: ClientInfo;
	readonly host: SessionHost;
	readonly extensions?: Extensions | undefined;
	/** Skills and templates, as they were found last. */
	readonly resources?: { readonly current: Resources | undefined } | undefined;
	readonly mcp?: { readonly prompts: readonly McpPrompt[] } | undefined;
	/** Whether the user trusts the project of the session of the moment. */
	isTrusted(): boolean;
}

export class LocalClient implements SessionClient {
	readonly #parts: LocalClientParts;
	readonly #listeners = new Set<(event: EventFrame) => void>();
	readonly #resetListeners = new Set<() => void>();
	readonly #owned = new DisposableStack();
	readonly #live = new LocalLive();
	readonly #tail: LocalTail;
	readonly #requests: ShownRequests;
	readonly view: SessionView;

	constructor(parts: LocalClientParts) {
		const { host, me } = parts;
		this.#parts = parts;
		this.#tail = new LocalTail(host);
		for (const request of host.requests.pending) this.#live.setRequest(request.id, request);
		this.view = {
			facts: new LocalFacts(parts),
			tail: this.#tail,
			live: this.#live,
			clients: [me],
		};
		this.#requests = this.#owned.use(new ShownRequests(host, me.kinds));
		this.#owned.use(host.subscribe((event) => this.#onEvent(event)));
		// At once: the session emits them too, behind what extensions do with them.
		this.#owned.use(host.requests.subscribe((event) => this.#emit(event, event)));
		this.#owned.use(host.onReplaced(() => this.#onReplaced()));
	}

	get me(): ClientInfo {
		return this.#parts.me;
	}

	subscribe(listener: (event: EventFrame) => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
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
		this.#owned.dispose();
	}

	/** With the handlers that serve every other client. */
	async #handle(command: Command): Promise<unknown> {
		const { host, extensions, resources, mcp } = this.#parts;
		const { handle, handleRequest, isRequestCommand } = await import("../modes/rpc/serve.ts");
		if (isRequestCommand(command)) return handleRequest(command, host.requests);
		const responded = Promise.withResolvers<void>();
		try {
			return await handle(command, {
				host,
				extensions,
				resources: resources?.current,
				mcp,
				responded: responded.promise,
				release: () => {},
				ui: this.#requests,
			});
		} finally {
			responded.resolve();
		}
	}

	#onEvent(event: SessionEvent): void {
		if (event.type !== "request_opened" && event.type !== "request_closed")
			this.#emit(event, eventFrame(event));
	}

	#emit(own: SessionEvent, event: EventFrame): void {
		this.#live.onEvent(own);
		for (const listener of this.#listeners) listener(event);
	}

	#onReplaced(): void {
		this.#live.move();
		this.#tail.reset();
		for (const listener of this.#resetListeners) listener();
	}
}

/** Tells the session that somebody answers its questions; events say which there are. */
class ShownRequests implements Disposable {
	readonly #host: SessionHost;
	#connection: Disposable;

	constructor(host: SessionHost, kinds: readonly RequestKind[]) {
		this.#host = host;
		this.#connection = host.requests.connect(answering(kinds));
	}

	setKinds(kinds: readonly RequestKind[]): void {
		const before = this.#connection;
		this.#connection = this.#host.requests.connect(answering(kinds));
		before[Symbol.dispose]();
	}

	[Symbol.dispose](): void {
		this.#connection[Symbol.dispose]();
	}
}

function answering(kinds: readonly RequestKind[]): RequestClient {
	return { kinds: new Set(kinds), open: () => {} };
}
