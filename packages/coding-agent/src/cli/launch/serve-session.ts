/** Lets other terminals join the session of this one, once the user can type. */
import { dirs, log } from "@tau/utils";
import type { SessionParts } from "@tau/extensions/assembly";
import type { SessionHost } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";

import type { RpcSession } from "@tau/server/rpc";
import type { CommandParts } from "@tau/session-commands";
import type { SessionServer } from "@tau/server/daemon/session-server";
import { Surfaces } from "@tau/server/surfaces";

export interface ServeSessionOptions {
	host: SessionHost;
	/** Read when a command needs them: a reload replaces some. */
	parts: Pick<SessionParts, "extensions" | "resources" | "mcp">;
	/** What slash commands work with. */
	commands: CommandParts;
	/** The terminals elsewhere that show what extensions draw. */
	surfaces: Surfaces;
	settings: Settings;
	/** Called when the user has asked this session to end, from elsewhere. */
	end(): void;
}

export interface ServedSession extends Disposable {
	/** Undefined where nothing listens: it is switched off, not loaded yet, or the directory cannot be used. */
	readonly server: SessionServer | undefined;
	/** The session has no terminal any more. Throws where it could not be joined then. */
	detach(): Promise<SessionServer>;
}

/** Listens as soon as the code for it is loaded. */
export function serveSession(options: ServeSessionOptions): ServedSession {
	const owned = new DisposableStack();
	let server: SessionServer | undefined;
	const listen = async (): Promise<void> => {
		try {
			const { SessionServer: Server } = await import("@tau/server/daemon/session-server");
			if (owned.disposed) return;
			server = owned.use(new Server({ session: servedSession(options), kind: "attended" }));
			server.onEnd = options.end;
		} catch (error) {
			// Nothing that the user does here depends on it; `tau ps` does not list the session.
			log.warn("other terminals cannot join this session", { reason: String(error) });
		}
	};
	const listening = options.settings.get("session.attach") ? listen() : Promise.resolve();
	return {
		get server() {
			return server;
		},
		async detach() {
			await listening;
			const { SessionServer: Server } = await import("@tau/server/daemon/session-server");
			server ??= owned.use(new Server({ session: servedSession(options), kind: "detached" }));
			server.detach();
			return server;
		},
		[Symbol.dispose]: () => owned.dispose(),
	};
}

/** What extensions show, kept for terminals that join. */
export function surfacesOf(host: SessionHost, parts: Pick<SessionParts, "extensions">): Surfaces {
	return new Surfaces({ host, extensions: () => parts.extensions, agentDir: dirs().agent });
}

/** Read when a command needs it: a reload replaces parts. */
export function servedSession({
	host,
	parts,
	commands,
	surfaces,
}: Pick<ServeSessionOptions, "host" | "parts" | "commands" | "surfaces">): RpcSession {
	return {
		host,
		commands,
		surfaces,
		get extensions() {
			return parts.extensions;
		},
		get resources() {
			return parts.resources;
		},
		get mcp() {
			return parts.mcp;
		},
	};
}
