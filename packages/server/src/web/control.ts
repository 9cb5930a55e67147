/** Starts, shows and stops the server of `tau web` in the daemon, as the command asks for it. */
import type { Env } from "@tau/utils";
import { Logins, type PageFiles } from "@tau/web/server";
import { Pusher } from "@tau/web/push";

import type { WebOutcome, WebRequest } from "../local/protocol.ts";
import { WebFleet, type WebFleetParts } from "./fleet-routes.ts";
import { allRoutes } from "./routes.ts";
import { WebServer } from "./server.ts";
import { Watcher } from "./watcher.ts";
import { Uploads } from "./uploads.ts";
import { WebSessions, type WebSessionsOptions } from "./sessions.ts";

export class WebControl implements Disposable {
	readonly #logins = new Logins();
	readonly #sessions: WebSessions;
	readonly #uploads: Uploads;
	readonly #pusher = new Pusher();
	readonly #fleet: WebFleet;
	#watcher: Watcher | undefined;
	#server: WebServer | undefined;
	#env: Env = process.env;
	#cwd: string | undefined;

	constructor({ open, startWorker }: Pick<WebSessionsOptions, "open"> & Pick<WebFleetParts, "startWorker">) {
		this.#sessions = new WebSessions({ open, env: () => this.#env, cwd: () => this.#cwd });
		this.#uploads = new Uploads(this.#sessions);
		this.#fleet = new WebFleet({ env: () => this.#env, startWorker });
	}

	get isRunning(): boolean {
		return this.#server !== undefined;
	}

	/** Throws the reason for the user. */
	handle(request: WebRequest): WebOutcome {
		switch (request.action) {
			case "start":
				return this.#start(request);
			case "stop":
				this[Symbol.dispose]();
				return { type: "web", isRunning: false };
			case "logout":
				this.#logins.forgetAll();
				this.#server?.closePages();
				return this.#status();
			case "status":
				return this.#status();
		}
	}

	[Symbol.dispose](): void {
		this.#server?.[Symbol.dispose]();
		this.#server = undefined;
		this.#watcher?.[Symbol.dispose]();
		this.#watcher = undefined;
		this.#uploads[Symbol.dispose]();
		void this.#fleet[Symbol.asyncDispose]();
	}

	#start({ port, isFlexible, origins, env, cwd }: Extract<WebRequest, { action: "start" }>): WebOutcome {
		this.#env = env;
		this.#cwd = cwd;
		this.#server ??= new WebServer({
			port,
			isFlexible,
			origins,
			logins: this.#logins,
			sessions: this.#sessions,
			files: pageFiles,
			routes: allRoutes({
				sessions: this.#sessions,
				uploads: this.#uploads,
				pusher: this.#pusher,
				fleet: this.#fleet,
			}),
		});
		this.#watcher ??= new Watcher(this.#pusher, () => this.#fleet.waiting());
		// One to print in the terminal, one for the browser that is opened.
		return { ...this.#status(), links: [this.#server.link(), this.#server.link()] };
	}

	#status(): WebOutcome & { type: "web" } {
		if (!this.#server) return { type: "web", isRunning: false };
		const { origin, pages } = this.#server;
		return { type: "web", isRunning: true, origin, pages, browsers: this.#logins.size };
	}
}

/** The page is built, or unpacked, when the first browser asks for it. */
const pageFiles: PageFiles = async () => (await import("@tau/web/assets")).pageAssets();
