/** Sharing the session of this process: loaded when it is shared. */
import type { CollabControl, CollabStatus } from "@tau/session-commands";
import { UserError } from "@tau/session/run";

import type { RpcSession } from "@tau/server/rpc";

export class Rooms implements AsyncDisposable {
	#session: RpcSession | undefined;
	#collab: Promise<CollabControl & AsyncDisposable> | undefined;
	#loaded: CollabControl | undefined;
	#isOver = false;
	/** Called when sharing begins or ends, and when a guest comes or goes. */
	onChange: (status: CollabStatus | undefined) => void = () => {};

	/** From now on it can be shared. */
	serve(session: RpcSession): void {
		this.#session = session;
	}

	/** Whether the session is shared now. */
	get isShared(): boolean {
		return this.#loaded?.status !== undefined;
	}

	/** `collab.autoStart`. Gives the link, or why there is none. */
	async start(): Promise<string> {
		try {
			const control = await this.open();
			if (!control.hasRelay)
				return "collab.autoStart shares nothing: no relay is configured. Set collab.relayUrl, or use /collab.";
			const { links, relay } = await control.start(undefined);
			const link = links.find(({ name }) => name === "prompt");
			return `This session is shared through ${relay}: tau join "${link?.link ?? ""}"`;
		} catch (error) {
			return `This session is not shared: ${error instanceof Error ? error.message : String(error)}`;
		}
	}

	open(): Promise<CollabControl> {
		return (this.#collab ??= this.#load());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isOver = true;
		await (await this.#collab)?.[Symbol.asyncDispose]();
	}

	async #load(): Promise<CollabControl & AsyncDisposable> {
		const session = this.#session;
		if (!session || this.#isOver) throw new UserError("The session is not ready to be shared.");
		const { Collab } = await import("@tau/server/rooms/collab");
		const collab: CollabControl & AsyncDisposable = new Collab(session, () => this.onChange(collab.status));
		this.#loaded = collab;
		return collab;
	}
}
