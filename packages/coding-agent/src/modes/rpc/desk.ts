/** Everything that the commands of one client work with. */
import type { SessionEvent } from "../../session/index.ts";
import { BashDesk } from "./bash-desk.ts";
import { Conversation } from "../shared/conversation.ts";
import type { RpcHost } from "./host.ts";

export class Desk implements Disposable {
	readonly host: RpcHost;
	readonly conversation: Conversation;
	readonly bash: BashDesk;

	constructor(host: RpcHost, tell: (event: SessionEvent) => void | Promise<void>) {
		this.host = host;
		this.conversation = new Conversation(host, tell);
		this.bash = new BashDesk((message) => this.conversation.record(message));
	}

	/** Ends what is running: the answer, and the commands with all that they have started. */
	async stop(): Promise<void> {
		await Promise.all([this.conversation.stop(), this.bash[Symbol.asyncDispose]()]);
	}

	[Symbol.dispose](): void {
		this.conversation[Symbol.dispose]();
	}
}
