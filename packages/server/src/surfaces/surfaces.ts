/** The terminals elsewhere that show what the extensions of a session draw. */
import type { Extensions } from "@tau/extensions/host";
import {
	sharedUI,
	ShownParts,
	type ExtensionUI,
	type NotifyType,
	type UIPlace,
	type UIPlaces,
} from "@tau/extensions/ui";
import type { SessionHost } from "@tau/session/host";
import { once } from "@tau/utils";

import { actingClient } from "./acting.ts";
import type { ClientSurface } from "./client-surface.ts";
import { limits } from "./limits.ts";

export interface SurfacesOptions {
	readonly host: SessionHost;
	readonly extensions: () => Extensions | undefined;
	/** The directory of the user's keys. */
	readonly agentDir: string;
}

export class Surfaces implements UIPlaces {
	readonly options: SurfacesOptions;
	readonly shown = new ShownParts();
	/** Those that can show components, the one that was used last at the end. */
	#clients = new Map<string, ClientSurface>();
	/** Of them, the one whose components are drawn at this moment. */
	#drawing: UIPlace | undefined;
	/** The screen of this process, if it has one: it shows what no client elsewhere has asked for. */
	#screen: { requestRender(): void } | undefined;
	readonly #sayUnseen = once(() =>
		this.options.host.notice(
			"An extension has something to show that needs a terminal. Join with tau attach, and start it there.",
			"warning",
		),
	);

	constructor(options: SurfacesOptions) {
		this.options = options;
	}

	get hasScreen(): boolean {
		return this.#screen !== undefined;
	}

	/** The extensions that are not Tau's own, which draw only what every client draws by itself. */
	get others(): Extensions["runner"]["extensions"] {
		const all = this.options.extensions()?.runner.extensions ?? [];
		return all.filter(({ path }) => !path.startsWith("<"));
	}

	/** Whether a terminal elsewhere shows components. */
	get isShown(): boolean {
		return this.#clients.size > 0;
	}

	/** The user interface for extensions: `base`, and every terminal that has joined. */
	share(base: ExtensionUI, screen: { requestRender(): void } | undefined): ExtensionUI {
		this.#screen = screen;
		return sharedUI(base, this, this.hasScreen);
	}

	/** What the client of this id can show and sends: what it had before its connection was lost, or nothing yet. */
	async client(id: string): Promise<ClientSurface> {
		const { ClientSurface: Client } = await import("./client-surface.ts");
		return this.#clients.get(id) ?? new Client(this, id);
	}

	acting(): UIPlace | undefined {
		const id = actingClient();
		const own = id === undefined ? undefined : this.#clients.get(id);
		const last = [...this.#clients.values()].findLast(({ isConnected }) => isConnected);
		const other = this.hasScreen ? undefined : last;
		return (own ?? other)?.surface;
	}

	drawing(): UIPlace | undefined {
		return this.#drawing;
	}

	draw<T>(place: UIPlace, work: () => T): T {
		const before = this.#drawing;
		this.#drawing = place;
		try {
			return work();
		} finally {
			this.#drawing = before;
		}
	}

	notify(message: string, type: NotifyType = "info"): boolean {
		if (!this.hasScreen || actingClient() === undefined) return false;
		void this.options.host.notice(message, type === "info" ? "info" : "warning");
		return true;
	}

	onUnseen(): void {
		void this.#sayUnseen();
	}

	/** The client shows components, and was used just now. */
	used(id: string, client: ClientSurface): void {
		this.#clients.delete(id);
		this.#clients.set(id, client);
	}

	left(id: string, client: ClientSurface): void {
		if (this.#clients.get(id) === client) this.#clients.delete(id);
	}

	/** A client is kept that may come back; of too many, those that were not used for longest are closed. */
	lost(): void {
		this.#forget(limits.lostClients);
	}

	/** Nobody can come back: the session is not served any more. */
	close(): void {
		this.#forget(0);
	}

	/** An extension has one screen in mind when it asks to be drawn again: all are. */
	changed(): void {
		this.#screen?.requestRender();
		this.schedule();
	}

	/** What is shown elsewhere may have changed. */
	schedule(): void {
		for (const client of this.#clients.values()) client.schedule();
	}

	#forget(most: number): void {
		const lost = [...this.#clients.values()].filter(({ isConnected }) => !isConnected);
		for (const client of lost.slice(0, Math.max(0, lost.length - most))) client[Symbol.dispose]();
	}
}
