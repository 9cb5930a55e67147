/** The updates of one session in order: pieces of an answer are merged, and a client that does not read is waited for. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { log, timer } from "@tau/utils";

import { limits } from "./limits.ts";

type Chunk = Extract<
	acp.SessionUpdate,
	{ sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" }
>;

export class UpdateQueue {
	readonly #send: (update: acp.SessionUpdate) => Promise<void>;
	/** The piece that the next ones are added to. */
	#open: (Chunk & { content: { type: "text"; text: string } }) | undefined;
	#timer: Disposable | undefined;
	#unwritten: Promise<void> | undefined;

	constructor(send: (update: acp.SessionUpdate) => Promise<void>) {
		this.#send = send;
	}

	/** Resolves when it was written; at once for a piece that others may be added to. */
	async push(update: acp.SessionUpdate): Promise<void> {
		if (!isText(update)) {
			void this.flush();
			return await this.#write(update);
		}
		const open = this.#open;
		if (open && open.sessionUpdate === update.sessionUpdate && open.messageId === update.messageId) {
			open.content = { type: "text", text: open.content.text + update.content.text };
			return;
		}
		void this.flush();
		this.#open = update;
		this.#timer = timer(limits.chunkMs, () => void this.flush());
	}

	/** Everything that was pushed is on its way before anything that is sent now. Resolves when it was written. */
	flush(): Promise<void> {
		this.#timer?.[Symbol.dispose]();
		const open = this.#open;
		this.#open = undefined;
		return open ? this.#write(open) : (this.#unwritten ?? Promise.resolve());
	}

	/** A promise while the client leaves updates unread: a run waits for it. */
	pressure(): Promise<void> | undefined {
		return this.#unwritten;
	}

	#write(update: acp.SessionUpdate): Promise<void> {
		const written = this.#send(update).catch((error: unknown) => {
			// The client is gone: the connection ends by itself.
			log.info("an update was not sent", { reason: String(error) });
		});
		this.#unwritten = written;
		void written.then(() => {
			if (this.#unwritten === written) this.#unwritten = undefined;
		});
		return written;
	}
}

function isText(update: acp.SessionUpdate): update is Chunk & { content: { type: "text"; text: string } } {
	const isChunk =
		update.sessionUpdate === "agent_message_chunk" ||
		update.sessionUpdate === "agent_thought_chunk" ||
		update.sessionUpdate === "user_message_chunk";
	return isChunk && update.content.type === "text";
}
