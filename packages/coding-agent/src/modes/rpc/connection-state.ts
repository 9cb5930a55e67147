/** Everything that the commands of one RPC client work with. */
import type { Extensions } from "@tau/extensions/host";
import type { Resources } from "@tau/extensions/resources";
import type { SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";

import { extensionControl } from "../shared/extension-control.ts";
import { RpcExtensionUI } from "./rpc-extension-ui.ts";
import type { RpcUIRequest } from "./protocol.ts";

/** The session that a client is served. */
export interface RpcSession {
	host: SessionHost;
	extensions?: Extensions | undefined;
	/** Skills and prompt templates that a client may invoke by name. */
	resources?: Resources | undefined;
}

export class RpcConnectionState implements Disposable {
	readonly host: SessionHost;
	readonly extensions: Extensions | undefined;
	readonly resources: Resources | undefined;
	readonly ui: RpcExtensionUI;
	readonly #owned = new DisposableStack();
	readonly #ended = new AbortController();
	#response = Promise.withResolvers<void>();

	constructor(
		{ host, extensions, resources }: RpcSession,
		emit: (event: SessionEvent) => void | Promise<void>,
		ask: (request: RpcUIRequest) => void | Promise<void>,
	) {
		this.host = host;
		this.extensions = extensions;
		this.resources = resources;
		this.ui = this.#owned.use(new RpcExtensionUI(host.requests, ask));
		// A run ends with `agent_end` for clients written for pi; `get_state` has the phase.
		this.#owned.use(host.subscribe((event) => (event.type === "phase_changed" ? undefined : emit(event))));
	}

	/** Aborted when an extension requests the end of the program. */
	get ended(): AbortSignal {
		return this.#ended.signal;
	}

	/** Resolves when the response to the current command was written: a run starts after its prompt was acknowledged. */
	get responded(): Promise<void> {
		return this.#response.promise;
	}

	/** To be called when a response was written. */
	onResponse(): void {
		this.#response.resolve();
		this.#response = Promise.withResolvers();
	}

	/** Extensions are notified of the session. */
	async start(): Promise<void> {
		await this.extensions?.start({
			ui: this.ui.ui,
			kind: "rpc",
			hasUI: true,
			source: "rpc",
			shutdown: () => void this.host.waitForIdle().then(() => this.#ended.abort()),
			control: extensionControl(this.host, this.extensions),
		});
	}

	/** Ends what is running: the run, and the commands with everything that they started. */
	async stop(): Promise<void> {
		this.ui[Symbol.dispose]();
		this.onResponse();
		await this.host.stop();
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}
}
