/** Everything that the commands of one RPC client work with. */
import type { Extensions } from "@tau/extensions/host";
import type { Resources } from "@tau/extensions/resources";
import type { SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import type { ClientInfo } from "@tau/wire";

import { extensionControl } from "@tau/session-commands/shared";
import type { CommandScope, RpcSession } from "./command-scope.ts";
import { SlashCommandRuns } from "./slash-commands.ts";
import type { RpcExtensionUI } from "./rpc-extension-ui.ts";

/** The client's end of the connection. */
export interface RpcEnd {
	ui: RpcExtensionUI;
	emit(event: SessionEvent): void | Promise<void>;
	/** Called when an extension requests the end of the program. */
	end(): void;
}

export class RpcConnectionState implements CommandScope, Disposable {
	readonly host: SessionHost;
	readonly extensions: Extensions | undefined;
	readonly resources: Resources | undefined;
	readonly mcp: RpcSession["mcp"];
	readonly ui: RpcExtensionUI;
	/** Absent where the client may do everything. */
	readonly by: ClientInfo | undefined;
	/** The slash commands that the client runs. */
	readonly slashCommands: SlashCommandRuns;
	readonly #subscription: Disposable;
	readonly #end: () => void;
	#response = Promise.withResolvers<void>();
	#released = Promise.withResolvers<() => void>();

	constructor({ host, extensions, resources, mcp, commands, rights }: RpcSession, { ui, emit, end }: RpcEnd) {
		this.host = host;
		this.extensions = extensions;
		this.resources = resources;
		this.mcp = mcp;
		this.ui = ui;
		const name = "this client";
		this.by = rights && { id: "rpc", name, rights, kinds: [] };
		this.slashCommands = new SlashCommandRuns(commands, {
			by: () => ({ id: "rpc", name, rights: rights ?? "control", kinds: [...ui.kinds] }),
			emit,
		});
		this.#end = end;
		// A run ends with `agent_end` for clients written for pi; `get_state` has the phase.
		this.#subscription = host.attach({
			onEvent: (event) => (event.type === "phase_changed" ? undefined : emit(event)),
		});
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

	/** The commands behind the current one do not wait for its response. */
	release(): void {
		const { resolve } = this.#response;
		this.#response = Promise.withResolvers();
		this.#released.resolve(resolve);
		this.#released = Promise.withResolvers();
	}

	/** Resolves when the current command is released, with what to call when its response was written. */
	get released(): Promise<() => void> {
		return this.#released.promise;
	}

	/** Extensions are notified of the session. */
	async start(): Promise<void> {
		await this.extensions?.start({
			ui: this.ui.ui,
			kind: "rpc",
			hasUI: true,
			source: "rpc",
			shutdown: () => void this.host.waitForIdle().then(this.#end),
			control: extensionControl(this.host, this.extensions),
		});
	}

	/** Ends what is running: the run, and the commands with everything that they started. */
	async stop(): Promise<void> {
		this.onResponse();
		this.slashCommands.abort();
		await this.host.stop();
	}

	[Symbol.dispose](): void {
		this.#subscription[Symbol.dispose]();
	}
}
