/** Sharing the session of this process: loaded when somebody shares it. */
import type { CollabControl } from "@tau/session-commands";
import { UserError } from "@tau/session/run";

import type { RpcSession } from "@tau/server/rpc";

export class Rooms implements AsyncDisposable {
	#session: RpcSession | undefined;
	#collab: Promise<CollabControl & AsyncDisposable> | undefined;
	#isOver = false;

	/** From now on it can be shared. */
	serve(session: RpcSession): void {
		this.#session = session;
	}

	/** Whether the session is shared now. */
	async isShared(): Promise<boolean> {
		return (await this.#collab)?.status !== undefined;
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
		return new Collab(session);
	}
}
