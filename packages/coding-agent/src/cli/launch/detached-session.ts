/** A session that no terminal belongs to: questions wait for a client, and it ends when it has nothing to do. */
import { envNumber, errorText, listen, oneLine, timer } from "@tau/utils";
import type { Extensions } from "@tau/extensions/host";
import type { SessionHost, UserRequests } from "@tau/session/host";

import { forgetDetached, rememberDetached, type RunEnd } from "@tau/server/local/detached-records";
import { limits } from "@tau/server/local/limits";
import { RpcExtensionUI } from "@tau/server/rpc/rpc-extension-ui";
import { extensionControl } from "@tau/session-commands/shared";
import { statusOf, type SessionServer } from "@tau/server/daemon/session-server";
import { SharedTerminals } from "@tau/server/daemon/shared-terminals";
import type { Surfaces } from "@tau/server/surfaces";
import type { Interruption } from "../signals.ts";

export interface DetachedParts {
	host: SessionHost;
	extensions: Extensions | undefined;
	requests: UserRequests;
	server: SessionServer;
	surfaces: Surfaces;
	interruption: Interruption;
	/** Asks whether withheld code of the project may run, and loads it if the user agrees; absent if there is none. */
	confirmTrust?: ((signal: AbortSignal) => Promise<void>) | undefined;
	/** Another process looks after it: it is not listed when it has ended. */
	isOwned?: boolean;
}

export class DetachedSession implements Disposable {
	readonly #parts: DetachedParts;
	readonly #owned = new DisposableStack();
	readonly #over = Promise.withResolvers<void>();
	readonly #ui: RpcExtensionUI;
	readonly #parkMs = envNumber("TAU_DAEMON_PARK_MS") ?? limits.parkMs;
	#idle: Disposable | undefined;
	#recorded: string | undefined;
	#end: RunEnd | undefined;
	#asking: AbortController | undefined;

	constructor(parts: DetachedParts) {
		const { host, requests, server, interruption } = parts;
		this.#parts = parts;
		this.#ui = this.#owned.use(extensionUI(requests, host));
		requests.serve(new SharedTerminals(requests));
		const end = (): void => this.#over.resolve();
		server.onEnd = () => {
			this.#forget();
			end();
		};
		server.onClients = () => {
			this.#note();
			this.#confirmTrust();
		};
		this.#owned.use(
			host.attach({
				onEvent: (event) => {
					if (event.type === "agent_end") this.#end = endOf(event);
					this.#note(event.type === "agent_end");
				},
			}),
		);
		this.#owned.use(host.onReplaced(() => this.#record()));
		this.#owned.use(followRunner(parts));
		this.#owned.use(listen(interruption.signal, "abort", end));
		if (interruption.signal.aborted) end();
		this.#record();
		this.#note();
	}

	/** Resolves when the user has ended it, or it has nothing to do. */
	get ended(): Promise<void> {
		return this.#over.promise;
	}

	/** From now on extensions ask clients that have joined. */
	async startExtensions(): Promise<void> {
		const { host, extensions, surfaces } = this.#parts;
		await extensions?.start({
			ui: surfaces.share(this.#ui.ui, undefined),
			// As pi says it: whether components can be shown.
			get kind() {
				return surfaces.isShown ? "tui" : "rpc";
			},
			hasUI: true,
			source: "rpc",
			shutdown: () => void host.waitForIdle().then(() => this.#over.resolve()),
			control: extensionControl(host, extensions),
		});
	}

	[Symbol.dispose](): void {
		this.#asking?.abort();
		this.#idle?.[Symbol.dispose]();
		this.#owned.dispose();
	}

	/** A client that joins is asked, as a terminal asks at its start. A question without a client would keep the process alive. */
	#confirmTrust(): void {
		const { confirmTrust, server, host } = this.#parts;
		if (server.clients === 0) {
			this.#asking?.abort();
			this.#asking = undefined;
		} else if (confirmTrust && !this.#asking) {
			this.#asking = new AbortController();
			confirmTrust(this.#asking.signal).catch((error: unknown) => host.notice(errorText(error), "warning"));
		}
	}

	/** Something has happened. A session that nobody looks at and that does nothing needs no process: its log is on disk. */
	#note(isWorth = false): void {
		if (isWorth) this.#record();
		this.#idle?.[Symbol.dispose]();
		this.#idle = timer(this.#parkMs, () => (this.#isIdle() ? this.#over.resolve() : this.#note()));
	}

	/** Lists it for `tau ps`, also when this process has ended. */
	#record(): void {
		const { host, isOwned } = this.#parts;
		if (isOwned) return;
		const { id, file, cwd } = host.state;
		if (this.#recorded !== id) this.#forget();
		if (file === undefined) return;
		this.#recorded = id;
		const { title, cost } = statusOf(host, 0);
		rememberDetached({
			sessionId: id,
			sessionFile: file,
			cwd,
			title,
			cost,
			lastAt: Date.now(),
			...(this.#end && { end: this.#end }),
		});
	}

	#forget(): void {
		if (this.#recorded !== undefined) forgetDetached(this.#recorded);
		this.#recorded = undefined;
	}

	#isIdle(): boolean {
		const { host, server } = this.#parts;
		const { phase, waiting, working, clients } = statusOf(host, server.clients);
		return phase === "idle" && waiting + working + clients === 0;
	}
}

function endOf({ stopReason, errorMessage }: { stopReason?: string; errorMessage?: string }): RunEnd {
	const reason = errorMessage === undefined ? {} : { reason: oneLine(errorMessage, limits.endReasonChars) };
	if (stopReason === "error") return { outcome: "failed", ...reason };
	return { outcome: stopReason === "aborted" ? "stopped" : "answered" };
}

/** What extensions show goes with them; a move to another branch does not affect them. */
function followRunner({ host, extensions, surfaces }: DetachedParts): Disposable {
	let runner = extensions?.runner;
	return host.onReplaced(() => {
		if (runner === extensions?.runner) return;
		runner = extensions?.runner;
		surfaces.shown.reset();
	});
}

/** A question waits until a client joins and answers it: a session without clients does not decline. */
function extensionUI(requests: UserRequests, host: SessionHost): RpcExtensionUI {
	const show: ConstructorParameters<typeof RpcExtensionUI>[1] = (frame) => {
		if (frame.type === "extension_ui_request" && frame.method === "notify")
			void host.notice(frame.message, frame.notifyType === "info" ? "info" : "warning");
	};
	return new RpcExtensionUI(requests, show, ["questions", "approval", "trust", "dialog"]);
}
