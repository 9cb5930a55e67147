/** Everything that the commands of one client work with. */
import type { SessionEvent } from "@tau/session";
import { Conversation } from "@tau/session/run";

import { extensionControl } from "../shared/extension-control.ts";
import { BashDesk } from "./bash-desk.ts";
import { ExtensionUIDesk } from "./extension-ui.ts";
import type { RpcHost } from "./host.ts";
import type { RpcUIRequest } from "./protocol.ts";

export class Desk implements Disposable {
	readonly host: RpcHost;
	readonly conversation: Conversation;
	readonly bash: BashDesk;
	readonly dialogs: ExtensionUIDesk;
	readonly #ended = new AbortController();

	constructor(
		host: RpcHost,
		tell: (event: SessionEvent) => void | Promise<void>,
		ask: (request: RpcUIRequest) => void | Promise<void>,
	) {
		this.host = host;
		this.dialogs = new ExtensionUIDesk(ask);
		this.conversation = new Conversation(host, tell);
		this.bash = new BashDesk((message) => this.conversation.record(message));
	}

	/** Aborted when an extension wants the program to end. */
	get ended(): AbortSignal {
		return this.#ended.signal;
	}

	/** Extensions hear of the session. */
	async start(): Promise<void> {
		const { extensions } = this.host;
		await extensions?.start({
			ui: this.dialogs.ui,
			kind: "rpc",
			hasUI: true,
			source: "rpc",
			shutdown: () => void this.host.session.waitForIdle().then(() => this.#ended.abort()),
			control: extensionControl(this, extensions),
		});
	}

	/** Ends what is running: the answer, and the commands with all that they have started. */
	async stop(): Promise<void> {
		this.dialogs[Symbol.dispose]();
		await Promise.all([this.conversation.stop(), this.bash[Symbol.asyncDispose]()]);
	}

	[Symbol.dispose](): void {
		this.conversation[Symbol.dispose]();
	}
}
